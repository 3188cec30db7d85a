import { join } from "node:path";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";

import { exportInventory } from "../support/inventory-run";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/synthesis";

const TYPES = Array.from({ length: 250 }, (_, index) => `m5.size${index}`);

/** Programs of cloud B and of the system that take their time, none of them for long. */
function slowPrograms(folder: string): string {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const json = (name: string, items: readonly object[]) => {
    const path = join(folder, name);
    writeFileSync(path, items.map((item) => `${JSON.stringify(item)}\n`).join(""));
    return path;
  };
  const machines = json(
    "machines",
    TYPES.map((type, index) => ({ InstanceId: `i-${index}`, InstanceType: type, State: { Name: "running" } })),
  );
  const types = json(
    "types",
    TYPES.map((type) => ({ InstanceType: type, VCpuInfo: { DefaultVCpus: 2 }, MemoryInfo: { SizeInMiB: 1024 } })),
  );
  const scripts = {
    aws: `case "$*" in
      *describe-instances*) cat '${machines}' ;;
      *describe-instance-types*) sleep 1.2; cat '${types}' ;;
    esac`,
    sha256sum: `sleep 1\nexec ${programPath("sha256sum")} "$@"`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  return programs;
}

describeWith(["dash", "jq", "sha256sum"], "export-inventory.sh", () => {
  it("is not silent for long when a row of short listings, or of files, takes long together", async () => {
    const folder = temporaryFolder();

    const { exitCode, stdout } = await exportInventory({
      folder,
      programs: [slowPrograms(folder), process.env.PATH ?? ""],
      environment: { REST_SILENCE_SECONDS: "4" },
    });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Machine types \d+ to \d+ of 250: \d+ so far \(\d+ s\)$/m);
    expect(stdout).toMatch(/^Taking checksums of the tables \(\d+ s\)$/m);
  });
});
