import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { SSL_MODE } from "../../lib/idp/contract";
import { deliveredScript } from "../support/delivered-script";
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

// Each under the shell of the image that it runs in.
const SHELLS = { entrypoint: () => [programPath("dash")], dbInit: () => [programPath("busybox"), "sh"] };
const SCRIPTS = {
  entrypoint: packageFile("image/cloud-entrypoint.sh"),
  dbInit: deliveredScript("lib/idp/scripts/db-init.sh"),
};

type Script = keyof typeof SCRIPTS;
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

  const run = (script: Script, args: readonly string[], environment: Variables = {}): string => {
    const [program = "", ...rest] = SHELLS[script]();
    const PATH = `${folder}:${process.env.PATH ?? ""}`;
    return spawnSync(program, [...rest, ...args], { encoding: "utf8", env: { PATH, ...environment } }).stdout;
  };

  const rule = (script: Script) =>
    /^is_local_host\(\) \{\n.*?^\}\n/ms.exec(readFileSync(SCRIPTS[script], "utf8"))?.[0] ?? "none";

  const modeOf = {
    entrypoint: (host: string): string => run("entrypoint", [SCRIPTS.entrypoint, "dump_config"], { DB_HOST: host }),
    dbInit: (host: string): string => {
      const variables = { DB_HOST: host, DB_NAME: "n", DB_USER: "u", DB_PASSWORD: "p", DB_ADMIN_PASSWORD: "p" };
      run("dbInit", [SCRIPTS.dbInit], { ...variables, DB_WAIT_SECONDS: "0" });
      return readFileSync(join(folder, "psql.mode"), "utf8");
    },
  };

  it.each(["entrypoint", "dbInit"] as const)("is recognized by %s in every spelling, and nothing else is", (script) => {
    const loop = `${rule(script)}for h in "$@"; do ! is_local_host "$h" || echo "$h"; done`;
    expect(
      run(script, ["-euc", loop, "sh", ...LOCAL, ...REMOTE])
        .trimEnd()
        .split("\n"),
    ).toEqual(LOCAL);
  });

  it.each(["entrypoint", "dbInit"] as const)("is spoken to by %s without encryption only on this machine", (script) => {
    const hosts = ["/cloudsql/project:region:instance", "LOCALHOST:5432", "10.0.0.3:5432", "127.example.com"];
    expect(hosts.map(modeOf[script])).toEqual([SSL_MODE.local, SSL_MODE.local, SSL_MODE.remote, SSL_MODE.remote]);
  });

  it.each(["db-init.sh", "dump-database.sh", "database-client.sh"])(
    "is judged by the entrypoint's lines in %s",
    (name) => {
      expect(readFileSync(deliveredScript(`lib/idp/scripts/${name}`), "utf8")).toContain(rule("entrypoint"));
    },
  );

  it.each(["dump-database.sh", "database-client.sh"])("decides in %s whether a connection is encrypted", (name) => {
    const script = readFileSync(deliveredScript(`lib/idp/scripts/${name}`), "utf8");
    const choice = script.split("\n").filter((line) => line.startsWith("if is_local_host"));
    const text = `${rule("dbInit")}${choice.join("\n")}\nprintf %s "$PGSSLMODE"`;
    const modeFor = (variables: Variables) => run("dbInit", ["-euc", text], variables);
    expect([
      ...["localhost:5432", "127.1", "127.example.com", "10.0.0.3"].map((DB_HOST) => modeFor({ DB_HOST })),
      modeFor({ DB_HOST: "10.0.0.3", PGSSLMODE: "verify-full" }),
    ]).toEqual([SSL_MODE.local, SSL_MODE.local, SSL_MODE.remote, SSL_MODE.remote, "verify-full"]);
  });
});
