import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countIf } from "../core/conditional";
import { shellCommand } from "../core/project-apis";
import { addScript } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { addAssessmentLibraries } from "./assessment-source";

export interface SurvivorsNoteProps {
  /** Suffix of the lab's names, by which it is told from other labs that use the source. */
  readonly deploymentId: string;

  /** False when there is nothing that survives. */
  readonly enabled: boolean | IResolvable;

  /** Project of the assessment service. */
  readonly projectId: string;

  /** Region of the assessment data. */
  readonly region: string;

  /** Id of the discovery source. */
  readonly sourceId: string;
}

/**
 * Says at the end of a destroy what the assessment service still has, and how to remove it; and when the lab goes to
 * another source or place, what it leaves in the one before.
 *
 * Terraform destroys a thing after all that depends on it, so everything depends on this. The services of the project alone
 * would not do: they may be shared with others. A random id, which is nothing anywhere, may be gone later; this refers to
 * it.
 */
export class SurvivorsNote extends Construct {
  /**
   * What everything else must depend on, directly or through the services that it needs. What a look-up at plan refers to
   * must not: Terraform would look only at apply.
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
    const cleanup = addScript(this, "lib/lab/scripts/assessment-cleanup.sh");
    const note = new TerraformData(this, "AtDestroy", {
      // Kept in the state, because a provisioner of destroy can refer to nothing else.
      input: { deployment_id: deploymentId, project_id: projectId, region, source_id: sourceId },
      // An update would run no provisioner, and nothing would name what the lab has left in another source or place.
      triggersReplace: { project_id: projectId, region, source_id: sourceId },
      provisioners: [
        {
          type: "local-exec",
          when: "destroy",
          // A note must not keep a destroy from ending.
          command: `${shellCommand(cleanup)} --note || true`,
          environment: {
            // A state of before this was kept must not be in the way.
            DEPLOYMENT_ID: '${try(self.input.deployment_id, "")}',
            PROJECT_ID: "${self.input.project_id}",
            REGION: "${self.input.region}",
            SOURCE_ID: "${self.input.source_id}",
          },
        },
      ],
      count: countIf(conditionOf(enabled)),
    });
    this.ready = [note];
  }
}
