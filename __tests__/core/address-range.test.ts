import {
  addressRangeCondition,
  anyAddressRangeCondition,
  isAddressRange,
  isAnyAddressRange,
} from "../../lib/core/address-range";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { fc } from "../support/seeded-cases";

/** Ranges of either version, and whether they are the first address with a prefix in the form that is expected. */
const RANGES: readonly (readonly [range: string, any: boolean, ipv4: boolean])[] = [
  ["203.0.113.0/24", true, true],
  ["203.0.113.7/32", true, true],
  ["0.0.0.0/0", true, true],
  ["203.0.113.7/24", false, false],
  ["203.0.113.7", false, false],
  ["203.0.113.0/33", false, false],
  ["2001:db8::/32", true, false],
  ["2001:db8::7/128", true, false],
  ["::/0", true, false],
  ["2001:db8::7/64", false, false],
  ["2001:DB8::/32", false, false],
  ["2001:0db8::/32", false, false],
  ["1:0:0:2:0:0:0:0/64", false, false],
  ["2001:db8::/129", false, false],
  ["2001:db8::", false, false],
  ["::ffff:cb00:7107/128", false, false],
  ["::ffff:0:0/96", false, false],
  ["office", false, false],
];

describe("A range of addresses", () => {
  it.each(RANGES)("accepts %s in either version: %s, and in version 4: %s", (range, any, ipv4) => {
    expect([isAnyAddressRange(range), isAddressRange(range)]).toEqual([any, ipv4]);
  });
});

/** Addresses of version 6 as people write them: long or short, with or without bits after the prefix. */
const ipv6Range = fc
  .tuple(
    fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 }),
    fc.integer({ min: 0, max: 129 }),
    fc.boolean(),
  )
  .map(([groups, prefix, isLong]) => {
    const kept = groups.map((group, index) => (index * 16 < prefix ? group : 0));
    const long = kept.map((group) => group.toString(16)).join(":");
    return `${isLong ? long : new URL(`http://[${long}]`).hostname.slice(1, -1)}/${prefix}`;
  });

describeWith(["terraform"], "A range of addresses, judged by Terraform", () => {
  const judgedBy = (condition: (value: string) => string, ranges: readonly string[]): unknown =>
    evaluated({
      locals: { verdicts: `\${[for range in ${JSON.stringify(ranges)} : try(${condition("range")}, false)]}` },
    }).verdicts;

  it("is judged as at synth", () => {
    const random = fc.sample(ipv6Range, { numRuns: 300, seed: 14 });
    const ranges = [...RANGES.map(([range]) => range), ...random];
    expect(judgedBy(anyAddressRangeCondition, ranges)).toEqual(ranges.map(isAnyAddressRange));
    expect(judgedBy(addressRangeCondition, ranges)).toEqual(ranges.map(isAddressRange));
    expect(random.filter(isAnyAddressRange).length).toBeGreaterThan(30);
  });
});
