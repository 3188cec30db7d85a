import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

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
      const tags = ["a", "b"].map((Key) => ({ Key, Value: "" }));
      const other = { ...MACHINE, InstanceId: "i-2", Tags: tags };
      const [first, second, third] = await Promise.all([
        exported({ machines: [MACHINE, other] }),
        exported({ machines: [{ ...other, Tags: tags.toReversed() }, MACHINE] }),
        exported({ machines: [MACHINE, { ...other, Tags: [] }] }),
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

  it.concurrent("gives the program the key, without the line break of a file, and shows it nowhere", async () => {
    const run = await exported({
      before: '[ "$AWS_ACCESS_KEY_ID/$AWS_SECRET_ACCESS_KEY" = "$WANTED" ] || exit 9',
      environment: {
        AWS_ACCESS_KEY_ID: `${SCOPED_KEY.id}\n`,
        AWS_SECRET_ACCESS_KEY: `${SCOPED_KEY.secret}\r\n`,
        WANTED: `${SCOPED_KEY.id}/${SCOPED_KEY.secret}`,
      },
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.calls.split("\n").filter((call) => call !== "")).toHaveLength(3);
    expect(run.calls + run.stdout).not.toContain(SCOPED_KEY.secret);
  });

  it.concurrent("ignores the caller's aliases and configuration, and leaves the rest of the home folder", async () => {
    const home = join(temporaryFolder(), "some where");
    mkdirSync(join(home, ".aws/cli"), { recursive: true });
    mkdirSync(join(home, ".local/lib"), { recursive: true });
    const run = await exported({
      before: `[ ! -e "$HOME/.aws" ] && [ -d "$HOME/.local/lib" ] || exit 9
[ -z "\${AWS_PROFILE+x}\${AWS_SESSION_TOKEN+x}\${AWS_DATA_PATH+x}" ] && [ "$AWS_CONFIG_FILE" = /dev/null ] || exit 9`,
      environment: {
        ...{ HOME: home, AWS_DATA_PATH: "/own", AWS_PROFILE: "own", AWS_SESSION_TOKEN: "token" },
        AWS_CONFIG_FILE: "/home/somebody/.aws/config",
      },
    });
    expect(run).toMatchObject({ exitCode: 0, stderr: "", leftovers: [] });
    expect(existsSync(join(home, ".aws/cli"))).toBe(true);
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

  it.concurrent("refuses machines whose type is not described", async () => {
    const run = await exported({ types: [] });
    expect(run).toMatchObject({ exitCode: 1, manifest: undefined });
    expect(run.stderr).toContain("does not say how many processors and how much memory these types have: t3.micro.\n");
  });
});
