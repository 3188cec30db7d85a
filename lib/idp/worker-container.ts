import { type ContainerSpec, type ResourcesSpec } from "./container-spec";
import { ENTRYPOINT_PATH } from "./contract";
import { workerConnections } from "./worker-connections";
import { ENTRYPOINT_COMMANDS, type WorkerOptions } from "./worker-mode";

/**
 * The container of a separate worker: image, settings, secrets, database and mounts of the server, but another command,
 * and neither port nor probes.
 *
 * @param server container of the server
 */
export function workerContainer(server: ContainerSpec, form: WorkerOptions, resources: ResourcesSpec): ContainerSpec {
  const { database } = server;
  return {
    ...server,
    args: [ENTRYPOINT_COMMANDS.worker],
    database: database && { ...database, connections: workerConnections(form) },
    healthCommand: HEALTH_COMMAND,
    livenessProbe: undefined,
    canIdle: "false",
    port: undefined,
    resources,
    startupProbe: undefined,
    tlsPort: undefined,
  };
}

/** The application's own check, through the entrypoint, which translates the settings. */
const HEALTH_COMMAND = [ENTRYPOINT_PATH, "healthcheck"];
