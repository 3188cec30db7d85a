import {
  type DeploymentName,
  POSTGRESQL_NAME_MAX_LENGTH,
  postgresqlName,
  SQL_INSTANCE_NAME_MAX_LENGTH,
  sqlInstanceName,
} from "../../core/names";
import { nameRules, RESOURCE_NAME, type Rule } from "../../core/rules";

/** Rules for the names of an instance and its database, which are derived from those of the deployment. */
export function databaseNameRules<Props>(deploymentOf: (props: Props) => DeploymentName): readonly Rule<Props>[] {
  return [
    ...nameRules<Props>((props) => sqlInstanceName(deploymentOf(props)), {
      ...RESOURCE_NAME,
      what: "instance name",
      maxLength: SQL_INSTANCE_NAME_MAX_LENGTH,
      lengthReason: "Cloud SQL allows no longer one together with the project id",
    }),
    ...nameRules<Props>((props) => postgresqlName(deploymentOf(props)), {
      what: "database name",
      maxLength: POSTGRESQL_NAME_MAX_LENGTH,
      lengthReason: "PostgreSQL truncates longer ones",
      pattern: /^[a-z0-9_]+$/,
      form: "lower-case letters, digits and underscores",
      formReason: "without quotes, SQL statements would refer to another name",
    }),
  ];
}
