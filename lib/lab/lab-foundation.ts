import { Id } from "@cdktf/provider-random/lib/id";
import { Fn, TerraformLocal, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { countIfUnset, isOn, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { ProjectApis } from "../core/project-apis";
import { DEPLOYMENT_ID_BYTES } from "./lab-names";

/** What a lab needs before its first resource. */

interface LabApisProps {
  /** Project in which they are enabled. */
  readonly projectId: string;

  /** Region for the gates' test calls. */
  readonly region: string;

  /** What must exist before the first API is enabled. */
  readonly dependsOn: ITerraformDependable[];

  /** Whether there is a bucket. */
  readonly hasBucket: boolean | IResolvable;

  /** Whether Migration Center is used. */
  readonly usesAssessment: boolean | IResolvable;
}

/** The APIs that a lab needs. */
export function labApis(scope: Construct, { hasBucket, usesAssessment, ...props }: LabApisProps): ProjectApis {
  const apis = new ProjectApis(scope, "Apis", { ...props, apis: ["compute"] });
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
