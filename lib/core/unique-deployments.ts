import { TerraformStack, Token } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { rendered } from "./expr/locals";
import { RulesBrokenError } from "./inputs/rules-broken-error";
import { prose } from "./prose";

/** Paths of the deployments of each app, by the parts of their names. */
const DEPLOYMENTS = new WeakMap<IConstruct, Map<string, string>>();

/** Components of a deployment's names. */
interface Named {
  readonly applicationName?: string | undefined;
  readonly projectId?: string | undefined;
  readonly tenantId?: string | undefined;
}

/** @throws RulesBrokenError if another deployment of the app would have the same names */
export function refuseSameDeployment(scope: Construct, { applicationName, projectId, tenantId }: Named): void {
  const names = JSON.stringify(rendered(scope, [projectId, tenantId, applicationName]));
  // A variable or a resource of another stack may have the same address but a different value.
  const key = Token.isUnresolved([projectId, tenantId, applicationName].join("/"))
    ? `${TerraformStack.of(scope).node.path} ${names}`
    : names;
  const deployments = DEPLOYMENTS.get(scope.node.root) ?? new Map<string, string>();
  const same = deployments.get(key);
  DEPLOYMENTS.set(scope.node.root, deployments.set(key, same ?? scope.node.path));
  if (same === undefined) return;
  throw new RulesBrokenError(scope.node.path, [
    prose`
      projectId, tenantId and applicationName are those of ${same}; one of them must differ,
      because all names consist of them, and the apply would end at the first one that exists; give it
      a tenantId or an applicationName of its own
    `,
  ]);
}
