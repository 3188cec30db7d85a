import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { programFolder, PROGRAMS } from "../support/google-stand-in-scripts";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";

const SOURCE = packageFile("stacks/examples/runtime-probe");

describeWith(["terraform", "curl", "jq"], "The probe of a runtime", () => {
  const folder = temporaryFolder();
  cpSync(SOURCE, folder, { recursive: true });
  const terraform = (command: readonly string[], environment: Readonly<Record<string, string>>) => {
    const { status, stderr, stdout } = spawnSync(programPath("terraform"), [...command, "-no-color"], {
      cwd: folder,
      encoding: "utf8",
      // Nothing answers at this address, on any machine.
      env: { GCE_METADATA_HOST: "127.0.0.1:9", CHECKPOINT_DISABLE: "1", HOME: folder, ...environment },
    });
    return { status, said: `${stdout}${stderr}`.replaceAll(/\s+/g, " ") };
  };
  const applied = (environment: Readonly<Record<string, string>>) =>
    terraform(["apply", "-auto-approve", "-input=false"], environment);

  beforeAll(() => {
    expect(terraform(["init"], { PATH: programFolder() }).status).toBe(0);
  });

  it("looks for the programs that scripts may call, which are those of their tests", () => {
    const [, named = ""] = /^programs='([^']*)'$/m.exec(readFileSync(`${SOURCE}/probe.sh`, "utf8")) ?? [];
    expect(named.trim().split(/\s+/).sort()).toEqual([...PROGRAMS].sort());
  });

  it("ends well where all of them are there, and credentials", () => {
    const { said, status } = applied({ PATH: programFolder(), GOOGLE_OAUTH_ACCESS_TOKEN: "token" });
    expect(said).toContain("This runtime has all that the scripts need.");
    expect(status).toBe(0);
  });

  it("names what is missing, at each apply anew", () => {
    const { said, status } = applied({ PATH: programFolder({ without: ["jq", "awk"] }) });
    expect(said).toContain("This runtime lacks: awk jq credentials. Apply the folders somewhere else");
    expect(status).toBe(1);
  });
});
