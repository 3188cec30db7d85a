import { MigrationCenterGroup } from "@cdktf/provider-google/lib/migration-center-group";
import { Fn, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countIf, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { PROJECT_ID, REGION } from "../core/place-rules";
import { addRestLibraries, shellCommand } from "../core/project-apis";
import { requireProps, type Rule } from "../core/rules";
import { addScript, type StackFile } from "../core/stack-file";
import { TerraformData } from "../core/terraform-data";
import { discoverySourceId, labGroupId } from "./lab-names";
import { DEPLOYMENT_ID, DISCOVERY_CLIENT_NAME } from "./lab-rules";

export interface AssessmentSourceProps {
  /** Display name of the source: what is typed into the discovery client, 1 to 63 characters. */
  readonly clientName: string;

  /** Project of the assessment service. */
  readonly projectId: string;

  /** Region of the assessment data, permanently. */
  readonly region: string;

  /**
   * Suffix of the lab's names. The source's description names it, so that other labs which use the source are told of this
   * one, and this one of them. An empty group of the service bears it, too: `assessment-cleanup.sh` deletes the groups of
   * all labs whose source it deletes, so that their next plan registers the source again.
   *
   * @default - the description names no lab, and there is no group
   */
  readonly deploymentId?: string;

  /**
   * What must answer before the source is registered.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * False registers nothing.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /**
   * Id of the source, for a caller that needs it elsewhere too: what `discoverySourceId` makes of the client's name.
   *
   * @default - that
   */
  readonly sourceId?: string;
}

/**
 * Registers the source into which the discovery client delivers, by the assessment service's REST API.
 *
 * A source of that id which is there already is used, which the apply says; its display name is corrected, and one of
 * another type is refused. It is not in the Terraform state and survives a destroy, as does all that was discovered and
 * imported: the folder has `assessment-status.sh` to look at it and `assessment-cleanup.sh` to remove it. The service needs
 * no other preparation.
 *
 * What is not in the state is not missed by a plan either, and a look-up at plan would need the service before there is
 * one. When somebody has deleted the source alone, an apply that replaces `Registered` registers it again;
 * `assessment-status.sh` prints that command.
 */
export class AssessmentSource extends Construct {
  /** Id of the source once it is registered; null when none is. */
  readonly sourceId: string;

  /** Changes when a cleanup has deleted the source with its contents; undefined when no lab is named or none is registered. */
  readonly generation?: string;

  /** What must be done before something can be delivered into the source. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: AssessmentSourceProps) {
    super(scope, id);
    requireProps(this, props, { clientName: true, projectId: true, region: true }, RULES);
    const { clientName, deploymentId, enabled = true, projectId, region } = props;
    const plannedId = props.sourceId ?? discoverySourceId(clientName);
    if (enabled === false) {
      this.sourceId = expression("null");
      this.ready = [];
      return;
    }

    const libraries = addAssessmentLibraries(this);
    const script = addScript(this, "lib/lab/scripts/register-source.sh");
    for (const helper of ["assessment-status.sh", "assessment-cleanup.sh"]) {
      addScript(this, `lib/lab/scripts/${helper}`);
    }

    const group =
      deploymentId === undefined
        ? undefined
        : new MigrationCenterGroup(this, "Group", {
            project: projectId,
            location: region,
            groupId: labGroupId(deploymentId),
            displayName: `Assessment lab ${deploymentId}`,
            count: countIf(conditionOf(enabled)),
            dependsOn: props.dependsOn,
          });
    this.generation = group && expression(oneAttribute(group, "create_time"));

    const registered = new TerraformData(this, "Registered", {
      // The output of this resource is known only after the script has ended well, so what uses it waits for that.
      input: { source_id: plannedId },
      triggersReplace: {
        client_name: clientName,
        ...(deploymentId === undefined ? {} : { deployment_id: deploymentId }),
        ...(this.generation === undefined ? {} : { generation: this.generation }),
        project_id: projectId,
        region,
        scripts: Fn.sha256(
          Fn.join(
            ":",
            [...libraries, script].map(({ sha256 }) => sha256),
          ),
        ),
        source_id: plannedId,
      },
      provisioners: [
        {
          type: "local-exec",
          command: shellCommand(script),
          environment: {
            ...(deploymentId === undefined ? {} : { DEPLOYMENT_ID: deploymentId }),
            PROJECT_ID: projectId,
            REGION: region,
            SOURCE_ID: plannedId,
            SOURCE_DISPLAY_NAME: clientName,
          },
        },
      ],
      count: countIf(conditionOf(enabled)),
      dependsOn: props.dependsOn,
    });

    this.sourceId = expression(oneAttribute(registered, "output.source_id"));
    this.ready = [registered];
  }
}

/** Puts the functions that the scripts of the assessment service share beside them, in the order in which they are read. */
export function addAssessmentLibraries(scope: Construct): StackFile[] {
  return [...addRestLibraries(scope), addScript(scope, "lib/lab/scripts/assessment-rest.sh")];
}

const RULES: readonly Rule<AssessmentSourceProps>[] = [
  ...DEPLOYMENT_ID.map((rule) => rule.ruleOn<AssessmentSourceProps>("deploymentId", (props) => props.deploymentId)),
  DISCOVERY_CLIENT_NAME.ruleOn("clientName", ({ clientName }) => clientName),
  PROJECT_ID.ruleOn("projectId", ({ projectId }) => projectId),
  REGION.ruleOn("region", ({ region }) => region),
];
