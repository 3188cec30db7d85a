/** How a release differs from the one before, for programs that use the package. */
export type Change = "none" | "added" | "broken";

/** Reports of what can be imported from the package, by the name of their entry. */
export type Reports = Readonly<Record<string, string>>;

/** What the change of the reports means for a program that compiled with the former ones. */
export function surfaceChange(before: Reports, now: Reports): Change {
  const [former, present] = [before, now].map((reports) => Object.entries(reports).flatMap(declarationsIn));
  const removed = without(former ?? [], present ?? []);
  const added = without(present ?? [], former ?? []);
  // A program must give a prop that has become necessary, or that is new and necessary.
  if (removed.length > 0 || added.some(isRequiredProp)) return "broken";
  return added.length > 0 ? "added" : "none";
}

/**
 * The lowest version that tells programs of a change: by semantic versioning, below 1.0.0 with the caret's rule, by
 * which the second number is the one that may break.
 *
 * @param former version of the last release, three numbers
 */
export function neededVersion(former: string, change: Change): string {
  const [major = 0, minor = 0, patch = 0] = former.split(".").map(Number);
  if (change === "broken") return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`;
  if (change === "added" && major > 0) return `${major}.${minor + 1}.0`;
  return `${major}.${minor}.${patch + 1}`;
}

/** Whether one version is lower than another, both of three numbers. */
export function isLower(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) < 0;
}

/** Lines of a report that declare something, each with the declaration around it. */
function declarationsIn([entry, report]: readonly [entry: string, report: string]): string[] {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(report) ?? [];
  let around = "";
  return code.split("\n").flatMap((line) => {
    if (line.startsWith("export")) around = line.replace(/ \{$/, "");
    // An import tells nothing that the declarations do not, and a comment nothing to the compiler.
    if (line.trim() === "" || /^(import |\/\/|\}|\s+\/\/)/.test(line)) return [];
    return [line === around ? `${entry}: ${line}` : `${entry}: ${around}: ${line.trim()}`];
  });
}

/** Lines that the others have not, as often as they are there. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** A member without a question mark of an interface, which may be one that programs fill in. */
const isRequiredProp = (line: string): boolean => /: export interface \w+\b[^:]*: readonly \w+: /.test(line);
