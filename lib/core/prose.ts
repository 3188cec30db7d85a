/**
 * A text that is written over several lines of source: each line break, with the indentation after it, becomes one
 * space. Embedded values are not changed.
 */
export function prose(texts: TemplateStringsArray, ...embedded: readonly unknown[]): string {
  const folded = texts.map((text) => text.replaceAll(/\n\s*/g, " "));
  return String.raw({ raw: folded }, ...embedded).trim();
}
