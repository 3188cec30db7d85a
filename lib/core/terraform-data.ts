import { ref, type TerraformMetaArguments, TerraformResource, Token } from "cdktf";
import { type Construct } from "constructs";

export interface TerraformDataProps extends TerraformMetaArguments {
  /** Values to keep in the state; changing them updates this resource. */
  readonly input?: Readonly<Record<string, string>>;
  /** Values that replace this resource when they change, so that its provisioners run again. */
  readonly triggersReplace?: Readonly<Record<string, string>>;
}

/**
 * Terraform's built-in `terraform_data`: a resource that manages nothing itself, for triggers and provisioners.
 *
 * The framework's class runs `terraform` during synthesis to get its version, once per resource, and fails on a machine
 * without it.
 */
export class TerraformData extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: TerraformDataProps,
  ) {
    super(scope, id, {
      terraformResourceType: "terraform_data",
      terraformGeneratorMetadata: { providerName: "terraform" },
      ...props,
    });
  }

  /** The values of `triggersReplace`, as an expression; null if the resource does not exist. */
  get values(): string {
    const itself = `terraform_data.${this.friendlyUniqueId}`;
    const values = this.props.count === undefined ? `${itself}.triggers_replace` : `one(${itself}[*].triggers_replace)`;
    return Token.asString(ref(values, this.cdktfStack));
  }

  /** The values in the state, as an expression without `${}`; the resource must always exist. */
  get outputExpression(): string {
    return `terraform_data.${this.friendlyUniqueId}.output`;
  }

  protected override synthesizeAttributes(): Record<string, unknown> {
    return { input: this.props.input, triggers_replace: this.props.triggersReplace };
  }
}
