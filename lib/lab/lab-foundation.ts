import { Id } from "@cdktf/provider-random/lib/id";
import { Fn, type IResolvable, type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { type Construct } from "constructs";

import { attributeOf } from "../core/expr/attributes";
import { countIf, isUnset } from "../core/expr/conditions";
import { expression } from "../core/expr/terraform-text";
import { type Labels } from "../core/labels";
import { ProjectApis } from "../core/project-apis";
import { prose } from "../core/prose";
import { TerraformData } from "../core/terraform-data";
import { DEPLOYMENT_ID_BYTES } from "./lab-names";

/** Context that the parts of a lab share. */
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
  /** Dependencies that must be destroyed after everything else. */
  readonly outlivedBy: ITerraformDependable[];
}

/** Context of a lab, and dependencies of the first resource of a part, such as the gate of an API. */
export interface LabPartProps extends LabContext {
  readonly dependsOn: ITerraformDependable[];
}

/**
 * Prints at the end of a destroy how to remove what Migration Center still has; and when the lab moves to another
 * source, project or region, what it leaves in the previous one.
 *
 * Terraform destroys a resource after everything that depends on it, so everything must depend on what is returned
 * here. Data sources that are read at plan must not, or Terraform would read them only at apply. A dependency of the
 * APIs alone would not do, because they may be shared with other labs.
 */
export function addDestroyNotice(
  scope: Construct,
  { deploymentId, projectId, region, sourceId, usesAssessment }: Omit<LabContext, "labels" | "outlivedBy">,
): ITerraformDependable[] {
  if (usesAssessment === false) return [];
  const place = { project_id: projectId, region, source_id: sourceId };
  return [
    new TerraformData(scope, "SurvivorsAtDestroy", {
      // Kept in the state, because a destroy provisioner can refer to nothing else.
      input: { deployment_id: deploymentId, ...place },
      // An update would run no provisioner, so nothing would report what the lab left in the previous source or place.
      triggersReplace: place,
      provisioners: [
        {
          type: "local-exec",
          when: "destroy",
          command: prose`
            echo "The assessment service keeps what was not made by Terraform in project $PROJECT_ID,
            region $REGION: the discovery source $SOURCE_ID, which other labs may use too,
            its import jobs and assets, and groups, preference sets and reports. To remove them:
            PROJECT_ID=$PROJECT_ID REGION=$REGION SOURCE_ID=$SOURCE_ID DEPLOYMENT_ID=$DEPLOYMENT_ID sh '$SCRIPT'"
          `,
          environment: {
            // States of older releases do not have this value.
            DEPLOYMENT_ID: '${try(self.input.deployment_id, "")}',
            PROJECT_ID: "${self.input.project_id}",
            REGION: "${self.input.region}",
            SCRIPT: expression('abspath("${path.module}/scripts/assessment-cleanup.sh")'),
            SOURCE_ID: "${self.input.source_id}",
          },
        },
      ],
      count: countIf(usesAssessment),
    }),
  ];
}

export function addLabApis(scope: Construct, lab: LabContext, hasBucket: boolean | IResolvable): ProjectApis {
  const { outlivedBy, projectId, region, usesAssessment } = lab;
  const apis = new ProjectApis(scope, "Apis", { apis: ["compute"], projectId, region, dependsOn: outlivedBy });
  apis.enable("storage", hasBucket);
  // The discovery client creates a service account for itself at sign-in.
  for (const api of ["iam", "migrationcenter"] as const) apis.enable(api, usesAssessment);
  return apis;
}

/** Part of every name of a lab: the given id, or a random one. */
export function addDeploymentId(scope: Construct, given: string | undefined): string {
  if (given !== undefined && !Token.isUnresolved(given)) return given;
  const random = new Id(scope, "RandomId", { byteLength: DEPLOYMENT_ID_BYTES, count: countIf(isUnset(given)) });
  if (given === undefined) return random.hex;
  const ids = [given, attributeOf(random, "hex").text];
  return new TerraformLocal(scope, "DeploymentId", Fn.coalesce(ids)).asString;
}
