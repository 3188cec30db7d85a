/** An object with the same names and with each value converted. */
export function mapped<From, To>(
  from: Readonly<Record<string, From>>,
  convert: (name: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, convert(name, value)]));
}
