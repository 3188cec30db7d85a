import { CloudRunV2Job } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf, oneAttribute } from "../../core/conditional";
import { expression } from "../../core/expression";
import { type WorkloadIdentity } from "../../core/identity";
import { jobName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ContainerSpec } from "../../idp/container-spec";
import { grantsTo } from "../environment";
import { type NetworkAttachment } from "../network/network-attachment";
import { addDynamicBlocks, containerBlock, jobBlock, volumeBlocks } from "./cloud-run-template";

export interface OnDemandJobProps {
  /** Container to run, with the default arguments of an execution. */
  readonly container: ContainerSpec;

  /** Service account that the job runs as. It is granted access to what the container uses. */
  readonly identity: WorkloadIdentity;

  /** Short name, part of the job's name. */
  readonly name: string;

  /** Determines the name, the project and the region of the job. */
  readonly place: DeploymentContext;

  /** Time limit of an execution. */
  readonly timeoutSeconds: number;

  /** Whether the job exists, as a string: `true`, `false` or a boolean expression. Default: it does. */
  readonly condition?: string;

  /** Existing network on which the database has its private address. Default: none. */
  readonly network?: NetworkAttachment;
}

/** A Cloud Run job that is only executed by hand, with `executeCommand`. It costs nothing until then. */
export class OnDemandJob extends Construct {
  /** Command that executes the job, waits for its end and fails if the job fails; arguments may follow. */
  readonly executeCommand: string;

  /** What must exist before it can be executed. */
  readonly ready: ITerraformDependable[];

  /** The job itself, for overrides. */
  readonly job: CloudRunV2Job;

  constructor(scope: Construct, id: string, props: OnDemandJobProps) {
    super(scope, id);
    const { condition, container, identity, network, place } = props;
    const name = jobName(place.deployment, props.name);

    this.job = new CloudRunV2Job(this, MAIN_CHILD_ID, {
      count: countIf(condition),
      ...jobBlock(
        { identity, maxRetries: 0, name, network, place, timeoutSeconds: props.timeoutSeconds },
        {
          containers: [
            {
              ...containerBlock(container),
              resources: container.resources && { limits: { ...container.resources } },
            },
          ],
          volumes: volumeBlocks(container),
        },
      ),
      // Every tool that changes the job writes its own name there.
      lifecycle: { ignoreChanges: ["client", "client_version"] },
      dependsOn: [...grantsTo(identity, container), ...(network?.dependsOn ?? [])],
    });
    addDynamicBlocks(this.job, "template.template", container, network);

    const created = expression(oneAttribute(this.job, "name"));
    this.executeCommand = `gcloud run jobs execute ${created} --region=${place.region} --project=${place.projectId} --wait`;
    this.ready = [this.job];
  }
}
