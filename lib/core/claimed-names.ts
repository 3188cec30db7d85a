import { TerraformStack, Token } from "cdktf";
import { type IConstruct } from "constructs";

import { rendered } from "./expression";
import { RulesBrokenError } from "./rules";

/**
 * Claims a name that only one construct may give to something real, and refuses a second one at synth: the platform would
 * refuse it in the middle of an apply, or two constructs would fight over one thing.
 *
 * A literal is claimed in the whole app; a name that only Terraform knows in its stack, because other stacks have other
 * inputs.
 *
 * @param kind what the name is of, for example `bucket`, with the project that it must be unique in
 * @param within what it must be unique in, where that is an object: a cluster, a namespace, a stack whose provider decides
 * the project
 * @throws RulesBrokenError naming both constructs when the name is taken
 */
export function claimName(scope: IConstruct, kind: string, name: string, within?: object): void {
  const text = `${kind} ${name}`;
  const owner = within ?? (Token.isUnresolved(text) ? TerraformStack.of(scope) : scope.node.root);
  const claims = claimsOf(scope.node.root, owner);

  const claim = String(rendered(scope, text));
  const taken = claims.get(claim);
  if (taken !== undefined) {
    throw new RulesBrokenError(scope.node.path, [
      `${claim} is also created by ${taken}; only one of them can have the name; make the names of one different`,
    ]);
  }
  claims.set(claim, scope.node.path);
}

/** Paths of claimants by what they claim. */
type Claims = Map<string, string>;

/** By app, because a part that creates nothing may serve several. */
const CLAIMS = new WeakMap<IConstruct, WeakMap<object, Claims>>();

function claimsOf(app: IConstruct, owner: object): Claims {
  const ofApp = CLAIMS.get(app) ?? new WeakMap<object, Claims>();
  CLAIMS.set(app, ofApp);
  const ofOwner = ofApp.get(owner) ?? new Map<string, string>();
  ofApp.set(owner, ofOwner);
  return ofOwner;
}
