import { textIn } from "./expr/coercion";
import { call, type Expr, foldConstants, interpolated } from "./expr/expr";
import { element, split, toNumber } from "./expr/functions";

/** Whether a text is an IPv4 range in CIDR notation that begins with its first address. */
export function isAddressRange(range: Expr<string>): Expr<boolean> {
  const [first, prefix] = [addressIn(range, 0), element(split("/", range), 1)];
  const isIpv4 = call<boolean>("can", [call("cidrnetmask", [range])], { canFail: false });
  const isWrittenSo = interpolated`${first}/${prefix}`.eq(range).and(isIpv4);
  return foldConstants(
    [range],
    (text) => endsOf(textIn(text)) !== undefined,
    () => isWrittenSo,
  );
}

/** Whether a text is an IPv4 range with its first address, or an IPv6 range in short form that is not IPv4-mapped. */
export function isAnyAddressRange(range: Expr<string>): Expr<boolean> {
  const [first, prefix] = [addressIn(range, 0), toNumber(element(split("/", range), 1))];
  // Only Terraform judges the form of an IPv6 range.
  const isFit = (text: unknown) =>
    textIn(text).includes(":") ? undefined : endsOf(textIn(text)) !== undefined && !/[/]0./.test(textIn(text));
  return foldConstants([range], isFit, () => interpolated`${first}/${prefix}`.eq(range));
}

/** The address with the given number in a range; negative numbers count back from the last address. */
export function addressIn(range: Expr<string>, number: -1 | 0): Expr<string> {
  const calculated = (text: unknown) => {
    const ends = endsOf(textIn(text));
    return number === 0 ? ends?.[0] : ends?.[1];
  };
  return foldConstants([range], calculated, () => call("cidrhost", [range, number], { mayBeNull: false }));
}

const OCTET = "(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
const RANGE = new RegExp(`^${OCTET}[.]${OCTET}[.]${OCTET}[.]${OCTET}/(0?[0-9]|[12][0-9]|3[0-2])$`);

/** First and last address of an IPv4 range, in dotted notation; undefined for anything else. */
export function endsOf(value: string): readonly [first: string, last: string] | undefined {
  const [, ...numbers] = RANGE.exec(value) ?? [];
  if (numbers.length === 0) return undefined;
  const [prefix = 0, ...octets] = [numbers.at(-1), ...numbers.slice(0, -1)].map(Number);
  const first = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const size = 2 ** (32 - prefix);
  return first % size === 0 ? [dotted(first), dotted(first + size - 1)] : undefined;
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join(".");
}
