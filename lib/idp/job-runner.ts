import { type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { type Condition } from "../core/expr/conditions";
import { type StackFile } from "../core/stack-file";
import { type ContainerSpec } from "./container-spec";

/** Default interpreter of scripts. */
export const SHELL: readonly string[] = ["/bin/sh"];

/** Props of every job. */
export interface JobSpec {
  /** Short name; part of the job's name on the platform. */
  readonly name: string;

  /** Container of the job; its image has a POSIX shell and the programs that the script uses. */
  readonly container: ContainerSpec;

  /** Script that the job runs; it is mounted, so an edit needs no new image. */
  readonly script: StackFile;

  /** File name of the script. */
  readonly scriptName: string;

  /**
   * Interpreter of the script: a program in the image, and its arguments before the path of the script.
   *
   * @default - the image's shell
   */
  readonly interpreter?: readonly string[];

  /** Time limit of one attempt. */
  readonly timeoutSeconds: number;

  /** Attempts after the first one. */
  readonly maxRetries: number;

  /**
   * Condition under which the job is created.
   *
   * @default true
   */
  readonly condition?: Condition;
}

/** A job that prepares something once; an apply waits for it. */
export interface OneTimeJobSpec extends JobSpec {
  /** The job runs again only when one of these values changes. */
  readonly rerunWhenChanged: Readonly<Record<string, string>>;
}

/** A job that runs on a schedule; an apply does not run it. */
export interface ScheduledJobSpec extends JobSpec {
  /** Cron schedule: minute, hour, day of the month, month, day of the week. */
  readonly schedule: string;
  /** Time zone, a name of the tz database. */
  readonly timeZone: string;
}

/** A job that is started manually with one value; an apply does not run it. */
export interface ManualJobSpec extends JobSpec {
  /** Variable that the command sets, and the placeholder for its value in the command. */
  readonly given: { readonly variable: string; readonly placeholder: string };
}

/** A job on a platform. */
export interface OneTimeJob {
  /** Name on the platform. */
  readonly jobName: string;

  /** Whatever depends on this starts after the job has succeeded. */
  readonly ready: ITerraformDependable[];
}

/** A scheduled job on a platform. */
export interface ScheduledJob {
  /** Name on the platform. */
  readonly jobName: string;
  /** Command that runs the job at once. */
  readonly runCommand: string;
  /** Resources that must exist before the job runs. */
  readonly ready: ITerraformDependable[];
}

/** A job that is started manually, by `runCommand`. */
export type ManualJob = ScheduledJob;

/** A platform that can run jobs. */
export interface JobRunner {
  /** Declares the job so that an apply runs it and waits for it. */
  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): OneTimeJob;
}

/** A platform that can also run jobs on a schedule. */
export interface ScheduledJobRunner extends JobRunner {
  /** Declares the job so that the platform runs it on its schedule, one run at a time. */
  schedule(scope: Construct, id: string, job: ScheduledJobSpec): ScheduledJob;
}

/** A platform that also supports jobs that are started manually. */
export interface ManualJobRunner {
  /** Declares the job so that it runs only by command. */
  byHand(scope: Construct, id: string, job: ManualJobSpec): ManualJob;
}
