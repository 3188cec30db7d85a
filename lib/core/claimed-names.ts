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
 * @param kind what the name is of, for example `bucket`, with all that it must be unique in
 * @throws RulesBrokenError naming both constructs when the name is taken
 */
export function claimName(scope: IConstruct, kind: string, name: string): void {
  const owner: IConstruct = Token.isUnresolved(name) ? TerraformStack.of(scope) : scope.node.root;
  const claims = CLAIMS.get(owner) ?? new Map<string, string>();
  CLAIMS.set(owner, claims);

  const claim = String(rendered(scope, `${kind} ${name}`));
  const taken = claims.get(claim);
  if (taken !== undefined) {
    throw new RulesBrokenError(scope.node.path, [
      `${claim} is also created by ${taken}; only one of them can have the name; make the names of one different`,
    ]);
  }
  claims.set(claim, scope.node.path);
}

const CLAIMS = new WeakMap<IConstruct, Map<string, string>>();
