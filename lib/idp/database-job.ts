import { type ContainerSpec } from "./container-spec";
import { DATABASE_MAJOR_VERSION, DATABASE_PORT, DATABASE_VARIABLES, DB_INIT_WAIT_SECONDS } from "./contract";
import { publicImage } from "./idp-image";
import { databaseClientImage } from "./images";
import { type SqlInstance } from "./parts";

/** Public image with the client programs of a database. */
export function clientImage({ clientImage: image }: SqlInstance): string {
  return image ?? databaseClientImage(DATABASE_MAJOR_VERSION, undefined);
}

/**
 * Container of a job that works on the application's database with `psql`, `pg_dump` and the like.
 *
 * @param variables variables besides the address, name and role of the database
 * @param image public image with the programs of the server's major version and a POSIX shell
 */
export function databaseJobContainer(
  database: SqlInstance,
  variables: Readonly<Record<string, string>>,
  image = clientImage(database),
): ContainerSpec {
  return {
    image: publicImage(image),
    database: { instance: database, hostVariable: DATABASE_VARIABLES.host, proxyQuitVariable: "DB_PROXY_QUIT_URL" },
    environment: {
      baseline: {},
      overrides: {},
      required: {
        [DATABASE_VARIABLES.port]: String(DATABASE_PORT),
        [DATABASE_VARIABLES.name]: database.databaseName,
        [DATABASE_VARIABLES.user]: database.userName,
        DB_WAIT_SECONDS: String(DB_INIT_WAIT_SECONDS),
        ...variables,
      },
    },
    secretEnvironment: { [DATABASE_VARIABLES.password]: database.password },
  };
}
