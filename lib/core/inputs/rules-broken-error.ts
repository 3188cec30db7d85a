/** All rules that a construct's props break, in one error that names the construct. */
export class RulesBrokenError extends Error {
  constructor(
    /** Path of the construct in its tree, or name of the setting as its author wrote it. */
    readonly subject: string,
    /** Each problem, as a sentence. */
    readonly failures: readonly string[],
    /** Warnings as sentences, printed below the problems. */
    doubts: readonly string[] = [],
  ) {
    super(
      [
        `${subject}: ${failures.length === 1 ? "1 problem" : `${failures.length} problems`}`,
        ...failures.map((failure) => `  - ${failure}`),
        ...doubts.map((doubt) => `warning: ${doubt}`),
      ].join("\n"),
    );
    this.name = "RulesBrokenError";
    // Node prints the enumerable properties of an uncaught error, which would repeat the message.
    for (const property of ["name", "subject", "failures"])
      Object.defineProperty(this, property, { enumerable: false });
    this.stack = [this.toString(), ...callersOf(this)].join("\n");
  }
}

/** Lines of the stack trace in the user's own program; those of packages and of Node say nothing about the props. */
function callersOf({ stack = "" }: Error): string[] {
  return stack
    .split("\n")
    .filter((line) => /^ {4}at /.test(line) && !/[\\/]node_modules[\\/]|node:internal/.test(line));
}
