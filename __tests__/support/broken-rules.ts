/** What is thrown at synth when something breaks rules: who does, and each problem on a line of its own. */
export function brokenRules(subject: string, problems: readonly string[]): Error {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new Error([`${subject}: ${count}`, ...problems.map((problem) => `  - ${problem}`)].join("\n"));
}
