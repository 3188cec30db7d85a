import { withNames } from "./rules";

/** A problem of a given value or name. */
export interface Problem {
  /** The prop, input or member with the problem, such as `smtp.port`. */
  readonly path: string;
  /** The problem, the rule and the fix, without a full stop. */
  readonly text: string;
  /** Whether the value is missing. */
  readonly isMissing?: boolean;
  /** For an unknown name: the path that was probably meant. */
  readonly meant?: string | undefined;
}

/**
 * A missing value that is required.
 *
 * @param of describes a member, because the description in a member's row is not a sentence
 * @param messageNameOf returns the name of a member in messages
 */
export function missing(
  path: string,
  of?: { readonly description: string; readonly members?: object },
  messageNameOf: (name: string) => string = String,
): Problem {
  const { description = "", members = {} } = of ?? {};
  const meaning = of === undefined ? "" : `: ${withNames(description, Object.keys(members), messageNameOf)}`;
  return { path, text: `${path} is missing; it has no default; set it${meaning}`, isMissing: true };
}

/** Whether one of some problems is about a member of an input. */
export function isWrongInside(problems: readonly Problem[], input: string): boolean {
  return problems.some(({ path }) => path.startsWith(`${input}.`));
}

/** Texts of problems; an input that was only misspelt is not reported as missing too. */
export function textsOf(problems: readonly Problem[]): string[] {
  const meant = new Set(problems.map((problem) => problem.meant));
  return problems.filter(({ isMissing = false, path }) => !isMissing || !meant.has(path)).map(({ text }) => text);
}
