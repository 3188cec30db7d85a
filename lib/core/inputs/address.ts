import { type TerraformStack } from "cdktf";

import { terraformName } from "./checks";
import { type Input } from "./rows";

/** Where Terraform has a value: in a variable, in a local, or in a member of one. */
export class Address {
  /** Whether it is that of a member of an object. */
  readonly isOfMember: boolean = false;

  /**
   * @param path of a variable or a local; a local exists once something asks for it
   * @param stack undefined where the address is never used
   * @param isFilled whether it has an object that is never null, with all members, because Terraform fills them in
   */
  constructor(
    protected readonly path: () => string,
    readonly stack?: TerraformStack,
    protected readonly isFilled = false,
  ) {}

  get text(): string {
    return this.path();
  }

  /** Makes the local, if the address is that of one. */
  prepare(): void {
    this.path();
  }

  /** That of a member. */
  of(member: string, row: Input): Address {
    const path = () => `${this.path()}.${terraformName(member)}`;
    const isFilledToo = this.isFilled && row.default !== undefined && isNeverNull(row);
    return new MemberAddress(path, this.stack, isFilledToo, this.isFilled ? undefined : { value: row.default ?? null });
  }
}

/** The address of a member, with its default where there may be no object to have it. */
class MemberAddress extends Address {
  override readonly isOfMember = true;

  constructor(
    path: () => string,
    stack: TerraformStack | undefined,
    isFilled: boolean,
    private readonly otherwise: { readonly value: unknown } | undefined,
  ) {
    super(path, stack, isFilled);
  }

  /** Terraform evaluates the message of a rule that holds too. */
  override get text(): string {
    const { otherwise } = this;
    return otherwise === undefined ? super.text : `try(${super.text}, ${JSON.stringify(otherwise.value)})`;
  }
}

/** Whether a variable or a member of this row is never null. */
export function isNeverNull({ default: fallback, nullable = false }: Input): boolean {
  return fallback !== null && !nullable;
}
