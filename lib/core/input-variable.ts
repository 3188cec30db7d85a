import { TerraformVariable, type TerraformVariableConfig } from "cdktf";
import { type Construct } from "constructs";

import { requireProps } from "./rules";

export interface InputVariableProps extends Omit<TerraformVariableConfig, "default" | "description" | "type"> {
  /** What it is, its unit or limits, and the consequence of changing it later. */
  readonly description: string;

  /** Value when the caller gives none; `null` for "nothing given". Absent makes the input required. */
  readonly default?: unknown;

  /**
   * Keeps the value out of the state and of saved plans. It may then only feed write-only arguments.
   *
   * @default false
   */
  readonly ephemeral?: boolean;

  /** Terraform type expression, for example `map(string)`. */
  readonly type: string;
}

/**
 * A variable of a root module, under exactly its id whatever its scope, with what the framework's own class cannot say: a
 * null default and `ephemeral`.
 */
export class InputVariable extends TerraformVariable {
  constructor(scope: Construct, id: string, props: InputVariableProps) {
    requireProps(`${scope.node.path}/${id}`, props, { description: true, type: true });
    const { default: defaultValue, ephemeral, ...config } = props;
    // Without `nullable: false` an explicit null would reach places that rely on the default.
    super(scope, id, { nullable: defaultValue === null ? undefined : false, ...config });
    this.overrideLogicalId(id);
    // An override, because the framework's own property fails on null and rewrites the keys of maps.
    if (defaultValue !== undefined) this.addOverride("default", defaultValue);
    if (ephemeral === true) this.addOverride("ephemeral", true);
  }
}
