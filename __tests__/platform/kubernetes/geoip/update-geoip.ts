import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { packageFile } from "../../../../lib/core/package-file";
import { describeWith, programPath } from "../../../support/programs";
import { temporaryFolder } from "../../../support/temporary-folder";
import { followed } from "../../../support/process-run";

/** As in the container, where the text is an argument of the shell. */
const SCRIPT = readFileSync(packageFile("lib/platform/kubernetes/scripts/update-geoip.sh"), "utf8");

const SHELLS = {
  busybox: () => [programPath("busybox"), "sh"],
  dash: () => [programPath("dash")],
} as const;

/** Fails as often as the file `failures` has lines, and writes down each call. */
const UPDATER = `#!/bin/sh
echo "$GEOIPUPDATE_ACCOUNT_ID" >>"$STUB/calls"
if [ -s "$STUB/failures" ]; then
  sed -i 1d "$STUB/failures"
  echo "error retrieving updates: HTTP 401" >&2
  exit 1
fi
[ ! -e "$STUB/hangs" ] || exec sleep 60
echo database >"$GEOIPUPDATE_DB_DIR/GeoLite2-City.mmdb"
`;

/** Prints that it has started. A signal sent earlier would reach the shell that starts it, and be lost. */
const SLEEP = `#!/bin/sh
echo "$1" >>"$STUB/pauses"
PATH=/usr/bin:/bin exec sleep "$1"
`;

interface Run {
  readonly process: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

/** What the script does; `thorough` has also another shell, downloads that fail or hang, and signals. */
export function describeUpdateGeoip({ thorough }: { readonly thorough: boolean }): void {
  describeWith(["busybox", "dash"], "update-geoip.sh", () => {
    let folder: string;
    let run: Run | undefined;

    beforeEach(() => {
      folder = temporaryFolder();
      mkdirSync(join(folder, "databases"));
      for (const [name, text] of Object.entries({ geoipupdate: UPDATER, sleep: SLEEP })) {
        writeFileSync(join(folder, name), text);
        chmodSync(join(folder, name), 0o755);
      }
    });

    afterEach(async () => {
      if (run?.process.pid === undefined) return;
      try {
        process.kill(-run.process.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
      await run.ended;
      run = undefined;
    });

    const start = (shell: keyof typeof SHELLS = "dash", settings: Readonly<Record<string, string>> = {}): Run => {
      const [program = "", ...words] = SHELLS[shell]();
      const child = spawn(program, [...words, "-c", SCRIPT], {
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

    const shells = thorough ? (["dash", "busybox"] as const) : (["dash"] as const);

    it.each(shells)("fetches the databases, then waits, with %s", async (shell) => {
      const { said } = start(shell);
      await until(() => has("databases/.tried"));
      expect(has("databases/GeoLite2-City.mmdb")).toBe(true);
      await until(() => has("pauses") && said() !== "");
      expect(readFileSync(join(folder, "pauses"), "utf8")).toBe(`${8 * 3600}\n`);
      expect(calls()).toBe(1);
      expect(said()).toBe("geoip: the databases are up to date\n");
    });

    it("refuses to run without its folder", async () => {
      const { ended, said } = start("dash", { GEOIPUPDATE_DB_DIR: "" });
      expect(await ended).toBe(2);
      expect(said()).toContain("GEOIPUPDATE_DB_DIR");
    });

    if (!thorough) return;

    it.each(shells)(
      "survives failed downloads, lets the server start meanwhile and says what to check, with %s",
      async (shell) => {
        writeFileSync(join(folder, "failures"), "1\n2\n");
        const { process: child, said } = start(shell, { GEOIP_RETRY_SECONDS: "0.1" });
        await until(() => has("databases/.tried"));
        await until(() => has("databases/GeoLite2-City.mmdb"));
        expect(calls()).toBe(3);
        expect(child.exitCode).toBeNull();
        expect(said()).toContain("geoip: no databases came; check the account and its licence key\n");
        expect(said()).not.toContain("key-of-nobody");
      },
    );

    it("gives up a download that hangs, so that the server starts", async () => {
      writeFileSync(join(folder, "hangs"), "");
      const { said } = start("dash", { GEOIP_TRY_SECONDS: "0.2" });
      await until(() => has("databases/.tried"));
      await until(() => said().includes("no databases came"));
      expect(has("databases/GeoLite2-City.mmdb")).toBe(false);
    });

    it.each([
      ["while it waits", false],
      ["while it downloads", true],
    ])("ends at once and successfully when it is told to, %s", async (_, hangs) => {
      if (hangs) writeFileSync(join(folder, "hangs"), "");
      const { ended, process: child } = start();
      const waits = () => readFileSync(`/proc/${child.pid ?? ""}/stat`, "utf8").includes(") S ");
      await until(() => (hangs ? calls() === 1 : has("pauses")) && waits());
      const asked = Date.now();
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
      expect(Date.now() - asked).toBeLessThan(2000);
    });
  });
}
