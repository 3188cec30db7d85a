import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { SSL_MODE } from "../../lib/idp/contract";
import { deliveredScript } from "../support/delivered-script";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { HOSTS } from "./hosts";

const ENTRYPOINT = packageFile("image/cloud-entrypoint.sh");
const DB_INIT = deliveredScript("lib/idp/scripts/db-init.sh");

describeWith(["busybox", "dash"], "The host of the database", () => {
  let folder: string;

  beforeAll(() => {
    folder = temporaryFolder();
    // What each script calls when it has chosen; the refusal ends db-init there.
    writeStub("ak", ['printf %s "$AUTHENTIK_POSTGRESQL__SSLMODE"']);
    writeStub("psql", ['printf %s "$PGSSLMODE" >"$0.mode"', "echo 'FATAL: enough' >&2", "exit 2"]);
  });

  const writeStub = (name: string, lines: readonly string[]): void => {
    const path = join(folder, name);
    writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"));
    chmodSync(path, 0o755);
  };

  // Each under the shell of the image that it runs in.
  const SHELLS = { entrypoint: [programPath("dash")], dbInit: [programPath("busybox"), "sh"] };
  const SCRIPTS = { entrypoint: ENTRYPOINT, dbInit: DB_INIT };

  const run = (script: keyof typeof SHELLS, args: readonly string[], environment: Readonly<Record<string, string>>) => {
    const [program = "", ...rest] = SHELLS[script];
    const PATH = `${folder}:${process.env.PATH ?? ""}`;
    return spawnSync(program, [...rest, ...args], { encoding: "utf8", env: { PATH, ...environment } });
  };

  const rule = (script: keyof typeof SHELLS) =>
    /^is_local_host\(\) \{\n.*?^\}\n/ms.exec(readFileSync(SCRIPTS[script], "utf8"))?.[0] ?? "none";

  /** Those of the hosts that the rule of a script takes for this machine. */
  const localOnes = (script: keyof typeof SHELLS, hosts: readonly string[]): string[] =>
    run(
      script,
      ["-euc", `${rule(script)}for h in "$@"; do ! is_local_host "$h" || echo "$h"; done`, "sh", ...hosts],
      {},
    )
      .stdout.split("\n")
      .slice(0, -1);

  const modeOf = {
    entrypoint: (host: string): string => run("entrypoint", [ENTRYPOINT, "dump_config"], { DB_HOST: host }).stdout,
    dbInit: (host: string): string => {
      const variables = { DB_HOST: host, DB_NAME: "n", DB_USER: "u", DB_PASSWORD: "p", DB_ADMIN_PASSWORD: "p" };
      run("dbInit", [DB_INIT], { ...variables, DB_WAIT_SECONDS: "0" });
      return readFileSync(join(folder, "psql.mode"), "utf8");
    },
  };

  describe.each(["entrypoint", "dbInit"] as const)("in the script %s", (script) => {
    it("is recognized in every spelling, and nothing else is", () => {
      expect(localOnes(script, [...HOSTS.local, ...HOSTS.remote])).toEqual(HOSTS.local);
    });

    it("is spoken to without encryption when it is this machine, and encrypted otherwise", () => {
      const hosts = ["/cloudsql/project:region:instance", "LOCALHOST:5432", "10.0.0.3:5432", "127.example.com"];
      expect(hosts.map(modeOf[script])).toEqual([SSL_MODE.local, SSL_MODE.local, SSL_MODE.remote, SSL_MODE.remote]);
    });
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
    const modeFor = (environment: Readonly<Record<string, string>>) =>
      run("dbInit", ["-euc", `${rule("dbInit")}${choice.join("\n")}\nprintf %s "$PGSSLMODE"`], environment).stdout;
    expect([
      ...["localhost:5432", "127.1", "127.example.com", "10.0.0.3"].map((DB_HOST) => modeFor({ DB_HOST })),
      modeFor({ DB_HOST: "10.0.0.3", PGSSLMODE: "verify-full" }),
    ]).toEqual([SSL_MODE.local, SSL_MODE.local, SSL_MODE.remote, SSL_MODE.remote, "verify-full"]);
  });
});
