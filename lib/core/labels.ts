import { Fn, type IResolvable, TerraformLocal, Token } from "cdktf";
import { type Construct } from "constructs";

/** Labels by name, or a token of such a map. */
export type Labels = Record<string, string>;

/** The labels of a whole deployment: its own, and those of the caller, which take precedence; at plan, a local. */
export function commonLabels(scope: Construct, own: Labels, given: IResolvable | Labels = {}): Labels {
  const labels = labelsWith(own, given);
  if (!Token.isUnresolved(given)) return labels;
  return Token.asStringMap(new TerraformLocal(scope, "all_labels", labels).expression);
}

/** Labels and further ones, which take precedence. */
export function labelsWith(labels: Labels = {}, further: IResolvable | Labels): Labels {
  if (Token.isUnresolved(labels) || Token.isUnresolved(further)) return Token.asStringMap(Fn.merge([labels, further]));
  return { ...labels, ...(further as Labels) };
}
