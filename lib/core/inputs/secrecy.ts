import { type Input } from "./rows";
import { isItemRule, type ItemRule, type Rule } from "./rules";

/** Whether the value of an input must not appear in a folder, a plan or a message. */
export function isSecret({ ephemeral, sensitive }: Pick<Input, "ephemeral" | "sensitive">): boolean {
  return ephemeral === true || sensitive === true;
}

/** Whether the message of a rule leaves out the value that breaks it. */
export function isHiddenFromRule(row: Input, rule: Rule | ItemRule): boolean {
  return isSecret(row) || (!isItemRule(rule) && rule.hides === true);
}

/** Whether a message about a wrong type leaves out the value; a map or an object may hold a secret. */
export function isHiddenFromType(row: Input): boolean {
  const isHidden = [row.must ?? []].flat().some((rule) => isHiddenFromRule(row, rule));
  return isSecret(row) || /^(?:map|object)[(]/.test(row.type) || isHidden;
}
