import { TerraformLocal, type IResolvable } from "cdktf";
import { type Construct } from "constructs";

import { conditionFrom, not, isAlways, isNever } from "./expr/conditional";
import { choice } from "./inputs/rows";
import { elementNamePart } from "./element-names";
import { allOf, anyOf, exprOf, type Expr } from "./expr/expr";

/** What becomes of a part of the deployment for which there is an existing one. */
export type OwnPart = "deleted" | "kept" | "used";

const OWN_PARTS = { deleted: "deleted", kept: "kept", used: "used" } as const satisfies Record<OwnPart, OwnPart>;

/**
 * A part that is managed elsewhere: its attributes, which are null at plan where it is not given. Nothing is looked up.
 */
export interface Existing {
  /**
   * Whether there is one.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /**
   * What becomes of the one that is created otherwise: `deleted`, or never created; `kept` beside the existing one;
   * `used` again, while the existing one keeps its grants.
   *
   * @default "deleted"
   */
  readonly own?: OwnPart | (string & {});
}

/** Input for the time in which a deployment takes in existing parts, or gives them back. */
export const OWN_PARTS_INPUT = {
  /**
   * What becomes of the deployment's own parts, for which there are existing ones: `deleted`, the default; `kept`, for
   * an apply that takes an existing part in without an outage; `used` again, before an existing part is given back.
   */
  ownParts: choice(Object.values(OWN_PARTS), {
    default: OWN_PARTS.deleted,
    description: [
      "What becomes of the deployment's own parts, for which there are existing ones: deleted,",
      "or never created; kept beside them; used instead of them. To take in an existing part later without an",
      "outage, apply it with kept, then with deleted. To give it back, apply used, then remove it.",
    ].join(" "),
    because: "nothing else can become of them",
    fix: "use kept, which deletes nothing",
  }),
};

/** Whether there is such a part. */
export function isExisting(existing: Existing | undefined): Expr<boolean> {
  return conditionFrom(existing !== undefined && (existing.enabled ?? true));
}

/** Whether it is used. */
export function isExistingUsed(existing: Existing | undefined): Expr<boolean> {
  return allOf(isExisting(existing), ownOf(existing).ne(OWN_PARTS.used));
}

/** Whether a part is made here. */
export function isMade(existing: Existing | undefined): Expr<boolean> {
  return anyOf(not(isExisting(existing)), ownOf(existing).ne(OWN_PARTS.deleted));
}

const ownOf = (existing: Existing | undefined) => exprOf<string>(existing?.own ?? OWN_PARTS.deleted);

/** An attribute of the existing part, or of the one made here: the one place where it is chosen, at plan by a local. */
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
 * All that is read of a part, each the own or the existing one, in locals that have the names of the attributes.
 *
 * @param theirs of the existing part; undefined where there is none
 */
export function eitherOf<Read extends object>(
  scope: Construct,
  existing: Existing | undefined,
  theirs: Partial<Read> | undefined,
  made: Read,
): Read {
  if (theirs === undefined) return made;
  const chosen = Object.entries<string>(made as Record<string, string>).map(([attribute, own]) => {
    const name = elementNamePart(attribute);
    return [attribute, existingOr(scope, name, existing, theirs[attribute as keyof Read] as string | undefined, own)];
  });
  return Object.fromEntries(chosen) as Read;
}
