import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { packageFile } from "../../../../lib/core/package-file";
import { programFolder } from "../../../support/google-stand-in-scripts";
import { describeWith, programPath } from "../../../support/programs";
import { followed } from "../../../support/process-run";

/** As in the container, where the text is an argument of the shell. */
const SCRIPT = readFileSync(packageFile("lib/platform/kubernetes/scripts/update-geoip.sh"), "utf8");

/** Fails as often as the file `failures` has lines, and writes down each call. */
const UPDATER = `
echo "$GEOIPUPDATE_ACCOUNT_ID" >>"$STUB/calls"
if [ -s "$STUB/failures" ]; then
  sed -i 1d "$STUB/failures"
  echo "error retrieving updates: HTTP 401" >&2
  exit 1
fi
[ ! -e "$STUB/hangs" ] || exec sleep 60
echo database >"$GEOIPUPDATE_DB_DIR/GeoLite2-City.mmdb"`;

/** Says that it has started. A signal sent earlier would reach the shell that starts it, and be lost. */
const SLEEP = 'echo "$1" >>"$STUB/pauses"\nPATH=/usr/bin:/bin exec sleep "$1"';

interface Run {
  readonly process: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

describeWith(["busybox", "dash"], "update-geoip.sh", () => {
  let folder: string;
  let run: Run | undefined;

  beforeEach(() => {
    folder = programFolder({ scripts: { geoipupdate: UPDATER, sleep: SLEEP } });
    mkdirSync(join(folder, "databases"));
  });

  afterEach(async () => {
    if (run?.process.exitCode === null) process.kill(-(run.process.pid ?? 0), "SIGKILL");
    await run?.ended;
    run = undefined;
  });

  const start = (shell: "busybox" | "dash", settings: Readonly<Record<string, string>> = {}): Run => {
    const words = [...(shell === "busybox" ? ["sh"] : []), "-c", SCRIPT];
    const child = spawn(programPath(shell), words, {
      // A group of its own, which ends with the test as the container does with its first process.
      detached: true,
      env: {
        PATH: `${folder}:${process.env.PATH ?? ""}`,
        STUB: folder,
        GEOIPUPDATE_ACCOUNT_ID: "123456",
        GEOIPUPDATE_LICENSE_KEY: "key-of-nobody",
        GEOIPUPDATE_DB_DIR: join(folder, "databases"),
        GEOIP_UPDATE_HOURS: "8",
        ...settings,
      },
    });
    const { ended, printed } = followed(child);
    run = { process: child, said: () => printed.output, ended };
    return run;
  };

  const has = (name: string) => existsSync(join(folder, name));
  const calls = () => (has("calls") ? readFileSync(join(folder, "calls"), "utf8").split("\n").length - 1 : 0);

  const until = async (holds: () => boolean): Promise<void> => {
    const deadline = Date.now() + 10_000;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error(`it never came to that; the script says: ${run?.said() ?? ""}`);
      await sleep(20);
    }
  };

  it("survives failed downloads, lets the server start meanwhile and says what to check", async () => {
    writeFileSync(join(folder, "failures"), "1\n2\n");
    const { process: child, said } = start("busybox", { GEOIP_RETRY_SECONDS: "0.1" });
    await until(() => has("databases/.tried"));
    await until(() => has("databases/GeoLite2-City.mmdb"));
    expect(calls()).toBe(3);
    expect(child.exitCode).toBeNull();
    expect(said()).toContain("geoip: no databases came; check the account and its licence key\n");
    expect(said()).not.toContain("key-of-nobody");
  });

  it("gives up a download that hangs, so that the server starts", async () => {
    writeFileSync(join(folder, "hangs"), "");
    const { said } = start("dash", { GEOIP_TRY_SECONDS: "0.2" });
    await until(() => has("databases/.tried"));
    await until(() => said().includes("no databases came"));
  });

  it.each([
    ["waits", false],
    ["downloads", true],
  ])("ends at once and successfully when it is told to while it %s", async (_, hangs) => {
    if (hangs) writeFileSync(join(folder, "hangs"), "");
    const { ended, process: child } = start("busybox");
    const waits = () => readFileSync(`/proc/${child.pid ?? ""}/stat`, "utf8").includes(") S ");
    await until(() => (hangs ? calls() === 1 : has("pauses")) && waits());
    const asked = Date.now();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(Date.now() - asked).toBeLessThan(2000);
  });
});
