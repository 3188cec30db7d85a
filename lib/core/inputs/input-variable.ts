import { TerraformVariable, type TerraformVariableConfig } from "cdktf";
import { type Construct } from "constructs";

export interface InputVariableProps extends Omit<TerraformVariableConfig, "default" | "description" | "type"> {
  readonly description: string;
  /** `null` means "not given"; without a default, the input is required. */
  readonly default?: unknown;
  /** Keeps the value out of the state and of saved plans. Such a value can only be used in write-only arguments. */
  readonly ephemeral?: boolean;
  readonly type: string;
}

/**
 * A root-module variable, named exactly as its id in any scope. Supports what the framework's class does not: a null
 * default and `ephemeral`.
 */
export class InputVariable extends TerraformVariable {
  constructor(scope: Construct, id: string, props: InputVariableProps) {
    const { default: defaultValue, ephemeral, ...config } = props;
    // Without `nullable: false` an explicit null would reach places that rely on the default.
    super(scope, id, { nullable: defaultValue === null ? undefined : false, ...config });
    this.overrideLogicalId(id);
    // Written as an override, because the framework's property fails on null and rewrites the keys of maps.
    if (defaultValue !== undefined) this.addOverride("default", defaultValue);
    if (ephemeral === true) this.addOverride("ephemeral", true);
  }
}
