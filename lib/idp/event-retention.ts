import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type Condition } from "../core/expr/conditions";
import { type Expr } from "../core/expr/expr";
import { addScript, joined } from "../core/stack-file";
import { databaseJobContainer } from "./database-job";
import { type ScheduledJobRunner } from "./job-runner";
import { type SqlInstance } from "./parts";

/** Name of the job, also in alerts. It is short, because it becomes part of an account name. */
export const EVENT_RETENTION_JOB = "events";

interface EventRetentionProps {
  readonly condition: Condition;
  readonly database: SqlInstance;
  /** Days for which the application keeps an event. */
  readonly days: Expr<number>;
  /** Platform that runs the job, under an account that may connect as the application. */
  readonly runner: ScheduledJobRunner;
  /** Dependencies that wait for the first start of the application, because it creates the tables. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * Sets the retention time of events in the application's database each night.
 *
 * No variable and no blueprint can set this: the application reads it from its database. The job also shortens the
 * expiry of events that were recorded under a longer setting, a limited number each night; the application then deletes
 * them. The job signs in as the application and does not read the content of events. Runs of the job are billed.
 */
export class EventRetention extends Construct {
  /** Whether the job exists. @internal */
  readonly condition: Condition;
  readonly jobName: string;

  /** Command that runs the job at once, for example after a change of the days. */
  readonly runCommand: string;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: EventRetentionProps) {
    super(scope, id);
    const { condition, database, days, dependsOn, runner } = props;
    const client = addScript(this, "lib/idp/scripts/database-client.sh");
    const job = runner.schedule(this, "Job", {
      name: EVENT_RETENTION_JOB,
      script: joined(client, addScript(this, "lib/idp/scripts/event-retention.sh")),
      scriptName: "event-retention.sh",
      container: { ...databaseJobContainer(database, { EVENT_DAYS: days.text }), dependsOn },
      // Time for all pages. It exceeds the script's own limit, because the last page may begin just before that limit.
      timeoutSeconds: 1800,
      // The database may restart; a retry continues where the previous attempt ended.
      maxRetries: 2,
      // Not at a full hour, because many jobs run then.
      schedule: "20 1 * * *",
      timeZone: "Etc/UTC",
      condition,
    });
    this.condition = condition;
    this.jobName = job.jobName;
    this.runCommand = job.runCommand;
    this.ready = job.ready;
  }
}
