export const GIBIBYTE = 2 ** 30;

const UNITS: Readonly<Record<string, number>> = {
  m: 0.001,
  "": 1,
  k: 1e3,
  Ki: 2 ** 10,
  M: 1e6,
  Mi: 2 ** 20,
  G: 1e9,
  Gi: GIBIBYTE,
};

/** A quantity as a number, for example `500m` as 0.5. */
export function quantity(text: string): number {
  const [, digits = "", unit = ""] = /^([\d.]+)(\w*)$/.exec(text) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
}
