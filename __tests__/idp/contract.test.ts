import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import * as contract from "../../lib/idp/contract";
import { DRAIN_SECONDS, TERMINATION_GRACE_SECONDS } from "../../lib/platform/kubernetes/kubernetes-workload";

const script = (path: string) => readFileSync(packageFile(path), "utf8");

describe("The scripts that run alone", () => {
  const entrypoint = script("image/cloud-entrypoint.sh");

  it("choose the same modes of encryption and the same storage path", () => {
    const { local, remote, variable } = contract.SSL_MODE;
    expect(entrypoint).toContain(`  default_to ${variable} "$(ssl_mode_of "$ce_value")"\n`);
    const modes = [...entrypoint.matchAll(/\) echo (\w+) ;;$/gm)].map(([, mode]) => mode);
    expect(modes).toEqual([local, remote]);
    expect(entrypoint).toContain(`  default_to ${contract.STORAGE_PATH_VARIABLE} ${contract.MEDIA_MOUNT_PATH}\n`);
  });

  it("shut down within the same time", () => {
    const { elsewhere, serverless } = contract.STOP_SECONDS;
    expect(entrypoint).toContain(`  ce_short_stop_seconds=${serverless}\n  ce_stop_seconds=${elsewhere}\n`);
    expect(elsewhere).toBeLessThan(TERMINATION_GRACE_SECONDS - DRAIN_SECONDS);
  });

  it("build with the same arguments", () => {
    const declared = [...script("image/Dockerfile").matchAll(/^ARG (\w+)$/gm)].map(([, name]) => name);
    const passed = [...script("lib/idp/scripts/build-image.sh").matchAll(/--build-arg "(\w+)=/g)].map(
      ([, name]) => name,
    );
    const known = Object.values(contract.BUILD_ARGUMENTS).sort();
    expect([[...new Set(declared)].sort(), [...new Set(passed)].sort()]).toEqual([known, known]);
  });

  it("connect to the same database as the same login by default", () => {
    const dbInit = readFileSync(packageFile("lib/idp/scripts/db-init.sh"), "utf8");
    for (const text of [
      `"\${DB_PORT:=${contract.DATABASE_PORT}}"`,
      `"\${DB_ADMIN_USER:=${contract.DATABASE_ADMINISTRATOR}}"`,
      `"\${DB_WAIT_SECONDS:=${contract.DB_INIT_WAIT_SECONDS}}"`,
    ])
      expect(dbInit).toContain(text);
  });
});
