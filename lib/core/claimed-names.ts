import { TerraformStack, Token } from "cdktf";
import { type IConstruct } from "constructs";

import { rendered } from "./expression";
import { RulesBrokenError } from "./rules";

/**
 * Claims a name that only one construct may give to a resource, and refuses a second claim at synth. Otherwise the
 * apply would fail halfway, or two constructs would fight over one resource.
 *
 * A literal is claimed in the whole app; a name known only to Terraform is claimed in its stack, because other stacks
 * have other inputs.
 *
 * @param kind kind of resource, for example `bucket`, and the project if names are unique per project
 * @param within object in which the name must be unique: a cluster or a namespace
 * @throws RulesBrokenError naming both constructs if the name is taken
 */
export function claimName(scope: IConstruct, kind: string, name: string, within?: object): void {
  const text = `${kind} ${name}`;
  const owner = within ?? (Token.isUnresolved(text) ? TerraformStack.of(scope) : scope.node.root);
  const claims = claimsOf(scope.node.root, owner);

  const claim = String(rendered(scope, text));
  const taken = claims.get(claim);
  if (taken !== undefined) {
    throw new RulesBrokenError(scope.node.path, [
      `${claim} is also created by ${taken}; a name can exist only once; rename one of them, for example by its tenant id, application name, deployment id or client name`,
    ]);
  }
  claims.set(claim, scope.node.path);
}

/** Construct paths by claim. */
type Claims = Map<string, string>;

/** Keyed by app, because a part that creates no resources may be used in several apps. */
const CLAIMS = new WeakMap<IConstruct, WeakMap<object, Claims>>();

function claimsOf(app: IConstruct, owner: object): Claims {
  const ofApp = CLAIMS.get(app) ?? new WeakMap<object, Claims>();
  CLAIMS.set(app, ofApp);
  const ofOwner = ofApp.get(owner) ?? new Map<string, string>();
  ofApp.set(owner, ofOwner);
  return ofOwner;
}
