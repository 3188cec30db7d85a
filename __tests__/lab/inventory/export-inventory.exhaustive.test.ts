import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { contentsOf, exported, exportInventory, MACHINE, processesOf, SCOPED_KEY } from "./inventory-run";

describeWith(["jq", "dash", "bash", "busybox"], "export-inventory.sh", () => {
  it.concurrent.each(["bash", "busybox"] as const)("writes the same in another shell (%s)", async (shell) => {
    const [run, standard] = await Promise.all([exported({ shell }), exported()]);

    expect(run).toMatchObject({ exitCode: 0, stderr: "", leftovers: [] });
    expect(run.manifest).toEqual(standard.manifest);
  });

  it.concurrent(
    "gives the same hash for the same machines in another order, and another for other machines",
    async () => {
      const two = [
        MACHINE,
        {
          ...MACHINE,
          InstanceId: "i-2",
          Tags: [
            { Key: "b", Value: "" },
            { Key: "a", Value: "" },
          ],
        },
      ];
      const sameTwo = [
        {
          ...two[1],
          Tags: [
            { Key: "a", Value: "" },
            { Key: "b", Value: "" },
          ],
        },
        MACHINE,
      ];
      const [first, second, third] = await Promise.all([
        exported({ machines: two }),
        exported({ machines: sameTwo }),
        exported({ machines: [MACHINE, { ...two[1], InstanceType: "t3.micro", Tags: [] }] }),
      ]);
      expect(first.manifest).toEqual(second.manifest);
      expect(third.manifest?.hash).not.toBe(first.manifest?.hash);
    },
  );

  it.concurrent("leaves nothing but a manifest when there are no machines", async () => {
    const run = await exported({ machines: [{ ...MACHINE, State: { Name: "terminated" } }] });
    expect(run).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: 0, files: [] } });
    expect(run.stdout).toContain("us-east-1 hosts no machines. Choose another region if they are elsewhere.\n");
  });

  it.concurrent("leaves other tables in the folder alone, and does not count them", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "tables"));
    writeFileSync(join(folder, "tables/invoices.csv"), "1,2");
    const [beside, alone] = await Promise.all([exported({ folder }), exported()]);
    expect(beside.manifest?.hash).toBe(alone.manifest?.hash);
    expect(existsSync(join(folder, "tables/invoices.csv"))).toBe(true);
  });

  it.concurrent("has the key in the environment of the program, and in no argument and no output", async () => {
    const run = await exported({
      before: '[ "$AWS_SECRET_ACCESS_KEY" = "$WANTED" ] || exit 9',
      environment: { WANTED: SCOPED_KEY.secret },
    });
    expect(run.exitCode).toBe(0);
    expect(run.calls.split("\n").filter((call) => call !== "")).toHaveLength(3);
    expect(run.calls + run.stdout + run.stderr).not.toContain(SCOPED_KEY.secret);
  });

  it.concurrent("ignores aliases of the caller, and leaves the rest of the home folder to the program", async () => {
    const home = join(temporaryFolder(), "some where");
    mkdirSync(join(home, ".aws/cli"), { recursive: true });
    mkdirSync(join(home, ".local/lib"), { recursive: true });
    const run = await exported({
      before: '[ ! -e "$HOME/.aws" ] && [ -d "$HOME/.local/lib" ] || exit 9',
      environment: { HOME: home },
    });
    expect(run).toMatchObject({ exitCode: 0, leftovers: [] });
    expect(existsSync(join(home, ".aws/cli"))).toBe(true);
  });

  it.concurrent("accepts a key that ends with a line break, as from a file", async () => {
    const run = await exported({
      before: '[ "$AWS_ACCESS_KEY_ID/$AWS_SECRET_ACCESS_KEY" = "$WANTED" ] || exit 9',
      environment: {
        AWS_ACCESS_KEY_ID: `${SCOPED_KEY.id}\n`,
        AWS_SECRET_ACCESS_KEY: `${SCOPED_KEY.secret}\r\n`,
        WANTED: `${SCOPED_KEY.id}/${SCOPED_KEY.secret}`,
      },
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it.concurrent("ignores the caller's own configuration", async () => {
    const run = await exported({
      before:
        '[ -z "${AWS_PROFILE+x}${AWS_SESSION_TOKEN+x}${AWS_DATA_PATH+x}" ] && [ "$AWS_CONFIG_FILE" = /dev/null ] || exit 9',
      environment: {
        AWS_DATA_PATH: "/own",
        AWS_PROFILE: "own",
        AWS_SESSION_TOKEN: "token",
        AWS_CONFIG_FILE: "/home/somebody/.aws/config",
      },
    });
    expect(run.exitCode).toBe(0);
  });

  it.concurrent("waits for a key that is too new to work, and says so", async () => {
    const run = await exported({
      before: `tries=$(grep -c . "$CALLS")\n[ "$tries" -gt 2 ] || { echo "An error occurred (AuthFailure) when calling the DescribeInstances operation: no" >&2; exit 254; }`,
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toContain(
      "Machines of us-east-1: AuthFailure. A new key or policy takes up to a minute to work; trying again in 0.01 s.\n",
    );
  });

  it.concurrent.each([
    [
      "AuthFailure",
      "The same is said of a region that is not enabled for the account: enable us-east-1 there, or choose the region of the machines.",
    ],
    ["UnauthorizedOperation", "Look for a rule of the organization or a permissions boundary that denies it."],
  ])("gives up on %s in the end, with what else it may mean", async (code, advice) => {
    const run = await exported({
      before: `echo "An error occurred (${code}) when calling the DescribeInstances operation: refused" >&2; exit 254`,
      environment: { KEY_WAIT_SECONDS: "0" },
    });
    expect(run).toMatchObject({ exitCode: 1, manifest: undefined, leftovers: [] });
    expect(run.stderr).toContain(`Machines of us-east-1 failed: An error occurred (${code})`);
    expect(run.stderr).toContain(advice);
  });

  it.concurrent.each([
    ["SIGTERM", "left out"],
    ["SIGTERM", "Machine types: "],
    ["SIGTERM", "attached"],
    ["SIGTERM", "Writing the tables"],
    // Cleans nothing up, so only where files are half written does it differ.
    ["SIGKILL", "Writing the tables"],
  ] as const)('killed by %s after "%s" leaves nothing that disturbs a second run', async (signal, line) => {
    const machines = Array.from({ length: 400 }, (_, index) => ({ ...MACHINE, InstanceId: `i-${index + 10}` }));
    let isKilled = false;
    const killed = await exported({
      machines,
      onOutput: (output, kill) => {
        if (isKilled || !output.includes(line)) return;
        isKilled = true;
        kill(signal);
      },
    });
    expect(killed).toMatchObject({ exitCode: signal === "SIGTERM" ? 143 : null, manifest: undefined });
    if (signal === "SIGTERM") {
      expect(killed.leftovers).toEqual([]);
      expect(processesOf(killed.folder)).toEqual([]);
    }
    const again = await exportInventory({
      folder: killed.folder,
      programs: [join(killed.folder, "bin"), process.env.PATH ?? ""],
    });
    expect(again).toMatchObject({ exitCode: 0, manifest: { instances: 400 } });
    expect(again.leftovers.filter((name) => !killed.leftovers.includes(name))).toEqual([]);
    expect(contentsOf(again, "vmInfo")).toHaveLength(400);
  });

  it.concurrent("ends a program that misses the signal, too", async () => {
    const run = await exported({ before: 'trap "" TERM; kill -TERM "$PPID"; exec sleep 60' });
    expect(run).toMatchObject({ exitCode: 143, stderr: "Interrupted by SIGTERM.\n", leftovers: [] });
    expect(processesOf(run.folder)).toEqual([]);
  });

  it.concurrent("fails when a later page fails, and leaves no inventory", async () => {
    const run = await exported({
      before: `case "$*" in *describe-volumes*) cat "$HOME/describe-volumes"; echo "An error occurred (InternalError) when calling the DescribeVolumes operation: broken" >&2; exit 254 ;; esac`,
    });
    expect(run).toMatchObject({ exitCode: 1, manifest: undefined, leftovers: [] });
    expect(run.stderr).toBe(
      "Volumes of us-east-1 failed: An error occurred (InternalError) when calling the DescribeVolumes operation: broken\n  Nothing was imported. Apply again when the cause is gone.\n",
    );
  });

  it.concurrent("refuses machines whose type is not described", async () => {
    const run = await exported({ types: [] });
    expect(run).toMatchObject({ exitCode: 1, manifest: undefined });
    expect(run.stderr).toContain("does not say how many processors and how much memory these types have: t3.micro.\n");
  });

  it.concurrent("refuses invalid rows", async () => {
    const run = await exported({ before: "echo INSTANCES; exit 0" });
    expect(run).toMatchObject({ exitCode: 1, manifest: undefined });
    expect(run.stderr).toContain("Machines of us-east-1: the answer is not one of AWS:");
  });

  it.concurrent("names all settings that are wrong at once", async () => {
    const run = await exported({
      environment: {
        AWS_SECRET_ACCESS_KEY: "",
        CLOUDB_REGION: "Virginia",
        KEY_WAIT_SECONDS: "0120",
        PAGE_SIZE: "4",
        INVENTORY_FOLDER: "/nowhere",
      },
    });
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).toBe(`export-inventory.sh cannot start:
  - AWS_SECRET_ACCESS_KEY is not set; it must hold the secret of the key.
  - CLOUDB_REGION is "Virginia"; it must hold an AWS region, like us-east-1.
  - KEY_WAIT_SECONDS is "0120"; it must hold a number of seconds, at most 999999.
  - PAGE_SIZE is "4"; it must hold a number of rows between 5 and 1000.
  - INVENTORY_FOLDER is /nowhere, which is no folder that can be written to.
`);
  });

  it.concurrent("names all programs that are missing in one message", async () => {
    const run = await exported({ programs: [programFolder({ without: ["jq", "sha256sum"] })] });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("Missing on this machine: aws jq sha256sum.");
  });
});
