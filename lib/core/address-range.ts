/** An IPv4 range in CIDR notation whose address is the first one of the range, as an HCL condition that can fail. */
export function addressRange(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${split("/", ${value})[1]}" == ${value} && can(cidrnetmask(${value}))`;
}

const OCTET = "(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
const RANGE = new RegExp(`^${OCTET}[.]${OCTET}[.]${OCTET}[.]${OCTET}/(0?[0-9]|[12][0-9]|3[0-2])$`);

/** The same for a literal. */
export function isAddressRange(value: string): boolean {
  return endsOf(value) !== undefined;
}

/** First and last address of such a range, in dotted notation; undefined for anything else. */
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

/** The first, or an IPv6 range in its short form, but no IPv4-mapped one. */
export function anyAddressRange(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${tonumber(split("/", ${value})[1])}" == ${value}`;
}

/** The same for a literal; of IPv6, Terraform judges the form. */
export function isAnyAddressRange(value: string): boolean {
  return value.includes(":") || isAddressRange(value);
}
