import { inspect } from "node:util";

import { RulesBrokenError } from "../../../lib/core/inputs/rules-broken-error";

it("A refusal prints each problem once, followed by the calls in the user's own program only", () => {
  const printed = inspect(new RulesBrokenError("test/Thing", ["name is abcd; it must be short"]));
  expect(printed).toMatch(/^RulesBrokenError: test\/Thing: 1 problem\n {2}- name is abcd; it must be short\n/);
  expect(printed.split("name is abcd")).toHaveLength(2);
  expect(printed).toContain("rules-broken-error.test.ts");
  expect(printed).not.toMatch(/node:internal|node_modules/);
});
