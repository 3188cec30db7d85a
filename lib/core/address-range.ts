/** An IPv4 range in CIDR notation whose address is the first one of the range, as an HCL condition that can fail. */
export function addressRange(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${split("/", ${value})[1]}" == ${value} && can(cidrnetmask(${value}))`;
}

/** The same, or an IPv6 range in its short form, but no IPv4-mapped one. */
export function anyAddressRange(value: string): string {
  return `"\${cidrhost(${value}, 0)}/\${tonumber(split("/", ${value})[1])}" == ${value}`;
}
