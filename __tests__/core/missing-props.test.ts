import { inspect } from "node:util";

import { Construct } from "constructs";

import * as main from "../../lib";
import { RulesBrokenError } from "../../lib/core/rules";
import * as kubernetes from "../../lib/kubernetes";
import * as lab from "../../lib/lab";
import { bareStack } from "../support/synthesis";

/** The constructor as plain JavaScript can call it. */
type UntypedConstructor = new (scope: Construct, id: string, props?: object) => unknown;

const CONSTRUCTS = Object.entries({ ...main, ...kubernetes, ...lab }).flatMap(([name, exported]) =>
  typeof exported === "function" && exported.prototype instanceof Construct
    ? [[name, exported as unknown as UntypedConstructor] as const]
    : [],
);

const refusalOf = (Made: UntypedConstructor, props?: object): RulesBrokenError | undefined => {
  try {
    new Made(bareStack(), "Made", props);
    return undefined;
  } catch (error) {
    if (error instanceof RulesBrokenError) return error;
    throw error;
  }
};

describe("Every exported construct", () => {
  it.each(CONSTRUCTS)("names all missing props, and nothing else: %s", (_name, Made) => {
    const { failures = [], subject } = refusalOf(Made) ?? {};
    expect(subject).toMatch(/^(test\/)?Made$/);
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toMatch(/^\w+ is missing; it /);
    expect(refusalOf(Made, {})?.failures).toEqual(failures);
    const nulls = failures
      .filter((failure) => failure.endsWith("set it"))
      .map((failure): [string, null] => [failure.split(" ")[0] ?? "", null]);
    expect(refusalOf(Made, Object.fromEntries(nulls))?.failures).toEqual(failures);
  });
});

it("A refusal prints each problem once, followed by the calls in the user's own program only", () => {
  const printed = inspect(new RulesBrokenError("test/Thing", ["name is abcd; it must be short"]));
  expect(printed).toMatch(/^RulesBrokenError: test\/Thing: 1 problem\n {2}- name is abcd; it must be short\n/);
  expect(printed.split("name is abcd")).toHaveLength(2);
  expect(printed).toContain("missing-props.test.ts");
  expect(printed).not.toMatch(/node:internal|node_modules/);
});
