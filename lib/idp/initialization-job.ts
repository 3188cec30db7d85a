import { type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { type SecretReference } from "../core/generated-secret";
import { type StackFile } from "../core/stack-file";

/** A job that prepares something once and is waited for, in words that every platform understands. */
export interface InitializationJobSpec {
  /** Short name, part of the job's name on the platform. */
  readonly name: string;

  /** Image that has a POSIX shell and what the script needs. */
  readonly image: string;

  /** Script that the job runs; mounted at apply, so an edit needs no image. */
  readonly script: StackFile;

  /** File name of the script. */
  readonly scriptName: string;

  readonly environment: Readonly<Record<string, string>>;

  /** Variables whose values are read from the secret store. */
  readonly secretEnvironment: Readonly<Record<string, SecretReference>>;

  /** Time limit of one attempt. */
  readonly timeoutSeconds: number;

  /** Attempts after the first one. */
  readonly maxRetries: number;

  /** The job runs again exactly when one of these values changes. */
  readonly rerunWhenChanged: Readonly<Record<string, string>>;
}

/** A job as a platform runs it. */
export interface InitializationJob {
  /** Name on the platform. */
  readonly jobName: string;

  /** What depends on this starts after the job has succeeded. */
  readonly completed: ITerraformDependable;
}

/** A platform that can run initialization jobs. */
export interface InitializationJobPlatform {
  /** Declares the job so that an apply runs it and waits for it. */
  runJob(scope: Construct, id: string, job: InitializationJobSpec): InitializationJob;
}
