import { type TerraformElement, TerraformHclModule, TerraformOutput, TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { interpolated } from "../../lib/core/expr/expr";
import { givenValue } from "../../lib/core/expr/given";
import { named, rendered } from "../../lib/core/expr/locals";
import { CheckBlock } from "../../lib/core/inputs/warnings";
import { PortableStack } from "../../lib/core/portable-stack";
import { EphemeralResource } from "../../lib/core/secrets/ephemeral-resource";
import { TerraformData } from "../../lib/core/terraform-data";
import { brokenRules } from "../support/broken-rules";
import { bareStack, terraformOf, testApp } from "../support/synthesis";

/** Nests constructs of these ids and creates a resource in the last one. */
const resourceAt = (stack: TerraformStack, ...ids: string[]) => {
  const scope = ids.slice(0, -1).reduce<Construct>((parent, id) => new Construct(parent, id), stack);
  return new TerraformData(scope, ids.at(-1) ?? "", {});
};

const password = (scope: Construct, id: string) =>
  new EphemeralResource(scope, id, { type: "random_password", provider: "random", attributes: { length: 8 } });

describe("the addresses of a portable stack", () => {
  it("are refused when two resources share one, with both paths", () => {
    const stack = bareStack();
    resourceAt(stack, "Database", "Version");
    resourceAt(stack, "Database-Version");
    expect(() => terraformOf(stack)).toThrow(
      brokenRules("test", [
        "resource.terraform_data.database_version is the address of test/Database/Version and test/Database-Version; only the last would be written; give one of them another id",
      ]),
    );
  });

  const same = (element: TerraformElement) => {
    element.overrideLogicalId("same");
  };
  const source = "acme/network/google";

  it.each<[string, (stack: PortableStack, id: string) => unknown]>([
    ["resource.terraform_data.same", (stack, id) => same(new TerraformData(stack, id, {}))],
    ["check.a_", (stack, id) => new CheckBlock(new Construct(stack, id), "..", [])],
    ["ephemeral.random_password.same", (stack, id) => same(password(stack, id))],
    [
      "output.same",
      (stack, id) => new TerraformOutput(new Construct(stack, id), "same", { value: "", staticId: true }),
    ],
    ["module.same", (stack, id) => same(new TerraformHclModule(stack, id, { source }))],
  ])("are refused when two share %s", (address, add) => {
    const stack = bareStack();
    add(stack, "A");
    add(stack, "a");
    expect(() => terraformOf(stack)).toThrow(address);
    expect(() => terraformOf(stack)).toThrow(
      / is the address of test\/A\S* and test\/a\S*; only the last would be written/,
    );
  });
});

describe("A dependency", () => {
  const dependenciesOf = (input: (first: TerraformData) => Readonly<Record<string, string>>) => {
    const stack = bareStack();
    const [first, second] = ["First", "Second"].map((id) => new TerraformData(stack, id, {})) as [
      TerraformData,
      TerraformData,
    ];
    new TerraformData(stack, "Last", { input: input(first), dependsOn: [first, second] });
    const { last } = terraformOf(stack).resource?.terraform_data as Record<string, { depends_on?: string[] }>;
    return last?.depends_on;
  };

  it("is left out where an argument refers to the same", () => {
    expect(dependenciesOf((first) => ({ id: `\${${first.fqn}.id}` }))).toEqual(["terraform_data.second"]);
    expect(dependenciesOf((first) => ({ id: `id-\${${first.fqn}.id}` }))).toEqual(["terraform_data.second"]);
  });

  it("is kept where a text only names it", () => {
    const both = ["terraform_data.first", "terraform_data.second"];
    expect(dependenciesOf(() => ({ words: "terraform_data.first.id" }))).toEqual(both);
    expect(dependenciesOf(() => ({ words: "$${terraform_data.first.id}" }))).toEqual(both);
    expect(dependenciesOf((first) => ({ other: `\${${first.fqn}_of_another.id}` }))).toEqual(both);
  });
});

describe("a reference from one stack to another", () => {
  it.each<[what: string, Producer: StackClass, Consumer: StackClass]>([
    ["a portable stack that refers to a plain one", TerraformStack, PortableStack],
    ["a plain stack that refers to a portable one", PortableStack, TerraformStack],
    ["a portable stack that refers to another", PortableStack, PortableStack],
  ])("is refused in %s, with the names of value and stack", (_, Producer, Consumer) => {
    const app = testApp();
    const producer = new Producer(app, "producer", { providers: [] });
    const consumer = new Consumer(app, "consumer", { providers: [] });
    const source = resourceAt(producer, "Source");
    new TerraformData(consumer, "Reader", { input: { source: source.getStringAttribute("id") } });
    const address = String(rendered(producer, source.fqn)).slice(2, -1);
    const problem = `this stack refers to ${address}.id of producer; it must not, because each synthesized folder is applied alone and such a reference would read the other stack's state; give both stacks the same literal, or pass the value as a variable of this one`;
    expect(() => app.synth()).toThrow(brokenRules("consumer", [problem]).message);
  });

  it("is one to a local too, also inside of a text", () => {
    const app = testApp();
    const producer = new PortableStack(app, "producer", { providers: [] });
    const consumer = new PortableStack(app, "consumer", { providers: [] });
    const name = named(producer, "Name", givenValue(producer, resourceAt(producer, "Source").getStringAttribute("id")));
    new TerraformData(consumer, "Reader", { input: { source: interpolated`https://${name}`.text } });
    expect(() => app.synth()).toThrow("this stack refers to local.name of producer; ");
  });
});

type StackClass = new (scope: Construct, id: string, props: { providers: [] }) => TerraformStack;

describe("An ephemeral block", () => {
  it("has the type of its provider, which aspects go by, and an address of its own", () => {
    const stack = bareStack();
    const password = new EphemeralResource(stack, "Password", {
      type: "random_password",
      provider: "random",
      attributes: { length: 8 },
    });
    expect(password.terraformResourceType).toBe("random_password");
    expect(rendered(stack, password.fqn)).toBe("${ephemeral.random_password.password}");
    expect(rendered(stack, password.stringAttribute("result"))).toBe("${ephemeral.random_password.password.result}");
    expect(terraformOf(stack).ephemeral).toEqual({ random_password: { password: { length: 8 } } });
  });
});
