import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LAB_PASSWORD, LAB_USER, SAMPLE_IMPORT_NAME } from "../../../lib/lab/contract";
import { FIRST_BOOT_VALUES_KEY, WINDOWS_FIRST_BOOT, windowsFirstBootValues } from "../../../lib/lab/first-boot-values";
import { deliveredScript } from "../../support/delivered-script";
import { temporaryFolder } from "../../support/temporary-folder";
import { runOf } from "../../support/process-run";
import { type MetadataServer, startMetadataServer } from "./metadata-server";

const SCRIPT = deliveredScript(WINDOWS_FIRST_BOOT.script);

/** Not in Debian: where it is missing, also on a machine of CI, the grammar alone is tested. */
const POWERSHELL = (process.env.PATH ?? "")
  .split(":")
  .map((folder) => join(folder, "pwsh"))
  .find((path) => existsSync(path));
if (POWERSHELL === undefined) process.stderr.write("SKIPPED windows-first-boot.ps1 with stand-ins: needs pwsh\n");

(POWERSHELL === undefined ? describe.skip : describe)("windows-first-boot.ps1 with stand-ins for Windows", () => {
  let folder: string;
  let metadata: MetadataServer;

  beforeEach(async () => {
    folder = temporaryFolder();
    for (const name of ["data", "public", "profile"]) mkdirSync(join(folder, name));
    metadata = await startMetadataServer();
    setPassword(LAB_PASSWORD);
  });
  afterEach(async () => {
    await metadata.stop();
  });

  const setPassword = (labPassword: string | null): void => {
    const values = windowsFirstBootValues(labPassword);
    metadata.entries.set(`attributes/${FIRST_BOOT_VALUES_KEY}`, JSON.stringify(values));
  };

  const run = async (failures = "", missing = "") => {
    const calls = join(folder, "calls");
    rmSync(calls, { force: true });
    const child = spawn(
      POWERSHELL ?? "",
      [...["-NoProfile", "-NoLogo", "-NonInteractive", "-File", join(__dirname, "windows-stand-in.ps1")], SCRIPT],
      {
        cwd: folder,
        env: {
          ASSESSMENT_LAB_PAUSE_SECONDS: "0",
          GCE_METADATA_HOST: metadata.host,
          HOME: folder,
          PATH: process.env.PATH,
          POWERSHELL_TELEMETRY_OPTOUT: "1",
          PUBLIC: join(folder, "public"),
          ProgramData: join(folder, "data"),
          STAND_IN_CALLS: calls,
          STAND_IN_FAILURES: failures,
          STAND_IN_MISSING: missing,
          STAND_IN_PROFILE: join(folder, "profile"),
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const { exitCode, output } = await runOf(child);
    const lines = existsSync(calls) ? readFileSync(calls, "utf8").trim().split(/\r?\n/) : [];
    return { exitCode, output, calls: lines };
  };

  const lastLine = (output: string): string | undefined => output.trim().split(/\r?\n/).at(-1);

  it("prepares the VM once, and does not print the password", async () => {
    const first = await run();
    expect({ exitCode: first.exitCode, last: lastLine(first.output) }).toEqual({
      exitCode: 0,
      last: "assessment-lab: ready",
    });
    expect(first.output).not.toContain(LAB_PASSWORD);
    const calls = first.calls.map((line) => JSON.parse(line) as { name: string; details: unknown });
    expect(calls).toContainEqual({ name: "New-LocalUser", details: [LAB_USER, LAB_PASSWORD] });
    for (const group of ["Administratoren", "Remotedesktopbenutzer", "MCDCUsers"]) {
      expect(calls).toContainEqual({ name: "Add-LocalGroupMember", details: [group, LAB_USER] });
    }
    expect(calls).toContainEqual({ name: "sc.exe", details: "config GoogleMCDC start= delayed-auto" });
    expect(calls).toContainEqual({ name: "Start-Service", details: "GoogleMCDC" });
    for (const place of ["public", "profile"]) {
      const archive = readFileSync(join(folder, place, "Downloads", `${SAMPLE_IMPORT_NAME}.zip`));
      expect(archive.includes(`${SAMPLE_IMPORT_NAME}/vmInfo.csv`)).toBe(true);
    }

    const second = await run();
    expect({ ...second, output: second.output.trim() }).toEqual({
      exitCode: 0,
      output: "assessment-lab: ready",
      calls: [],
    });
  });

  it("gives the lab user an unknown password, different on every VM, and only once", async () => {
    setPassword(null);
    const passwordsOf = ({ calls }: { calls: string[] }) =>
      calls
        .map((line) => JSON.parse(line) as { name: string; details: unknown })
        .flatMap(({ details, name }) => (/^(New|Set)-LocalUser$/.test(name) ? [(details as string[])[1] ?? ""] : []));
    const passwords = [...passwordsOf(await run()), ...passwordsOf(await run())];
    expect(passwords).toHaveLength(1);
    expect(passwords[0]).toMatch(/^[A-Za-z0-9+/]{43}=-aA1$/);
    rmSync(join(folder, "data/assessment-lab/first-boot.done"));
    expect(passwordsOf(await run())).not.toEqual(passwords);
  });

  it("downloads a package without a signature once, and installs none of it", async () => {
    const { calls, exitCode, output } = await run("", "signature");
    expect({ exitCode, last: lastLine(output) }).toEqual({
      exitCode: 1,
      last: "assessment-lab: incomplete: browser (the signature of the package is not valid: NotSigned); discovery client (the signature of the package is not valid: NotSigned); the next boot tries again",
    });
    expect(calls.filter((line) => line.includes("curl.exe"))).toHaveLength(2);
    expect(calls.filter((line) => line.includes("Start-Process"))).toEqual([]);
  });

  it("goes on after an optional failure, and repeats it in the last line of every boot", async () => {
    const first = await run("Get-ItemProperty");
    const summary =
      "assessment-lab: incomplete: user profile (no luck with Get-ItemProperty); sample import (the user has no " +
      `profile; the archive is in the public Downloads folder alone); to try again, delete the file ${join(folder, "data/assessment-lab/first-boot.done")} and restart this host`;
    expect({ exitCode: first.exitCode, last: lastLine(first.output) }).toEqual({ exitCode: 0, last: summary });
    expect(first.output).toMatch(/ discovery client: done in \d+ s/);
    const second = await run();
    expect({ ...second, output: second.output.trim() }).toEqual({ exitCode: 0, output: summary, calls: [] });
    rmSync(join(folder, "data/assessment-lab/first-boot.done"));
    expect(lastLine((await run()).output)).toBe("assessment-lab: ready");
  });

  it("is ready without the group of the client's users, and not with a group that the lab user is not in", async () => {
    const without = await run("", "client-group");
    expect({ exitCode: without.exitCode, last: lastLine(without.output) }).toEqual({
      exitCode: 0,
      last: "assessment-lab: ready",
    });
    expect(without.output).toContain("there is no group MCDCUsers, so no user needs to be in it");
    rmSync(join(folder, "data/assessment-lab/first-boot.done"));
    const refused = await run("Add-LocalGroupMember MCDCUsers");
    expect({ exitCode: refused.exitCode, last: lastLine(refused.output) }).toEqual({
      exitCode: 1,
      last: "assessment-lab: incomplete: discovery client user (no luck with Add-LocalGroupMember MCDCUsers); the next boot tries again",
    });
  });

  it("tries again at the next boot after an essential failure", async () => {
    const first = await run("Set-ItemProperty");
    expect({ exitCode: first.exitCode, last: lastLine(first.output) }).toEqual({
      exitCode: 1,
      last: "assessment-lab: incomplete: remote desktop (no luck with Set-ItemProperty); the next boot tries again",
    });
    expect(first.output).toMatch(/ discovery client: done in \d+ s/);
    expect(lastLine((await run()).output)).toBe("assessment-lab: ready");
  });
});
