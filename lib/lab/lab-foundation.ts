import { Id } from "@cdktf/provider-random/lib/id";
import { Fn, TerraformLocal, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { countIfUnset, isOn, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { type Labels } from "../core/labels";
import { ProjectApis } from "../core/project-apis";
import { DEPLOYMENT_ID_BYTES } from "./lab-names";

/** What a lab needs before its first resource. */

/** What the parts of a lab have in common. */
export interface LabContext {
  /** Part of every name. */
  readonly deploymentId: string;

  readonly projectId: string;
  readonly region: string;
  readonly labels: Labels;

  /** Id of the discovery source; known at plan, so that registering it again does not repeat the import. */
  readonly sourceId: string;

  /** Whether Migration Center is used. */
  readonly usesAssessment: boolean | IResolvable;

  /** What must be destroyed after everything else. */
  readonly outlivedBy: ITerraformDependable[];
}

/** The APIs that a lab needs. */
export function labApis(scope: Construct, lab: LabContext, hasBucket: boolean | IResolvable): ProjectApis {
  const { outlivedBy, projectId, region, usesAssessment } = lab;
  const apis = new ProjectApis(scope, "Apis", { apis: ["compute"], projectId, region, dependsOn: outlivedBy });
  apis.enable("storage", isOn(hasBucket));
  // The discovery client creates a service account for itself at sign-in.
  for (const api of ["iam", "migrationcenter"] as const) apis.enable(api, isOn(usesAssessment));
  return apis;
}

/** Part of every name of a lab: the given id, or a random one. */
export function labDeploymentId(scope: Construct, given: string | undefined): string {
  if (given !== undefined && !Token.isUnresolved(given)) return given;
  const random = new Id(scope, "RandomId", {
    byteLength: DEPLOYMENT_ID_BYTES,
    count: given === undefined ? undefined : countIfUnset(given),
  });
  if (given === undefined) return random.hex;
  return new TerraformLocal(scope, "DeploymentId", Fn.coalesce([given, expression(oneAttribute(random, "hex"))]))
    .asString;
}

/** Puts an expression into a local, so that it appears only once in the folder; a literal needs none. */
export function namedValue(scope: Construct, id: string, value: string): string {
  return Token.isUnresolved(value) ? new TerraformLocal(scope, id, value).asString : value;
}
