import { Fn, type IResolvable, TerraformLocal, Token } from "cdktf";
import { type Construct } from "constructs";

/** Labels by name, or a token of such a map. */
export type Labels = Record<string, string>;

/**
 * The labels of a whole deployment: the deployment's own, and the labels of the caller, which take precedence. A local
 * if only the plan knows them.
 */
export function commonLabels(scope: Construct, own: Labels, given: IResolvable | Labels = {}): Labels {
  const labels = labelsWith(own, given);
  if (!Token.isUnresolved(given)) return labels;
  return Token.asStringMap(new TerraformLocal(scope, "all_labels", labels).expression);
}

/** Labels merged with further labels; the further ones take precedence. */
export function labelsWith(labels: Labels = {}, further: IResolvable | Labels): Labels {
  if (Token.isUnresolved(labels) || Token.isUnresolved(further)) return Token.asStringMap(Fn.merge([labels, further]));
  return { ...labels, ...(further as Labels) };
}
