import { type Expr, namedStep } from "../core/expr/expr";
import { concat, every, lower, min } from "../core/expr/functions";
import { flag } from "../core/inputs/rows";
import { type ValuesOf } from "../core/inputs/value";
import { type WarningRelation } from "../core/inputs/warnings";
import { prose } from "../core/prose";
import { POOL_VARIABLES } from "./contract";
import { type EnvironmentInputs, optionalVariables } from "./environment";
import { settingIn } from "./environment-warnings";
import { type ImageInputs } from "./idp-image";

/**
 * Longest wait for a connection, in seconds. It is shorter than the application's own limits, so that a visitor gets
 * the application's error page. If the time limit of requests is shorter, the longest wait is half of that limit.
 */
const MAX_WAIT_SECONDS = 25;

/** Inputs of the pool of database connections in each instance. */
export const CONNECTION_POOL = {
  /** Keeps a pool of database connections in each instance; by default unless an existing image is given. */
  connectionPool: flag({
    default: null,
    description: prose`
      Keeps a pool of database connections in each instance, so that requests wait for one instead of
      failing.
      [[Null for true, or false with existing_container_image, whose image needs the entrypoint of this version
      and the program pgbouncer on its PATH for it.]] A database that environment_variables name is reached
      without the pool. A change rolls out new instances.
    `,
  }),
};

export type ConnectionPoolInputs = typeof CONNECTION_POOL;

/** Whether instances have a pool. */
export const isPooled = (v: ValuesOf<ConnectionPoolInputs & ImageInputs>): Expr<boolean> =>
  namedStep("has_connection_pool", v.connectionPool.coalesce(v.existingContainerImage.isNull()));

/** Variables of a container with a pool; without a pool, none or null at plan. @param size connections of the pool */
export function poolVariables(
  v: ValuesOf<ConnectionPoolInputs & ImageInputs> & { readonly requestTimeoutSeconds: Expr<number> },
  size: Expr<number>,
): Readonly<Record<string, string>> {
  const ifPooled = (value: Expr<number>) => isPooled(v).choose(value, null);
  return optionalVariables({
    [POOL_VARIABLES.size]: ifPooled(size),
    [POOL_VARIABLES.wait]: ifPooled(min(MAX_WAIT_SECONDS, v.requestTimeoutSeconds.dividedBy(2))),
  });
}

/** Settings that make the application keep its connections, so that a pool has no effect. */
const KEEPING = ["IDP_POSTGRESQL__USE_PGBOUNCER", "IDP_POSTGRESQL__CONN_MAX_AGE"];

export const POOL_WARNINGS: readonly WarningRelation<ConnectionPoolInputs & EnvironmentInputs & ImageInputs>[] = [
  {
    localId: "PoolGetsConnectionsBack",
    holds: (v) =>
      isPooled(v)
        .not()
        .or(
          every(
            concat<string>(...KEEPING.map((name) => settingIn(v.environmentVariables, name))),
            (value) => lower(value).isOneOf(["0", "false"]),
            "value",
          ),
        ),
    message: ({ connectionPool, environmentVariables: plain }) =>
      prose`
        ${plain.name} has ${KEEPING.join(" or ")} and there is a connection pool;
        the application then keeps a connection for each request for good, and the pool runs dry; remove it,
        or set ${connectionPool.name} to false
      `,
  },
];
