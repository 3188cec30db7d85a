import { BigqueryDatasetIamMember } from "@cdktf/provider-google/lib/bigquery-dataset-iam-member";
import { LoggingProjectBucketConfig } from "@cdktf/provider-google/lib/logging-project-bucket-config";
import { LoggingProjectSink } from "@cdktf/provider-google/lib/logging-project-sink";
import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { PubsubTopicIamMember } from "@cdktf/provider-google/lib/pubsub-topic-iam-member";
import { type IResolvable, type ITerraformDependable, TerraformLocal, type TerraformResource } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { attributeOf } from "../../core/expr/attributes";
import { addOptionalBlock } from "../../core/expr/blocks";
import { conditionFrom, countIf, partIf, present } from "../../core/expr/conditions";
import { allOf, anyOf, type Expr, hcl } from "../../core/expr/expr";
import { captured, every } from "../../core/expr/functions";
import { localReference } from "../../core/expr/locals";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import { type Relation } from "../../core/inputs/relations";
import { flag, number, object, type PropsOf, text } from "../../core/inputs/rows";
import { matching, wholeNumber } from "../../core/inputs/rules";
import { type Value, type ValuesOf } from "../../core/inputs/value";
import { partName } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type ProjectApis } from "../../core/project-apis";
import { prose } from "../../core/prose";
import { type EnvironmentInputs } from "../../idp/environment";
import { LOG_LEVEL_VARIABLE } from "../../idp/environment-rules";
import { settingIn } from "../../idp/environment-warnings";
import { type Platform } from "./alert";
import { auditFilters, type AuditNames } from "./audit-filter";

const PROJECT = "([a-z][a-z0-9-]{4,28}[a-z0-9])";

/** Destinations of a copy, with the name of each in parentheses. */
const DESTINATIONS = {
  topic: `^pubsub[.]googleapis[.]com/projects/${PROJECT}/topics/([A-Za-z][A-Za-z0-9._~+%-]{2,254})$`,
  dataset: `^bigquery[.]googleapis[.]com/projects/${PROJECT}/datasets/([A-Za-z0-9_]+)$`,
  project: `^logging[.]googleapis[.]com/projects/${PROJECT}$`,
} as const;

const MEMBERS = {
  /** Days to keep an entry, 365 by default. */
  retentionDays: number({
    default: 365,
    description: "days to keep an entry, 365 by default; fewer delete what is older",
    must: wholeNumber(1, 3650, ", because Cloud Logging keeps nothing longer; use 365"),
  }),
  /** Days for which the application keeps an event in its database, 365 by default. */
  eventDays: number({
    default: 365,
    description: prose`
      days for which the application keeps an event in its database, 365 by default, set each night; fewer let it
      delete what is older, a part each night
    `,
    must: wholeNumber(
      1,
      3650,
      ", because the check-up counts the failed sign-ins of the last minutes among them; use 365",
    ),
  }),
  /** Locks the retention time permanently: nobody can change it, or delete an entry before the time ends. */
  locked: flag({
    default: false,
    description: prose`
      true locks retention_days permanently: nobody, including Google, can change them or unlock the bucket,
      and a destroy leaves it, billed until its last entry is old enough
    `,
  }),
  /** Destination of a copy: the full name of a Pub/Sub topic, a BigQuery dataset or a project; none by default. */
  destination: text({
    default: null,
    description: prose`
      where a copy goes to as well: pubsub.googleapis.com/projects/<project>/topics/<topic>,
      bigquery.googleapis.com/projects/<project>/datasets/<dataset> or logging.googleapis.com/projects/<project>
    `,
    must: matching(
      Object.values(DESTINATIONS).join("|"),
      prose`
        be pubsub.googleapis.com/projects/<project>/topics/<topic>,
        bigquery.googleapis.com/projects/<project>/datasets/<dataset> or logging.googleapis.com/projects/<project>,
        because each needs a role of its own; name the project by its id
      `,
    ),
  }),
};

/** Inputs of the audit log. */
export const AUDIT_LOG = {
  /**
   * Audit log: keeps sign-ins and changes that the application logs, reads of secrets, and changes of the deployment in
   * a separate log bucket, and sets the retention of events in the application itself. None by default.
   */
  auditLog: object(MEMBERS, {
    description: (members) =>
      prose`
        Keeps what the application logs of sign-ins and changes, reads of secrets where these are logged
        (secret_read_log), and changes of the deployment, in a log bucket of its own, and sets how long the
        application itself keeps events; {} for the defaults.
        ${members} Setting it later is safe. [[Null deletes the bucket, which deletion_protection refuses.]]
      `,
  }),
};

/** Settings of an audit log. */
export interface AuditLogProps extends PropsOf<typeof MEMBERS> {}

/** Levels at which the application writes no line for an event. */
const HIDING = "^(warning|warn|error)$";

export const AUDIT_LOG_RELATIONS: readonly Relation<
  typeof AUDIT_LOG & Pick<EnvironmentInputs, "environmentVariables" | "logLevel">
>[] = [
  {
    host: "auditLog",
    holds: (v) => v.auditLog.isNull().or(hasEvents(v)),
    message: ({ auditLog, environmentVariables: plain, logLevel }) =>
      prose`
        ${auditLog.name} is given and ${logLevel.name}, or ${LOG_LEVEL_VARIABLE} in ${plain.name}, is above info;
        the level must be info, debug or trace, because the application logs its events at info,
        and the audit log would have no sign-ins and no changes; set it to info, or remove ${auditLog.name}
      `,
  },
];

type LevelInputs = ValuesOf<Pick<EnvironmentInputs, "environmentVariables" | "logLevel">>;

