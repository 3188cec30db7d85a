import { isIPv4, isIPv6 } from "node:net";

/** Shortest prefix length of an internal range; shorter ones include public addresses. */
export const INTERNAL_RANGE_LEAST_PREFIX = 8;

/** True for an IPv4 range in CIDR notation whose address is the first one of the range. */
export function isAddressRange(text: string): boolean {
  const [, ...numbers] = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text) ?? [];
  const [a = 256, b = 256, c = 256, d = 256, prefix = 33] = numbers.map(Number);
  if (Math.max(a, b, c, d) > 255 || prefix > 32) return false;
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  return address % 2 ** (32 - prefix) === 0;
}

const IPV6_BITS = 128;

/** High bits of an IPv4-mapped IPv6 address, above the IPv4 address itself. */
const MAPPED_PREFIX = 0xffffn;

/**
 * True for an IPv4 range, or an IPv6 range in its short form, whose address is the first one of the range; false for
 * IPv4-mapped addresses.
 */
export function isAnyAddressRange(text: string): boolean {
  const [, address = "", prefix = ""] = /^([0-9a-f.:]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  if (isIPv4(address)) return isAddressRange(text);
  if (!isIPv6(address) || Number(prefix) > IPV6_BITS) return false;
  // Short form: URLs use the same one as Terraform and Google Cloud.
  if (new URL(`http://[${address}]`).hostname !== `[${address}]`) return false;
  const value = ipv6Number(address);
  return value % 2n ** BigInt(IPV6_BITS - Number(prefix)) === 0n && value >> 32n !== MAPPED_PREFIX;
}

function ipv6Number(address: string): bigint {
  const [head = [], tail] = address.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = tail === undefined ? [] : Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...(tail ?? [])].reduce((sum, group) => sum * 0x10000n + BigInt(`0x${group}`), 0n);
}

/** Number after the slash. */
export function prefixLength(range: string): number {
  return Number(range.split("/")[1]);
}

/** `isAddressRange` as a Terraform condition, which can fail on strings that are not ranges. `value` has no `${}`. */
export function addressRangeCondition(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${split("/", ${value})[1]}" == ${value} && can(cidrnetmask(${value}))`;
}

/** `isAnyAddressRange` as a Terraform condition, which can fail on strings that are not ranges. `value` has no `${}`. */
export function anyAddressRangeCondition(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${tonumber(split("/", ${value})[1])}" == ${value}`;
}
