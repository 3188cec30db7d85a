import {
  type DeploymentName,
  POSTGRESQL_NAME_MAX_LENGTH,
  postgresqlName,
  SQL_INSTANCE_NAME_MAX_LENGTH,
  sqlInstanceName,
} from "../../core/names";
import { nameRules, RESOURCE_NAME, type Rule } from "../../core/rules";

/** Rules for the names of an instance and of the database in it, which follow from the deployment's. */
export function databaseNameRules<Props>(deploymentOf: (props: Props) => DeploymentName): readonly Rule<Props>[] {
  return [
    ...nameRules<Props>((props) => sqlInstanceName(deploymentOf(props)), {
      ...RESOURCE_NAME,
      what: "instance name",
      maxLength: SQL_INSTANCE_NAME_MAX_LENGTH,
      lengthReason: "Cloud SQL takes no longer one together with the project's",
    }),
    ...nameRules<Props>((props) => postgresqlName(deploymentOf(props)), {
      what: "database name",
      maxLength: POSTGRESQL_NAME_MAX_LENGTH,
      lengthReason: "PostgreSQL cuts off the rest",
      pattern: /^[a-z0-9_]+$/,
      form: "lower-case letters, digits and underscores",
      formReason: "statements that name it without quotes would mean another one",
    }),
  ];
}