/** Whether the log has a line for each event. A variable takes precedence over the input. */
function hasEvents({ environmentVariables: plain, logLevel }: LevelInputs): Expr<boolean> {
  const levels = settingIn(plain, LOG_LEVEL_VARIABLE);
  const areFine = every(levels, (level) => level.matches(HIDING).not(), "level");
  return areFine.and(anyOf(levels.length().gt(0), logLevel.matches(HIDING).not()));
}

interface AuditLogParts {
  readonly apis: ProjectApis;
  readonly context: DeploymentContext;
  readonly deletionProtection: boolean | IResolvable;
  readonly input: Value<(typeof AUDIT_LOG)["auditLog"]>;
  readonly names: Omit<AuditNames, "deployment">;
  readonly platform: Platform;
}

/**
 * A log for auditors of sign-ins, changes and reads of secrets, kept for the days of the input.
 *
 * Entries are copied when they are written, so earlier entries are missing. Stored entries are billed.
 */
export class AuditLog extends Construct {
  /** Bucket of the log, not of Cloud Storage. */
  readonly bucket: LoggingProjectBucketConfig;

  /** Copies matching entries into the bucket. */
  readonly sink: LoggingProjectSink;

  /** Copies the same entries to the destination; undefined without a destination. */
  readonly copy: LoggingProjectSink | undefined;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: AuditLogParts) {
    super(scope, id);
    const { apis, context, deletionProtection, input, names, platform } = props;
    const { destination, locked, retentionDays } = input.at;
    const { deployment, projectId: project, region: location } = context;
    const isWanted = input.isSet();
    const name = partName(deployment, "audit");
    const dependsOn = apis.ready("logging");
    this.bucket = new LoggingProjectBucketConfig(this, "Bucket", {
      project,
      location,
      bucketId: name,
      description: "Audit log of the identity provider",
      retentionDays: retentionDays.number,
      locked: locked.flag,
      count: countIf(isWanted),
      dependsOn,
    });
    // A destroy keeps a locked bucket, because it cannot be deleted while it has entries.
    const unprotected = locked.choose("ABANDON", "DELETE");
    const isProtected = conditionFrom(deletionProtection);
    setNewerAttribute(this.bucket, "deletion_policy", isProtected.choose("PREVENT", unprotected));

    const rows = auditFilters({ ...names, deployment }, platform);
    const filters = localReference<Readonly<Record<string, string>>>(new TerraformLocal(this, "Filters", rows));
    const filter = hcl<readonly string[]>`[for part in ${filters} : "(\${part})"]`.joinedBy(" OR ").text;
    const isCopied = allOf(isWanted, destination.isSet());
    this.copy = partIf(
      isCopied,
      () =>
        new LoggingProjectSink(this, "Copy", {
          project,
          name: `${name}-copy`,
          description: "Copy of the audit log of the identity provider",
          destination: destination.text,
          filter,
          uniqueWriterIdentity: true,
          count: countIf(isCopied),
          dependsOn,
        }),
    );
    const grants = this.copy === undefined ? [] : this.grantsFor(this.copy, destination);
    this.sink = new LoggingProjectSink(this, "Sink", {
      project,
      name,
      description: "Audit log of the identity provider",
      // Name from the formula, because an optional bucket may have no attributes.
      destination: `logging.googleapis.com/projects/${project}/locations/${location}/buckets/${name}`,
      filter,
      uniqueWriterIdentity: true,
      count: countIf(isWanted),
      // If deleting the sink is refused, its dependencies stay too; otherwise an apply could delete only the copy.
      dependsOn: [...present<ITerraformDependable>(this.bucket, this.copy), ...grants],
    });
    // Deleted before the bucket, so that a refused apply does not shorten the retention.
    setNewerAttribute(this.sink, "deletion_policy", isProtected.choose("PREVENT", "DELETE"));
    this.ready = [...present<ITerraformDependable>(this.bucket, this.sink, this.copy), ...grants];
  }

  /** Rights that the sink's writer needs at a destination that others manage. */
  private grantsFor(copy: LoggingProjectSink, destination: Expr<string | null>): TerraformResource[] {
    const member = attributeOf(copy, "writer_identity").text;
    const isLike = (pattern: string) => destination.isSetAnd((place) => place.matches(pattern));
    const part = (pattern: string, index: number) => captured(destination.present, pattern, index).text;
    const { dataset, project, topic } = DESTINATIONS;
    // Otherwise there would be one table for each day, each to be deleted separately.
    addOptionalBlock(copy, "", "bigquery_options", {
      when: isLike(dataset),
      content: { use_partitioned_tables: true },
    });
    const grants = present<TerraformResource>(
      partIf(
        isLike(topic),
        () =>
          new PubsubTopicIamMember(this, "Topic", {
            project: part(topic, 0),
            topic: part(topic, 1),
            role: "roles/pubsub.publisher",
            member,
            count: countIf(isLike(topic)),
          }),
      ),
      partIf(
        isLike(dataset),
        () =>
          new BigqueryDatasetIamMember(this, "Dataset", {
            project: part(dataset, 0),
            datasetId: part(dataset, 1),
            role: "roles/bigquery.dataEditor",
            member,
            count: countIf(isLike(dataset)),
          }),
      ),
      partIf(
        isLike(project),
        () =>
          new ProjectIamMember(this, "Project", {
            project: part(project, 0),
            role: "roles/logging.logWriter",
            member,
            count: countIf(isLike(project)),
          }),
      ),
    );
    for (const grant of grants) inFileOfExisting(grant, "parts");
    return grants;
  }
}
