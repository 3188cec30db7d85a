import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { LAB_USER } from "../../../lib/lab/contract";
import { LoopbackServer } from "../../support/loopback-server";
import { runOf } from "../../support/process-run";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";

const SCRIPT = packageFile("lib/lab/scripts/linux-first-boot.sh");
const KEY = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAACAQC0the+real/one==";

/** What the script may call besides its stubs, and what the hostile values would; nothing else is on its PATH. */
const COREUTILS = [
  "awk",
  "cat",
  "chmod",
  "cut",
  "grep",
  "head",
  "mkdir",
  "mv",
  "rm",
  "sleep",
  "tail",
  "touch",
] as const;

/**
 * Programs that change the users of the machine: they change files in the test's own root folder, and keep a record.
 */
const STUBS = {
  getent: 'grep "^$2:" "$STUB_ROOT/etc/passwd"',
  useradd: `
[ ! -e "$STUB_ROOT/busy" ] || { rm "$STUB_ROOT/busy"; echo "useradd: cannot lock /etc/passwd" >&2; exit 1; }
printf '%s ' useradd "$@" >>"$STUB_ROOT/calls"; echo >>"$STUB_ROOT/calls"
for name; do :; done
echo "$name:x:1001:1002::/home/$name:/bin/bash" >>"$STUB_ROOT/etc/passwd"
mkdir -p "$STUB_ROOT/home/$name"`,
  chown:
    'printf "%s " chown "$1" >>"$STUB_ROOT/calls"; shift; for path; do printf "%s " "${path##*/}"; done >>"$STUB_ROOT/calls"; echo >>"$STUB_ROOT/calls"',
  visudo:
    '[ ! -e "$STUB_ROOT/no-sudo" ] || { echo "syntax error near line 1" >&2; exit 1; }; [ "$1 $2" = "-c -f" ] && cat "$3" >"$STUB_ROOT/checked"',
} as const;

