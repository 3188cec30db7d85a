import { type PostgresqlDatabase } from "../postgresql-database";
import { SOCKET_FOLDER } from "./contract";

/** Folder that holds the socket of a database, as a container finds it. */
export function socketFolder(database: PostgresqlDatabase): string {
  return `${SOCKET_FOLDER}/${database.connectionName}`;
}
