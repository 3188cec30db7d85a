/** Shortest prefix length of an internal range: a wider one includes public addresses. */
export const INTERNAL_RANGE_LEAST_PREFIX = 8;

/** True for an IPv4 range in CIDR notation whose address is the first one of the range. */
export function isAddressRange(text: string): boolean {
  const [, ...numbers] = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text) ?? [];
  const [a = 256, b = 256, c = 256, d = 256, prefix = 33] = numbers.map(Number);
  if (Math.max(a, b, c, d) > 255 || prefix > 32) return false;
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  return address % 2 ** (32 - prefix) === 0;
}

/** Number after the slash. */
export function prefixLength(range: string): number {
  return Number(range.split("/")[1]);
}

/** `isAddressRange` as a Terraform condition, which can fail on strings that are not ranges. `value` has no `${}`. */
export function addressRangeCondition(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${split("/", ${value})[1]}" == ${value} && can(cidrnetmask(${value}))`;
}
