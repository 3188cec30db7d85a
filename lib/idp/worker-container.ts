import { Token } from "cdktf";

import { type Rule } from "../core/rules";
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

/**
 * Rule for constructs whose container answers no requests.
 *
 * @param prop path of the container in the props
 * @param alternative what runs a container that does, at the end of the message
 */
export function noPortRule<Props>(
  prop: string,
  containerOf: (props: Props) => ContainerSpec,
  alternative: string,
): Rule<Props> {
  return {
    holds: (props) => {
      const { image, livenessProbe, port, startupProbe } = containerOf(props);
      const isSilent = [port, startupProbe, livenessProbe].every((part) => part === undefined);
      return Token.isUnresolved(image) || isSilent;
    },
    message: () =>
      `${prop} has a port or a probe; it must have none, because nothing sends requests to a worker; remove them, or run the container as ${alternative}`,
  };
}
