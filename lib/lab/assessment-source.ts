import { MigrationCenterGroup } from "@cdktf/provider-google/lib/migration-center-group";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { attributeOf } from "../core/expr/attributes";
import { countIf, isNever } from "../core/expr/conditions";
import { literal } from "../core/expr/expr";
import { labelsWith } from "../core/labels";
import { addRestLibraries, runsScript } from "../core/project-apis";
import { addScript, hashOf, type StackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { type LabPartProps } from "./lab-foundation";
import { labName, SOURCE_LABEL } from "./lab-names";

export interface AssessmentSourceProps extends LabPartProps {
  /** Display name of the source, which users type into the discovery client. */
  readonly clientName: string;
}

export interface RegisteredSource {
  /** Id of the source after its registration; null if none is registered. */
  readonly sourceId: string;
  /** Changes when a cleanup deletes the source with its contents; null when none is registered. */
  readonly generation: string;
  /** Dependencies of parts that deliver data to the source. */
  readonly ready: ITerraformDependable[];
}

/**
 * Registers the source to which the discovery client reports, through the Migration Center REST API.
 *
 * An existing source with that id is reused, and the apply reports this; a source with another type or name is refused.
 * The source is not in the Terraform state and survives a destroy, as does all discovered and imported data:
 * `assessment-status.sh` in the folder shows it and `assessment-cleanup.sh` removes it.
 *
 * An empty group has the id of the lab in its name and the id of the source in its label, so that each lab can report
 * the others. A cleanup deletes the groups of all labs whose source it deletes, so that their next plan registers it
 * again.
 *
 * A plan does not notice that the source is missing, because it is not in the state, and a look-up at plan would need
 * the API before it is enabled. If only the source was deleted, an apply that replaces `Registered` registers it again;
 * `assessment-status.sh` prints that command.
 */
export function addAssessmentSource(scope: Construct, id: string, props: AssessmentSourceProps): RegisteredSource {
  const self = new Construct(scope, id);
  const { clientName, dependsOn, deploymentId, projectId, region, sourceId: plannedId } = props;
  const { usesAssessment: isUsed } = props;
  if (isNever(isUsed)) return { sourceId: literal(null).text, generation: literal(null).text, ready: [] };

  const libraries = addAssessmentLibraries(self);
  const script = addScript(self, "lib/lab/scripts/register-source.sh");
  addScript(self, "lib/lab/scripts/assessment-status.sh");
  addScript(self, "lib/lab/scripts/assessment-cleanup.sh");

  const common = { count: countIf(isUsed), dependsOn };
  const group = new MigrationCenterGroup(self, "Group", {
    project: projectId,
    location: region,
    groupId: labName(deploymentId, "lab"),
    displayName: `Assessment lab ${deploymentId}`,
    labels: labelsWith(props.labels, { [SOURCE_LABEL]: plannedId }),
    ...common,
  });
  const generation = attributeOf(group, "create_time").text;
  const registered = new TerraformData(self, "Registered", {
    // The output of this resource is known only after the script has succeeded, so whatever uses it waits for that.
    input: { source_id: plannedId },
    triggersReplace: {
      client_name: clientName,
      deployment_id: deploymentId,
      generation,
      project_id: projectId,
      region,
      scripts: hashOf([...libraries, script]),
      source_id: plannedId,
    },
    provisioners: runsScript(script, {
      DEPLOYMENT_ID: deploymentId,
      PROJECT_ID: projectId,
      REGION: region,
      SOURCE_ID: plannedId,
      SOURCE_DISPLAY_NAME: clientName,
    }),
    ...common,
  });
  return { sourceId: attributeOf(registered, "output.source_id").text, generation, ready: [registered] };
}

/** Adds the libraries of the Migration Center scripts to the folder; returns them in the order of sourcing. */
export function addAssessmentLibraries(scope: Construct): StackFile[] {
  return [...addRestLibraries(scope), addScript(scope, "lib/lab/scripts/assessment-rest.sh")];
}
