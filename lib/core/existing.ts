import { type IResolvable, TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { elementNamePart } from "./element-names";
import { conditionFrom, isAlways, isNever, not } from "./expr/conditions";
import { allOf, anyOf, type Expr, exprOf } from "./expr/expr";
import { choice } from "./inputs/rows";
import { prose } from "./prose";

/** Fate of the deployment's own part while an existing one is given. */
export type OwnPart = "deleted" | "kept" | "used";

const OWN_PARTS = { deleted: "deleted", kept: "kept", used: "used" } as const satisfies Record<OwnPart, OwnPart>;

/**
 * A part that is managed elsewhere. Its attributes are null at plan if the part is not given. Nothing is looked up.
 */
export interface Existing {
  /**
   * Whether the existing part is given.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /**
   * Fate of the deployment's own part: `deleted`, or never created; `kept` beside the existing one; `used` again, while
   * the existing one keeps its grants.
   *
   * @default "deleted"
   */
  readonly own?: OwnPart | (string & {});
}

/** Input for a deployment that changes from its own parts to existing ones, or back. */
export const OWN_PARTS_INPUT = {
  /**
   * Fate of the deployment's own parts that have an existing replacement: `deleted`, the default; `kept`, for an apply
   * that changes to an existing part without an outage; `used` again, before the existing part is removed from the
   * settings.
   */
  ownParts: choice(Object.values(OWN_PARTS), {
    default: OWN_PARTS.deleted,
    description: prose`
      What becomes of the deployment's own parts, for which there are existing ones: deleted,
      or never created; kept beside them; used instead of them. To take in an existing part later without an
      outage, apply it with kept, then with deleted. To give it back, apply used, then remove it.
    `,
    fix: "use kept, which deletes nothing",
  }),
};

/** Whether an existing part is given. */
export function isExisting(existing: Existing | undefined): Expr<boolean> {
  return conditionFrom(existing !== undefined && (existing.enabled ?? true));
}

/** Whether the deployment uses the existing part. */
export function isExistingUsed(existing: Existing | undefined): Expr<boolean> {
  return allOf(isExisting(existing), ownOf(existing).ne(OWN_PARTS.used));
}

/** Whether the deployment creates its own part. */
export function isMade(existing: Existing | undefined): Expr<boolean> {
  return anyOf(not(isExisting(existing)), ownOf(existing).ne(OWN_PARTS.deleted));
}

const ownOf = (existing: Existing | undefined) => exprOf<string>(existing?.own ?? OWN_PARTS.deleted);

/** An attribute of the existing part or of the deployment's own; a local, if only the plan can choose. */
export function existingOr(
  scope: Construct,
  id: string,
  existing: Existing | undefined,
  attribute: string | undefined,
  made: string,
): string {
  const isUsed = isExistingUsed(existing);
  if (isNever(isUsed) || attribute === undefined) return made;
  if (isAlways(isUsed)) return attribute;
  return new TerraformLocal(scope, id, isUsed.choose(attribute, made)).asString;
}

/**
 * All attributes of the existing part or of the deployment's own, in locals named after the attributes.
 *
 * @param existingAttributes attributes of the existing part; undefined if there is none
 * @param made attributes of the deployment's own part
 */
export function eitherOf<Read extends object>(
  scope: Construct,
  existing: Existing | undefined,
  existingAttributes: Partial<Read> | undefined,
  made: Read,
): Read {
  if (existingAttributes === undefined) return made;
  const chosen = Object.entries<string>(made as Record<string, string>).map(([attribute, own]) => {
    const name = elementNamePart(attribute);
    return [
      attribute,
      existingOr(scope, name, existing, existingAttributes[attribute as keyof Read] as string | undefined, own),
    ];
  });
  return Object.fromEntries(chosen) as Read;
}
