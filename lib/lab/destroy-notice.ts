import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { isOn, countIf } from "../core/conditional";
import { shellCommand } from "../core/project-apis";
import { addScript } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { addAssessmentLibraries, CLEANUP_SCRIPT } from "./assessment-source";

export interface SurvivorsNoteProps {
  /** Id of the lab, which distinguishes it from other labs that use the source. */
  readonly deploymentId: string;

  /** False if nothing survives. */
  readonly enabled: boolean | IResolvable;

  /** Project of Migration Center. */
  readonly projectId: string;

  /** Region of the assessment data. */
  readonly region: string;

  /** Id of the discovery source. */
  readonly sourceId: string;
}

/**
 * Prints at the end of a destroy how to remove what Migration Center still has; and when the lab moves to
 * another source, project or region, what it leaves in the previous one.
 *
 * Terraform destroys a resource after everything that depends on it, so everything depends on this one. A dependency of
 * the APIs alone would not do, because they may be shared with other labs. Only the random id is destroyed later,
 * because this refers to it; it is not a cloud resource.
 */
export class DestroyNotice extends Construct {
  /**
   * What everything else must depend on, directly or through the APIs that it needs. Data sources that are read at plan
   * must not, or Terraform would read them only at apply.
   */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: SurvivorsNoteProps) {
    super(scope, id);
    const { deploymentId, enabled, projectId, region, sourceId } = props;
    if (enabled === false) {
      this.ready = [];
      return;
    }

    addAssessmentLibraries(this);
    const cleanup = addScript(this, CLEANUP_SCRIPT);
    const note = new TerraformData(this, "AtDestroy", {
      // Kept in the state, because a destroy provisioner can refer to nothing else.
      input: { deployment_id: deploymentId, project_id: projectId, region, source_id: sourceId },
      // An update would run no provisioner, so nothing would report what the lab left in the previous source or place.
      triggersReplace: { project_id: projectId, region, source_id: sourceId },
      provisioners: [
        {
          type: "local-exec",
          when: "destroy",
          // A failing note must not make the destroy fail.
          command: `${shellCommand(cleanup)} --note || true`,
          environment: {
            // States of older releases do not have it.
            DEPLOYMENT_ID: '${try(self.input.deployment_id, "")}',
            PROJECT_ID: "${self.input.project_id}",
            REGION: "${self.input.region}",
            SOURCE_ID: "${self.input.source_id}",
          },
        },
      ],
      count: countIf(isOn(enabled)),
    });
    this.ready = [note];
  }
}
