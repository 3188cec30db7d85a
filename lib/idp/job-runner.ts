import { type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { type StackFile } from "../core/stack-file";
import { REQUIRED_CONTAINER, type ContainerSpec } from "./container-spec";

/** A job that prepares something once; an apply waits for it. */
export interface OneTimeJobSpec {
  /** Short name, part of the job's name on the platform. */
  readonly name: string;

  /** Container of the job; its image has a POSIX shell and what the script needs. */
  readonly container: ContainerSpec;

  /** Script that the job runs; mounted at apply, so an edit needs no new image. */
  readonly script: StackFile;

  /** File name of the script. */
  readonly scriptName: string;

  /** Time limit of one attempt. */
  readonly timeoutSeconds: number;

  /** Attempts after the first one. */
  readonly maxRetries: number;

  /** The job runs again only when one of these values changes. */
  readonly rerunWhenChanged: Readonly<Record<string, string>>;
}

/** Required props of a job, for `requireProps`. */
export const REQUIRED_JOB = {
  name: true,
  container: REQUIRED_CONTAINER,
  script: true,
  scriptName: true,
  timeoutSeconds: true,
  maxRetries: true,
  rerunWhenChanged: true,
} as const;

/** A job on a platform. */
export interface OneTimeJob {
  /** Name on the platform. */
  readonly jobName: string;

  /** What depends on this starts after the job has succeeded. */
  readonly ready: ITerraformDependable[];
}

/** A platform that can run jobs. */
export interface JobRunner {
  /** Declares the job so that an apply runs it and waits for it. */
  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): OneTimeJob;
}
