import { type ITerraformDependable, ref, type TerraformCount, TerraformResource, Token } from "cdktf";
import { type Construct } from "constructs";

import { attributeOr, repeatFor } from "../expr/attributes";
import { expression } from "../expr/terraform-text";
import { type ProviderName, requireProvider } from "../provider-requirements";

/** An ephemeral resource of any provider, for which the framework has no class. */
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
 * The attributes may only feed write-only arguments, provider configuration and other ephemeral values. Terraform opens
 * the resource at apply if an argument is unknown at plan. Aspects see it as a resource of its type, with a `provider`.
 */
export class EphemeralResource extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: EphemeralResourceProps,
  ) {
    const { count, dependsOn, forEach, provider, type } = props;
    super(scope, id, {
      count,
      dependsOn,
      terraformResourceType: type,
      // The provider random works without a configuration, so the stack need not contain one.
      ...(provider !== "random" && { terraformGeneratorMetadata: { providerName: provider } }),
    });
    requireProvider(this, provider);
    if (forEach !== undefined) repeatFor(this, forEach);
  }

  override get fqn(): string {
    return Token.asString(ref(this.address, this.cdktfStack));
  }

  /** Reference to one string attribute of the opened resource; empty if its count is 0. */
  stringAttribute(name: string): string {
    return attributeOr(this, name, "").text;
  }

  /** Reference to one string attribute of each opened resource, under the key of its element. */
  stringAttributes(name: string): string {
    return expression(`{ for key, opened in ${this.address} : key => opened.${name} }`);
  }

  override toTerraform(): unknown {
    const { resource } = super.toTerraform() as { readonly resource: Readonly<Record<string, unknown>> };
    return { ephemeral: { [this.props.type]: resource[this.terraformResourceType] } };
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { ...this.props.attributes };
  }

  private get address(): string {
    return `ephemeral.${this.terraformResourceType}.${this.friendlyUniqueId}`;
  }
}
