import { type IResolvable, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { conditionOf } from "../core/conditional";
import { ProjectApis } from "../core/project-apis";

export interface LabApisProps {
  readonly projectId: string;

  readonly region: string;

  /** Things that must exist before the first of the services. */
  readonly dependsOn: ITerraformDependable[];

  /** Whether there is a bucket. */
  readonly hasBucket: boolean | IResolvable;

  /** Whether Migration Center is used. */
  readonly usesAssessment: boolean | IResolvable;
}

/** The services that a lab needs. */
export function labApis(scope: Construct, { hasBucket, usesAssessment, ...props }: LabApisProps): ProjectApis {
  const apis = new ProjectApis(scope, "Apis", { ...props, apis: ["compute"] });
  apis.enable("storage", conditionOf(hasBucket));
  // The discovery client creates a service account for itself at sign-in.
  for (const api of ["iam", "migrationcenter"] as const) apis.enable(api, conditionOf(usesAssessment));
  return apis;
}
