/*
 * Numbers in English notation. `Intl` does the same, but its first number takes longer than synthesizing a hundred
 * resources.
 */

/**
 * A number with the given decimal places, rounded half up, and with commas between groups of three digits.
 *
 * @param number not negative, and of at most 15 digits with these places
 */
export function decimal(number: number, places: number): string {
  const [whole = "", fraction] = rounded(number, places).toFixed(places).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** The same number without trailing zeros of the fraction. */
export function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Rounds as people expect: 1.005 is stored as a little less, and would become 1.00. */
function rounded(number: number, places: number): number {
  const [digits = "", exponent = "0"] = String(number).split("e");
  return Math.round(Number(`${digits}e${Number(exponent) + places}`)) / 10 ** places;
}
