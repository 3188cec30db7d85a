import { type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { allOf, type Condition, isNever, namedCondition } from "../core/expr/conditions";
import { type Expr, exprOf, interpolated, literal } from "../core/expr/expr";
import { concat, eachEntry, everyEntry, flatten, values } from "../core/expr/functions";
import { localReference } from "../core/expr/locals";
import { number, object, type Optional, type PropsOf, text } from "../core/inputs/rows";
import { isWhole, matching } from "../core/inputs/rules";
import { type Value, type ValuesOf } from "../core/inputs/value";
import { type WarningRelation } from "../core/inputs/warnings";
import { prose } from "../core/prose";
import { addScript, joined, type StackFile } from "../core/stack-file";
import { databaseJobContainer } from "./database-job";
import { type ScheduledJobRunner } from "./job-runner";
import { type SqlInstance } from "./parts";
import { IS_PERIODIC, missingAfter, PERIODIC_SCHEDULE } from "./periodic-schedule";

const DEFAULT_MINUTES = 10;

/** Limits, by their names in check-up.sql; the defaults raise no alert for an idle installation. */
export const LIMITS = {
  /**
   * Seconds that a task may wait for a thread while no other task ends, 120 by default; five times this limit if other
   * tasks end.
   */
  taskLateSeconds: number({
    default: 120,
    description: "seconds that a task may wait while no other ends, and a fifth of what it may wait at all",
  }),
  /** Seconds that a task may run, 1200 by default, twice the application's own time limit. */
  taskHangingSeconds: number({ default: 1200, description: "seconds that a task may run" }),
  /** Seconds by which a schedule may be overdue, 900 by default; two run every five minutes in every installation. */
  scheduleOverdueSeconds: number({ default: 900, description: "seconds a schedule may be overdue" }),
  /** Tasks that may fail after all retries in 15 minutes, 0 by default. */
  tasksFailed: number({ default: 0, description: "tasks that may fail for good in 15 minutes" }),
  /** Mails that may remain unsent after all retries in 15 minutes, 0 by default. */
  mailsNotSent: number({ default: 0, description: "mails that may fail for good in 15 minutes" }),
  /** Sign-ins that may fail in 15 minutes, 100 by default. */
  signInsFailed: number({ default: 100, description: "sign-ins that may fail in 15 minutes" }),
  /** Sign-ins from one address that may fail in 15 minutes, 30 by default; a whole office may share one address. */
  signInsFailedFromOneAddress: number({
    default: 30,
    description: "sign-ins that may fail from one address in 15 minutes",
  }),
  /** Days before the expiry of a certificate of the application from which it is reported, 30 by default. */
  certificateDays: number({ default: 30, description: "days before the end of a certificate of the application" }),
  /**
   * Days that may pass without a successful restore drill. The default 0 turns the check off; 100 suits one drill each
   * quarter.
   */
  restoreDrillDays: number({
    default: 0,
    description: "days for which no restore drill may have passed, 0 to judge nothing, 100 for one each quarter",
  }),
};

/** Limits of the check-up as a prop. */
export interface CheckUpLimits extends PropsOf<typeof LIMITS> {}

/** Inputs of the check-up. */
export const CHECK_UP = {
  /**
   * Check-up: a scheduled job that finds stuck tasks and similar problems in the application's database. On by default,
   * but created only if somebody receives alerts; null turns it off.
   */
  checkUp: object(
    {
      /** Cron schedule of the check-up, every 10 minutes by default. */
      schedule: text({
        default: `*/${DEFAULT_MINUTES} * * * *`,
        description: "cron schedule, every 5, 10, 15, 20 or 30 minutes",
        must: matching(PERIODIC_SCHEDULE, IS_PERIODIC(DEFAULT_MINUTES)),
      }),
      /** Limits above which the check-up reports a problem. */
      limits: object(LIMITS, {
        default: {},
        must: {
          condition: (limits: Expr<Readonly<Record<string, number>>>) =>
            everyEntry(limits, (_, limit) => isWhole(limit, 0)),
          must: "have whole numbers from 0, because the check-up counts rows and seconds; correct them",
        },
        description: (members) => `limits beyond which it says that something is wrong (${members})`,
      }),
    },
    {
      default: {},
      nullable: true,
      description: (members) =>
        prose`
          Check-up, which asks the application's database what stands still: late tasks, mail, certificates,
          outposts. It exists only where somebody gets alerts. ${members} [[Null for none.]] Changing it later is safe.
        `,
    },
  ),
};

/** Names of the types of members that are objects. */
interface CheckUpObjects {
  readonly limits: CheckUpLimits;
}

/** The check-up. */
export interface CheckUpProps extends PropsOf<(typeof CHECK_UP)["checkUp"]["members"], CheckUpObjects> {}

interface Receivers {
  readonly alertEmails: Texts;
  readonly notificationChannels: Expr<Readonly<Record<string, readonly string[]>>> & Pick<Value, "given">;
}
type Texts = Expr<readonly string[]> & Pick<Value, "given">;

/** Number of receivers of alerts. */
export function receiverCount(v: Receivers): Expr<number> {
  return concat<string>(v.alertEmails, flatten(values(v.notificationChannels))).length();
}

/** Conditions that depend on the receivers of alerts. */
export interface ReceiverConditions {
  readonly hasReceivers: Expr<boolean>;
  /** Whether the check-up exists: it needs a schedule and receivers. */
  readonly isCheckedUp: Expr<boolean>;
}

/** Creates locals in the scope for those conditions that only a plan knows. */
export function addReceiverConditions(scope: Construct, v: Receivers & ValuesOf<typeof CHECK_UP>): ReceiverConditions {
  const hasReceivers = addHasReceivers(scope, v);
  const isScheduled = v.checkUp.isSet();
  if (isNever(isScheduled)) return { hasReceivers, isCheckedUp: literal(false) };
  return { hasReceivers, isCheckedUp: namedCondition(scope, "IsCheckedUp", allOf(isScheduled, hasReceivers)) };
}

function addHasReceivers(scope: Construct, v: Receivers): Expr<boolean> {
  const isKnown = knownToHaveReceivers(v);
  if (isKnown !== undefined) return literal(isKnown);
  const receivers = new TerraformLocal(scope, "Receivers", receiverCount(v));
  return localReference<number>(receivers).gt(0);
}

/** Whether there are receivers of alerts; undefined if only a plan knows. */
function knownToHaveReceivers({ alertEmails, notificationChannels: { given } }: Receivers) {
  const channels = Token.isUnresolved(given) ? [given] : Object.values(given as Readonly<Record<string, unknown>>);
  const lists: unknown[] = [alertEmails.given, ...channels];
  if (lists.some((list) => exprOf(list).hasItems)) return true;
  // A token inside a list is one receiver, but a token in place of the list may be an empty list.
  return lists.some((list) => Token.isUnresolved(list)) ? undefined : lists.flat().length > 0;
}

/** Whether the check-up reports overdue restore drills. */
export function judgesDrills({ checkUp }: ValuesOf<typeof CHECK_UP>): Expr<boolean> {
  return allOf(checkUp.isSet(), checkUp.at.limits.at.restoreDrillDays.gt(0));
}

/** Inputs of other features on which a warning depends. */
type OtherInputs = Readonly<{ existingDatabase: Optional<object>; ownParts: Optional<string> }>;

export const CHECK_UP_WARNINGS: readonly WarningRelation<OtherInputs & typeof CHECK_UP>[] = [
  {
    localId: "DrillsAreOfOwnDatabase",
    holds: (v) => v.existingDatabase.isNull().or(v.ownParts.eq("used")).or(judgesDrills(v).not()),
    message: ({ checkUp, existingDatabase }) =>
      prose`
        ${checkUp.at.limits.name} judges restore drills, and ${existingDatabase.name} is given; no alert is raised,
        because a drill clones the whole instance, which others manage; leave restore_drill_days out,
        and ask the owner of the instance for a proof
      `,
  },
];

/** Name of the job, also in alerts. */
export const CHECK_UP_JOB = "check-up";

interface CheckUpParts {
  readonly condition: Condition;
  readonly database: SqlInstance;
  readonly inputs: ValuesOf<typeof CHECK_UP>;
  /** Platform that runs the job, under a service account that may only read the database. */
  readonly runner: ScheduledJobRunner;
  /** Dependencies that wait for the first start of the application, because it creates the tables. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * Queries the application's database, on a schedule, for failures that are visible nowhere else.
 *
 * The application's log, metrics and health routes do not show a worker that takes no tasks, unsent mail, an expiring
 * certificate, or a lost outpost. The job prints one line of JSON, which the alerts read. The job signs in as the
 * application and only reads. Runs of the job are billed.
 */
export class CheckUp extends Construct {
  /** Whether the job exists. @internal */
  readonly condition: Condition;
  readonly jobName: string;

  /** Time without a successful run after which the check-up counts as missing, for PromQL: three periods. */
  readonly missingAfter: string;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: CheckUpParts) {
    super(scope, id);
    const { condition, database, dependsOn, inputs, runner } = props;
    const { limits, schedule } = inputs.checkUp.at;
    const [statements, client, script] = ["check-up.sql", "database-client.sh", "check-up.sh"].map((file) =>
      addScript(this, `lib/idp/scripts/${file}`),
    ) as [StackFile, StackFile, StackFile];
    const job = runner.schedule(this, "Job", {
      name: CHECK_UP_JOB,
      script: joined(client, script),
      scriptName: "check-up.sh",
      container: {
        ...databaseJobContainer(database, { CHECK_UP_SQL: statements.text, CHECK_UP_LIMITS: limitWords(limits) }),
        dependsOn,
      },
      // Two queries of at most one minute each, and the pause between them.
      timeoutSeconds: 240,
      // No retry, because the next scheduled run comes soon.
      maxRetries: 0,
      schedule: schedule.text,
      timeZone: "Etc/UTC",
      condition,
    });
    this.condition = condition;
    this.jobName = job.jobName;
    this.missingAfter = missingAfter(schedule, DEFAULT_MINUTES);
    this.ready = job.ready;
  }
}

/** Limits in the form `name=number`, separated by spaces. */
const limitWords = (limits: Value) =>
  eachEntry(limits as Expr, (name, limit) => interpolated`${name}=${limit}`).joinedBy(" ").text;
