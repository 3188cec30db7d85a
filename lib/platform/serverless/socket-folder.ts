import { CONNECTION_NAME_BUDGET, sqlInstanceName, type DeploymentName } from "../../core/names";
import { ifKnown, type Rule } from "../../core/rules";
import { type PostgresqlDatabase } from "../postgresql-database";
import { SOCKET_FOLDER } from "./contract";

/** Folder that holds the socket of a database, as a container finds it. */
export function socketFolder(database: PostgresqlDatabase): string {
  return `${SOCKET_FOLDER}/${database.connectionName}`;
}

/** What the path of the socket is made of. */
interface SocketOwner {
  readonly deployment: DeploymentName;
  readonly projectId: string;
  readonly region: string;
}

/** For whatever mounts the socket of the deployment's database: its whole path must fit into a socket address. */
export const SOCKET_PATH_RULE: Rule<SocketOwner> = {
  holds: (owner) => ifKnown(variableParts(owner), (parts) => parts.length <= CONNECTION_NAME_BUDGET),
  message: (owner) =>
    `project, region and database instance have ${variableParts(owner).length} characters together, the path of the database socket has room for ${CONNECTION_NAME_BUDGET}, because a socket address holds 108 bytes; shorten the application name or the tenant id by ${variableParts(owner).length - CONNECTION_NAME_BUDGET}`,
};

function variableParts({ deployment, projectId, region }: SocketOwner): string {
  return `${projectId}${region}${sqlInstanceName(deployment)}`;
}
