import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { SSL_MODE } from "../../lib/idp/contract";
import { describeWith, programPath } from "../support/programs";

describeWith(["dash"], "The host of the database", () => {
  it.each(["db-init", "dump-database", "database-client"])("decides in %s.sh whether it is encrypted", (name) => {
    const script = readFileSync(packageFile(`lib/idp/scripts/${name}.sh`), "utf8");
    const choice = /^case \$DB_HOST in\s+\/.*?\besac\n(: "\$\{PGSSLMODE:=require\}"\n)?/ms.exec(script)?.[0] ?? "none";
    const modeFor = (env: Readonly<Record<string, string>>) =>
      execFileSync(programPath("dash"), ["-euc", `${choice}printf %s "$PGSSLMODE"`], { encoding: "utf8", env });
    expect([
      ...["/cloudsql/a:b:c", "127.0.0.1", "127.0.0.1.example.com", "10.0.0.3"].map((DB_HOST) => modeFor({ DB_HOST })),
      modeFor({ DB_HOST: "10.0.0.3", PGSSLMODE: "verify-full" }),
    ]).toEqual([SSL_MODE.local, SSL_MODE.local, SSL_MODE.remote, SSL_MODE.remote, "verify-full"]);
  });
});
