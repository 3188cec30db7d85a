import { type TerraformStack } from "cdktf";

import { type Input } from "./rows";
import { terraformName } from "./rules";

/** Terraform address of a value: of a variable, of a local, or of a member of either. */
export class Address {
  /** Whether this is the address of a member of an object. */
  readonly isOfMember: boolean = false;

  /**
   * @param path address of a variable or a local; a local is created by the first call
   * @param stack undefined if the address is never used
   * @param isFilled whether the value is an object that is never null and has all members, filled in by Terraform
   */
  constructor(
    protected readonly path: () => string,
    readonly stack?: TerraformStack,
    protected readonly isFilled = false,
  ) {}

  get text(): string {
    return this.path();
  }

  /** Creates the local, if the address belongs to one. */
  prepare(): void {
    this.path();
  }

  /** Address of a member. */
  of(member: string, row: Input): Address {
    const path = () => `${this.path()}.${terraformName(member)}`;
    const isFilledToo = this.isFilled && row.default !== undefined && isNeverNull(row);
    return new MemberAddress(path, this.stack, isFilledToo, this.isFilled ? undefined : { value: row.default ?? null });
  }
}

/** The address of a member, with the member's default as fallback if the object may be null. */
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

  /** Contains a `try`, because Terraform evaluates the message even if the rule holds. */
  override get text(): string {
    const { otherwise } = this;
    return otherwise === undefined ? super.text : `try(${super.text}, ${JSON.stringify(otherwise.value)})`;
  }
}

/** Whether a variable or a member of this row is never null. */
export function isNeverNull({ default: fallback, nullable = false }: Input): boolean {
  return fallback !== null && !nullable;
}