describeWith(["curl", "dash"], "linux-first-boot.sh", () => {
  let root: string;
  /** What the metadata server has, and requests that it answers 503 before it gives it. */
  const given = { values: {} as Readonly<Record<string, string>>, failures: 0 };
  const metadata = new LoopbackServer(({ headers, url }, response) => {
    const value = given.values[url?.replace("/computeMetadata/v1/instance/attributes/", "") ?? ""];
    const isFound = value !== undefined;
    const status = given.failures > 0 ? 503 : headers["metadata-flavor"] !== "Google" ? 403 : isFound ? 200 : 404;
    given.failures = Math.max(0, given.failures - 1);
    response.writeHead(status).end(status === 200 ? value : undefined);
  });

  beforeAll(() => metadata.start());
  afterAll(() => metadata.stop());

  beforeEach(() => {
    root = temporaryFolder();
    for (const folder of ["bin", "etc/sudoers.d", "home"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/bin/false\n");
    for (const [name, text] of Object.entries(STUBS)) {
      writeFileSync(join(root, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    symlinkSync(programPath("curl"), join(root, "bin/curl"));
    given.failures = 0;
    give(`${KEY} lab\n`);
  });
  const give = (key: string, user = LAB_USER): void => {
    given.values = { "lab-user": user, "lab-ssh-key": key };
  };

  const run = async () => {
    for (const name of COREUTILS) {
      const link = join(root, "bin", name);
      rmSync(link, { force: true });
      symlinkSync(systemPath(name), link);
    }
    const child = spawn(programPath("dash"), [SCRIPT], {
      cwd: root,
      env: {
        ASSESSMENT_LAB_PAUSE_SECONDS: "0.01",
        ASSESSMENT_LAB_ROOT: root,
        GCE_METADATA_HOST: metadata.host,
        PATH: join(root, "bin"),
        STUB_ROOT: root,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { exitCode, output } = await runOf(child);
    return { exitCode, output };
  };

  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const mode = (path: string): string => (statSync(join(root, path)).mode & 0o777).toString(8);
  const home = `home/${LAB_USER}`;
  const keysPath = `${home}/.ssh/authorized_keys`;
  const sudoersPath = "etc/sudoers.d/assessment-lab";

  it("prepares a VM, and changes nothing the second time", async () => {
    const first = await run();
    expect(first).toEqual({ exitCode: 0, output: "assessment-lab: ready\n" });
    const keys = `# Added by assessment-lab\n${KEY} lab\n`;
    const sudoers = `${LAB_USER} ALL=(ALL:ALL) NOPASSWD: ALL\n`;
    expect(read(keysPath)).toBe(keys);
    expect(read(sudoersPath)).toBe(sudoers);
    expect(read("checked")).toBe(sudoers);
    expect([`${home}/.ssh`, keysPath, sudoersPath].map(mode)).toEqual(["700", "600", "440"]);
    expect(read("calls")).toMatch(
      new RegExp(
        `^useradd --create-home --shell /bin/bash --password \\* ${LAB_USER} \nchown 1001:1002 \\.ssh \\.authorized_keys \n$`,
      ),
    );

    const second = await run();
    expect(second).toEqual(first);
    expect(read(keysPath)).toBe(keys);
    expect(read("calls").match(/useradd/g)).toHaveLength(1);
    // No draft is left behind.
    expect(readdirSync(join(root, home, ".ssh"))).toEqual(["authorized_keys"]);
    expect(readdirSync(join(root, "etc/sudoers.d"))).toEqual(["assessment-lab"]);
  });

  it("keeps the user and the keys that the guest agent has made, and replaces an earlier key of the lab", async () => {
    writeFileSync(join(root, "etc/passwd"), `${LAB_USER}:x:1500:1500::/home/${LAB_USER}:/bin/sh\n`, { flag: "a" });
    mkdirSync(join(root, home, ".ssh"), { recursive: true });
    const others = '# Added by Google\nssh-rsa AAAAgoogle google-ssh\ncommand="date" ssh-ed25519 AAAAown own';
    writeFileSync(join(root, keysPath), `# Added by assessment-lab\nssh-rsa AAAAearlier lab\n${others}`);

    expect((await run()).exitCode).toBe(0);

    expect(read(keysPath)).toBe(`${others}\n# Added by assessment-lab\n${KEY} lab\n`);
    expect(read("calls")).toMatch(/^chown 1500:1500 /);
  });

  describe("values", () => {
    const hostile = ["$(touch $STUB_ROOT/hit) `touch $STUB_ROOT/hit`", "a\ntouch $STUB_ROOT/hit", "-rf *", ""];
    const expectRefused = async (key: string): Promise<void> => {
      const output = `assessment-lab: incomplete: the metadata key ${key} has another form\n`;
      expect(await run()).toEqual({ exitCode: 1, output });
      for (const file of ["hit", "calls"]) expect(existsSync(join(root, file))).toBe(false);
    };

    it("cannot become code in the comment of the key", async () => {
      const comment = hostile.join(" ").replaceAll("\n", " ");
      give(`${KEY} ${comment}`);
      expect((await run()).exitCode).toBe(0);
      expect(read(keysPath)).toBe(`# Added by assessment-lab\n${KEY} ${comment}\n`);
      expect(existsSync(join(root, "hit"))).toBe(false);
    });

    it.each(hostile)("cannot become code in the name of the user: %j", async (labUser) => {
      give(KEY, labUser);
      await expectRefused("lab-user");
    });

    it.each([
      ["a second line", `${KEY} lab\nssh-rsa AAAAintruder x`],
      ["options before the key", `command="touch /hit" ${KEY}`],
      ["no key", ""],
    ])("are refused: %s as the key", async (_what, sshPublicKey) => {
      give(sshPublicKey);
      await expectRefused("lab-ssh-key");
    });
  });

  it("tries again while the metadata server and the files of the users are busy", async () => {
    given.failures = 2;
    writeFileSync(join(root, "busy"), "");

    const { exitCode, output } = await run();

    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^assessment-lab: metadata: attempt 1 of 24: .*503\nassessment-lab: metadata: attempt 2 of 24: .*503\n/,
    );
    expect(output).toContain(
      `assessment-lab: user ${LAB_USER}: attempt 1 of 24: useradd: cannot lock /etc/passwd\nassessment-lab: ready\n`,
    );
  });

  it("does not touch sudo when sudo does not accept the rule", async () => {
    writeFileSync(join(root, "no-sudo"), "");
    const { exitCode, output } = await run();
    expect(exitCode).toBe(1);
    expect(output).toMatch(/incomplete: sudo does not accept its new rule: syntax error near line 1\n$/);
    expect(readdirSync(join(root, "etc/sudoers.d"))).toEqual([]);
  });
});

/** The system's own program, before any that a developer has put in front of it: those may need more on the PATH. */
function systemPath(program: string): string {
  const path = ["/usr/bin", "/bin"].map((folder) => join(folder, program)).find((candidate) => existsSync(candidate));
  return path ?? programPath(program);
}
