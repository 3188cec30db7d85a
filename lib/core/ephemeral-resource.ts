import { dependable, TerraformElement, Token, ref, type ITerraformDependable, type TerraformCount } from "cdktf";
import { type Construct } from "constructs";

import { expression } from "./expression";
import { requireProvider, type ProviderName } from "./provider-requirements";

export interface EphemeralResourceProps {
  readonly type: string;
  readonly provider: ProviderName;
  /** Arguments under their Terraform names. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 or 1, known at plan. */
  readonly count?: TerraformCount;
  readonly dependsOn?: ITerraformDependable[];
  /** Expression of a map, to open the resource once for each element; `each` in the arguments is the element. */
  readonly forEach?: string;
}

/**
 * An `ephemeral` block: opened anew in every run, never stored in the state or a saved plan.
 *
 * Its attributes may only feed write-only arguments, provider configuration and other ephemeral values. Terraform opens
 * it at apply if an argument is unknown at plan.
 */
export class EphemeralResource extends TerraformElement {
  private readonly props: EphemeralResourceProps;

  constructor(scope: Construct, id: string, props: EphemeralResourceProps) {
    super(scope, id, `ephemeral.${props.type}`);
    requireProvider(this, props.provider);
    this.props = props;
  }

  /** Reference to one string attribute of the opened resource; empty if its count is 0. */
  stringAttribute(name: string): string {
    if (this.props.count !== undefined) return expression(`try(${this.address}[0].${name}, "")`);
    return Token.asString(ref(`${this.address}.${name}`, this.cdktfStack));
  }

  /** Reference to one string attribute of each opened resource, under the key of its element. */
  stringAttributes(name: string): string {
    return expression(`{ for key, opened in ${this.address} : key => opened.${name} }`);
  }

  override toTerraform(): unknown {
    const { attributes, count, dependsOn = [], forEach, type } = this.props;
    const repetition = { count: count?.toTerraform(), for_each: forEach };
    const dependencies = dependsOn.length === 0 ? {} : { depends_on: dependsOn.map((part) => dependable(part)) };
    return { ephemeral: { [type]: { [this.friendlyUniqueId]: { ...repetition, ...attributes, ...dependencies } } } };
  }

  private get address(): string {
    return `ephemeral.${this.props.type}.${this.friendlyUniqueId}`;
  }
}
