import { withNames } from "./checks";

/** Something that is wrong with what was given. */
export interface Problem {
  /** The prop or input with the problem, or a member of one, such as `smtp.port`. */
  readonly path: string;
  /** What is wrong, the rule and the fix, without a full stop. */
  readonly text: string;
  /** Whether nothing was given. */
  readonly isMissing?: boolean;
  /** For an unknown name: the path that was probably meant. */
  readonly meant?: string | undefined;
}

/**
 * A missing value that is required.
 *
 * @param of what the value is; for a member, because its description is no sentence
 * @param messageNameOf what a message calls members
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

/** Texts of problems, without missing inputs that were only misspelt. */
export function textsOf(problems: readonly Problem[]): string[] {
  const meant = new Set(problems.map((problem) => problem.meant));
  return problems.filter(({ isMissing = false, path }) => !isMissing || !meant.has(path)).map(({ text }) => text);
}
