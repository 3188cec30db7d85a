/**
 * A text of one or several sentences that is written over several lines: each line break, with the indentation after
 * it, becomes one space. What is embedded stays as it is.
 */
export function prose(texts: TemplateStringsArray, ...embedded: readonly unknown[]): string {
  const folded = texts.map((text) => text.replaceAll(/\n\s*/g, " "));
  return String.raw({ raw: folded }, ...embedded).trim();
}
