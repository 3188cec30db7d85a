import { ifKnown, type Rule } from "../core/rules";
import { CONNECTIONS_PER_INSTANCE, MAX_INSTANCE_COUNT } from "../idp/contract";
import { inRollout, RESERVED_CONNECTIONS } from "./database-tier";

/** What takes connections, and what has them; a tier that only Terraform knows is judged by the inputs' validations. */
interface ConnectionUser {
  readonly database: { readonly maxConnections: number | undefined };
  readonly maxInstanceCount?: number;
}

/**
 * For whatever runs several instances on one database.
 *
 * @param surge instances that a rollout runs beside the most
 */
export function connectionsRule(surge: number): Rule<ConnectionUser> {
  const needed = (count: number) => (count + surge) * CONNECTIONS_PER_INSTANCE;
  return {
    holds: ({ database: { maxConnections = Infinity }, maxInstanceCount = MAX_INSTANCE_COUNT }) =>
      ifKnown(maxInstanceCount, (count) => needed(count) + RESERVED_CONNECTIONS <= maxConnections),
    message: ({ database: { maxConnections }, maxInstanceCount = MAX_INSTANCE_COUNT }) =>
      `maxInstanceCount is ${maxInstanceCount}; ${inRollout(surge)}that needs ${needed(maxInstanceCount)} database connections and ${RESERVED_CONNECTIONS} are kept for administration, but the database accepts ${String(maxConnections)}, and there must be enough, because an instance without a connection answers nothing; lower it, or choose a tier with more memory`,
  };
}
