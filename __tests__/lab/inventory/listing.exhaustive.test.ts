import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { scenarioIn } from "../../support/api-scene";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveSource, inScene as inProject, type Scene as Project } from "../assessment-service/assessment-scene";
import { type Account, rowsOf, SCOPED_KEY, withAws } from "./inventory-run";

const inScene = (test: (scene: Project) => Promise<void>) =>
  inProject(async (scene) => {
    haveSource(scene.standIn);
    await test(scene);
  });
const scenario = scenarioIn(inScene);

/** A program that fails with this error. */
const failing = (code: string, call = ""): Account => ({
  before: `case "$*" in *"${call}"*) echo "An error occurred (${code}) when calling it: refused" >&2; exit 254 ;; esac`,
});

describeWith(["busybox", "curl", "dash", "jq"], "import-inventory.sh lists what AWS has and", () => {
  scenario("gives the program the key, ignores the caller's set-up, and shows no secret", async ({ run }) => {
    const environment = { AWS_PROFILE: "own", AWS_SESSION_TOKEN: "token", AWS_CONFIG_FILE: "/home/me/.aws/config" };
    const { exitCode, output } = await run(
      "import-inventory",
      withAws(
        { environment, shell: "busybox" },
        {
          before: `[ "$AWS_ACCESS_KEY_ID/$AWS_SECRET_ACCESS_KEY" = "${SCOPED_KEY.id}/${SCOPED_KEY.secret}" ] || exit 9
[ -z "\${AWS_PROFILE+x}\${AWS_SESSION_TOKEN+x}" ] && [ "$AWS_CONFIG_FILE" = /dev/null ] || exit 9`,
        },
      ),
    );

    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).not.toContain(SCOPED_KEY.secret);
  });

  it.concurrent.each<readonly [string, Account, RegExp]>([
    ["a key", failing("AuthFailure"), /describe-instances failed: .*\(AuthFailure\).*\n {2}The key.*enable us-east-1/],
    ["a policy", failing("UnauthorizedOperation", "volumes"), /describe-volumes failed: .*\n.* permissions boundary/],
    ["a region", failing("InvalidAction"), /failed: .*\(InvalidAction\).*\n {2}Nothing was imported\. Apply again/],
    [
      "a portal's page",
      { before: "echo '{}'; exit 0" },
      /the answer is not one of AWS\.\n {2}To fix: see that no proxy/,
    ],
    ["an undescribed type", { types: [] }, /how much memory these types have: t3\.micro\.\n {2}Machines without/],
  ])("imports nothing for the sake of %s", (_, account, says) =>
    inScene(async ({ run, standIn }) => {
      const run1 = await run("import-inventory", withAws({ environment: { KEY_WAIT_SECONDS: "0" } }, account));

      expect(run1.exitCode).toBe(1);
      expect(run1.stderr).toMatch(says);
      expect(standIn.requests).toEqual([]);
    }),
  );

  scenario("waits while a new key does not work yet", async ({ run, standIn }) => {
    const once = `[ -e "$0.asked" ] || { : >"$0.asked"; echo "(AuthFailure) not yet" >&2; exit 254; }`;
    const { exitCode, stderr } = await run("import-inventory", withAws({}, { before: once }));

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(rowsOf(standIn, "vmInfo")).toHaveLength(2);
  });

  scenario("ends the program and leaves nothing when it is interrupted", async ({ run }) => {
    const folder = temporaryFolder();
    const marks = temporaryFolder();
    const options = withAws(
      { environment: { TMPDIR: folder } },
      { before: `echo $$ >${marks}/process; kill -TERM $PPID; exec sleep 60` },
    );
    const { exitCode, stderr } = await run("import-inventory", options);

    expect({ exitCode, stderr }).toEqual({ exitCode: 143, stderr: "Interrupted by SIGTERM.\n" });
    expect(readdirSync(folder)).toEqual([]);
    expect(() => process.kill(Number(readFileSync(join(marks, "process"), "utf8")), 0)).toThrow("ESRCH");
  });

  scenario("names all missing programs in one message, before anything is done", async ({ run }) => {
    const { exitCode, output } = await run("import-inventory", { arguments: ["--check"] });
    const found = await run("import-inventory", withAws({ arguments: ["--check"] }));

    expect([exitCode, found.exitCode, found.output]).toEqual([2, 0, ""]);
    expect(output).toMatch(/^Missing on this machine: aws\. Install them \(jq 1\.6 or newer, aws 1 or 2\)/);
  });
});
