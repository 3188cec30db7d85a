import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { SSL_MODE } from "../../lib/idp/contract";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";

const ENTRYPOINT = packageFile("image/cloud-entrypoint.sh");
const DB_INIT = packageFile("lib/idp/scripts/db-init.sh");

type Variables = Readonly<Record<string, string>>;

describeWith(["busybox", "dash"], "The host of the database", () => {
  let folder: string;

  beforeAll(() => {
    folder = temporaryFolder();
    // What each script calls when it has chosen; the refusal ends db-init there.
    writeStub("ak", 'printf %s "$AUTHENTIK_POSTGRESQL__SSLMODE"');
    writeStub("psql", 'printf %s "$PGSSLMODE" >"$0.mode"; echo "FATAL: enough" >&2; exit 2');
  });

  const writeStub = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };

  const run = (shell: "busybox" | "dash", args: readonly string[], environment: Variables = {}): string => {
    const words = [...(shell === "busybox" ? ["sh"] : []), ...args];
    const PATH = `${folder}:${process.env.PATH ?? ""}`;
    return spawnSync(programPath(shell), words, { encoding: "utf8", env: { PATH, ...environment } }).stdout;
  };

  it("is spoken to without encryption only on this machine", () => {
    const hosts = ["/cloudsql/project:region:instance", "10.0.0.3:5432"];
    const modes = hosts.map((DB_HOST) => {
      const variables = { DB_HOST, DB_NAME: "n", DB_USER: "u", DB_PASSWORD: "p", DB_ADMIN_PASSWORD: "p" };
      run("busybox", [DB_INIT], { ...variables, DB_WAIT_SECONDS: "0" });
      return [run("dash", [ENTRYPOINT, "dump_config"], { DB_HOST }), readFileSync(join(folder, "psql.mode"), "utf8")];
    });
    expect(modes).toEqual([Array(2).fill(SSL_MODE.local), Array(2).fill(SSL_MODE.remote)]);
  });

  it.each(["db-init", "dump-database", "database-client"])("decides in %s.sh whether it is encrypted", (name) => {
    const script = readFileSync(packageFile(`lib/idp/scripts/${name}.sh`), "utf8");
    const choice = /^case \$DB_HOST in\n {2}\/.*?^esac\n/ms.exec(script)?.[0] ?? "none";
    const modeFor = (variables: Variables) => run("busybox", ["-euc", `${choice}printf %s "$PGSSLMODE"`], variables);
    expect([
      ...["/cloudsql/a:b:c", "127.0.0.1", "127.0.0.1.example.com", "10.0.0.3"].map((DB_HOST) => modeFor({ DB_HOST })),
      modeFor({ DB_HOST: "10.0.0.3", PGSSLMODE: "verify-full" }),
    ]).toEqual([SSL_MODE.local, SSL_MODE.local, SSL_MODE.remote, SSL_MODE.remote, "verify-full"]);
  });
});
