import { type DeploymentV1SpecTemplateSpecInitContainer } from "@cdktf/provider-kubernetes/lib/deployment-v1";

import { isGiven } from "../../core/optional-value";
import { DATABASE_PORT } from "../../idp/contract";
import { type NetworkAttachment } from "../network-attachment";
import { type PostgresqlDatabase } from "../postgresql-database";
import { LOOPBACK, PROXY_ADMIN_PORT, PROXY_HEALTH_PORT, PROXY_IMAGE, PROXY_SIZE } from "./contract";
import { hardened, sized } from "./container-hardening";

export interface DatabaseProxy {
  readonly database: PostgresqlDatabase;

  /** How long open connections may go on after the end was announced. */
  readonly graceSeconds: number;

  /** Network on which the database has its private address; none means the public one. */
  readonly network: NetworkAttachment | undefined;

  /** Whether another container of the pod may tell it to end. */
  readonly quitsOnRequest: boolean;
}

/**
 * The proxy of the database as a container that starts before the others of its pod, and ends after them, once its restart
 * policy says so.
 */
export function databaseProxy(proxy: DatabaseProxy): DeploymentV1SpecTemplateSpecInitContainer {
  const { database, graceSeconds, network, quitsOnRequest } = proxy;
  const probe = (path: string) => ({ httpGet: { path, port: String(PROXY_HEALTH_PORT) }, timeoutSeconds: 5 });
  return {
    name: "database-proxy",
    image: PROXY_IMAGE,
    args: [
      `--address=${LOOPBACK}`,
      `--port=${DATABASE_PORT}`,
      `--private-ip=${isGiven(network?.network)}`,
      "--structured-logs",
      "--health-check",
      // The prober is outside of the pod.
      "--http-address=0.0.0.0",
      `--http-port=${PROXY_HEALTH_PORT}`,
      "--exit-zero-on-sigterm",
      `--max-sigterm-delay=${graceSeconds}s`,
      ...(quitsOnRequest ? ["--quitquitquit", `--admin-port=${PROXY_ADMIN_PORT}`] : []),
      database.connectionName,
    ],
    // The other containers start when this has succeeded once.
    startupProbe: { ...probe("/startup"), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...probe("/liveness"), periodSeconds: 30, failureThreshold: 3 },
    resources: sized(PROXY_SIZE),
    securityContext: hardened({ readOnlyRootFilesystem: true }),
  };
}
