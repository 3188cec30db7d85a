import { type ITerraformDependable } from "cdktf";

import { type DeploymentContext } from "../core/deployment-context";

/** Props of most parts: the deployment to which they belong, and the dependencies of their first resource. */
export interface PartProps {
  readonly context: DeploymentContext;
  readonly dependsOn?: ITerraformDependable[];
}

/** Separate workers. */
export interface SeparateWorker {
  /** Name of the Cloud Run worker pool, or of the deployment in the namespace. */
  readonly workerName: string;
  /** Dependencies of servers that run without workers. */
  readonly ready: ITerraformDependable[];
}
