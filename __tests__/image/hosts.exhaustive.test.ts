import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { SSL_MODE } from "../../lib/idp/contract";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";

/** This machine, as people and platforms write it. */
const LOCAL = [
  ..."/ /cloudsql/project:region:instance /var/run/postgresql @abstract /cloudsql/one,/cloudsql/two".split(" "),
  ..."localhost localhost. LOCALHOST LocalHost. localhost:5432 LOCALHOST.:5432 localhost,127.0.0.1,::1".split(" "),
  ..."127.0.0.1 127.1 127.255.3.4 127.0.0.1:5432 ::1 [::1] [::1]:5432 0::1 ::0:1 0:0:0:0:0:0:0:1".split(" "),
  ..."0000:0000:0000:0000:0000:0000:0000:0001 [0:0:0:0:0:0:0:1]:5432 ::ffff:127.0.0.1".split(" "),
  "[::FFFF:127.0.0.1]:5432",
];

const REMOTE = [
  ..."10.0.0.3 10.0.0.3:5432 1.127.0.0 128.0.0.1 db.example.com db.example.com:5432 127.example.com".split(" "),
  ..."127.0.0.1.example.com 127.0.0.1x localhost.example.com localhost.example.com:5432 mylocalhost".split(" "),
  ..."localhost.. localhost,db.example.com 127.0.0.1,10.0.0.3 /cloudsql/project:region:instance,10.0.0.3".split(" "),
  ..."@abstract,db.example.com 10.0.0.3,/cloudsql/project:region:instance /cloudsql/one, relative/path".split(" "),
  ...":: ::2 ::10 ::11 1::1 0:1 1 [::2] [::2]:5432 [::1]x [::1 fe80::1 2001:db8::1 ::ffff:10.0.0.3".split(" "),
  "::ffff:127.example.com",
  // The application looks these up when it starts, so only the application knows.
  ..."file:///run/secrets/host file:///run/secrets/host?localhost env://DB_HOST env://DB_HOST?localhost".split(" "),
  "localhost://x",
];

const ENTRYPOINT = packageFile("image/cloud-entrypoint.sh");
const DB_INIT = packageFile("lib/idp/scripts/db-init.sh");

type Variables = Readonly<Record<string, string>>;

/** The entrypoint's own lines. */
const RULE = /^is_local_host\(\) \{\n.*?^\}\n/ms.exec(readFileSync(ENTRYPOINT, "utf8"))?.[0] ?? "none";

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

  it.each(["busybox", "dash"] as const)("is recognized by %s in every spelling, and nothing else is", (shell) => {
    const loop = `${RULE}for h in "$@"; do ! is_local_host "$h" || echo "$h"; done`;
    const found = run(shell, ["-euc", loop, "sh", ...LOCAL, ...REMOTE]);
    expect(found.trimEnd().split("\n")).toEqual(LOCAL);
  });

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
