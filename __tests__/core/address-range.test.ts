import { TerraformLocal } from "cdktf";

import { endsOf, isAddressRange, isAnyAddressRange } from "../../lib/core/address-range";
import { type Expr, literal, reference } from "../../lib/core/expr/expr";
import { each } from "../../lib/core/expr/functions";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";

/** Ranges of either version, and whether they are the first address with a prefix in the form that is expected. */
const RANGES: readonly (readonly [range: string, any: boolean, ipv4: boolean])[] = [
  ["203.0.113.0/24", true, true],
  ["0.0.0.0/0", true, true],
  ["203.0.113.7/24", false, false],
  ["203.0.113.7", false, false],
  ["2001:db8::/32", true, false],
  ["2001:db8::7/64", false, false],
  ["2001:DB8::/32", false, false],
  ["::ffff:cb00:7107/128", false, false],
  ["office", false, false],
  ["10.0.0.0/8", true, true],
  ["010.0.0.0/8", false, false],
  ["10.0.0.0/08", false, true],
  ["10.0.0.0/33", false, false],
  ["256.0.0.0/8", false, false],
];

it("A range of addresses of version 4 is told at synth as at plan, with its first and last address", () => {
  expect(RANGES.map(([range]) => isAddressRange(literal(range)).literal)).toEqual(RANGES.map(([, , isIpv4]) => isIpv4));
  expect(endsOf("172.16.0.0/12")).toEqual(["172.16.0.0", "172.31.255.255"]);
  expect(endsOf("0.0.0.0/0")).toEqual(["0.0.0.0", "255.255.255.255"]);
});

describeWith(["terraform"], "A range of addresses", () => {
  it("is accepted in either version or in version 4, if it is written with its first address", () => {
    const ranges = JSON.stringify(RANGES.map(([range]) => range));
    const list = reference<readonly string[]>(ranges, { knownAt: "plan", mayBeNull: false });
    const judged = (isRange: (value: Expr<string>) => Expr<boolean>) =>
      each(list, (range) => isRange(range).tryOr(false)).text;
    const stack = bareStack();
    new TerraformLocal(stack, "any", judged(isAnyAddressRange));
    new TerraformLocal(stack, "ipv4", judged(isAddressRange));
    const { any, ipv4 } = evaluated(terraformOf(stack));
    expect(any).toEqual(RANGES.map(([, isAny]) => isAny));
    expect(ipv4).toEqual(RANGES.map(([, , isIpv4]) => isIpv4));
  });
});
