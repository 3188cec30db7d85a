import { SqlDatabaseInstance } from "@cdktf/provider-google/lib/sql-database-instance";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addOptionalBlock } from "../../core/expr/blocks";
import { allOf, type Condition, countIf, isAlways, isUnset } from "../../core/expr/conditions";
import { interpolated, namedStep } from "../../core/expr/expr";
import { toText } from "../../core/expr/functions";
import { explain } from "../../core/hcl/stack-origin";
import { type WorkloadIdentity } from "../../core/identity";
import { standbyInstanceName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type SqlInstance } from "../../idp/parts";
import { type Standby } from "../standby";
import { backupConfiguration } from "./database-backups";
import { addFlags } from "./database-flags";
import { CLIENT_ROLE, connectionTo } from "./existing-database";
import { databaseVersionOf, type PostgresqlDatabase, serverSettings } from "./postgresql-database";

interface StandbyDatabaseProps {
  readonly primary: PostgresqlDatabase;
  readonly standby: Standby;
}

/**
 * A replica of the primary in a second region. After its promotion, it is an independent instance with backups. It has
 * the same size and flags as the primary, and one zone. It depends on the primary, so an apply never promotes it before
 * the primary is stopped.
 *
 * It has no final backup and no maintenance window, because the deployment returns to the first region.
 */
export class StandbyDatabase extends Construct implements SqlInstance {
  readonly administratorName: string;
  readonly administratorPassword: SqlInstance["administratorPassword"];
  readonly connectionName: string;
  readonly databaseName: string;
  readonly hasPrivateAddress: Condition;
  readonly instanceName: string;
  readonly ownerName: string;
  readonly password: SqlInstance["password"];
  readonly projectId: string;
  readonly userName: string;
  readonly ready: ITerraformDependable[];

  /** The instance itself, for overrides. */
  readonly instance: SqlDatabaseInstance;

  /** Whether the replica exists. */
  private readonly condition: Condition;

  /** @internal */
  constructor(scope: Construct, id: string, { primary, standby }: StandbyDatabaseProps) {
    super(scope, id);
    const { context } = primary.props;
    this.condition = standby.condition;
    this.instanceName = standbyInstanceName(context.deployment, toText(standby.number).text);
    this.projectId = context.projectId;
    // Name from the formula, because an optional replica may have no attributes.
    const connection = interpolated`${context.projectId}:${standby.region}:${this.instanceName}`;
    this.connectionName = namedStep("standby_connection_name", connection).text;
    this.administratorName = primary.administratorName;
    this.administratorPassword = primary.administratorPassword;
    this.databaseName = primary.databaseName;
    this.hasPrivateAddress = primary.hasPrivateAddress;
    this.ownerName = primary.ownerName;
    this.password = primary.password;
    this.userName = primary.userName;
    this.instance = this.addInstance(primary, standby);
    this.ready = [this.instance];
  }

  grantConnect(identity: WorkloadIdentity): ITerraformDependable[] {
    const { condition, instanceName, projectId } = this;
    const limits = { ...connectionTo(projectId, instanceName, true, "only_standby_instance"), condition };
    return identity.grantOnProject("ConnectsToStandby", CLIENT_ROLE, limits);
  }

  private addInstance(primary: PostgresqlDatabase, { isPromoted, region }: Standby): SqlDatabaseInstance {
    const { props } = primary;
    const { existingBackupPlan, network } = props;
    const instance = new SqlDatabaseInstance(this, MAIN_CHILD_ID, {
      count: countIf(this.condition),
      project: this.projectId,
      name: this.instanceName,
      region: region.text,
      databaseVersion: databaseVersionOf(props),
      instanceType: isPromoted.choose("CLOUD_SQL_INSTANCE", "READ_REPLICA_INSTANCE").text,
      masterInstanceName: isAlways(isPromoted) ? undefined : isPromoted.choose(null, primary.instanceName).text,
      // Off, because Google's own protection in the settings suffices and a script can lift it during the return to the
      // first region. Terraform's protection would last in the state until an apply, and that apply would send users
      // back to an outdated replica.
      deletionProtection: false,
      settings: {
        ...serverSettings(props, primary.connectionLimit),
        availabilityType: "ZONAL",
      },
      // A replica has the logins of its primary.
      lifecycle: { ignoreChanges: ["root_password_wo", "root_password_wo_version"] },
      dependsOn: [...primary.ready, ...(network?.dependsOn ?? [])],
    });
    addFlags(instance, primary.connectionLimit, props.flags);
    addOptionalBlock(instance, "settings", "backup_configuration", {
      when: allOf(isPromoted, isUnset(existingBackupPlan)),
      content: backupConfiguration(props.backups),
    });
    explain(
      instance,
      "A replica that follows the database, until it takes over; then it is an instance of its own, with backups.",
    );
    return instance;
  }
}
