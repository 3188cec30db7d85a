import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";

import { BUILD_ENVIRONMENT, captureBuildRequest } from "../idp/build-image/build-scene";
import { followed } from "../support/process-run";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { commandLine, eventually, killAll, parentOf, processesWith, recordedStarts } from "./processes";
import {
  type BaseKind,
  BuildahStorage,
  EXAMPLE_BLUEPRINT,
  exampleBlueprint,
  type ImageConfiguration,
  STAND_IN_PROGRAMS,
  TOOLS_BASE,
} from "./stand-in-base";

const CONTEXT = join(__dirname, "../../image");
const { IDP_VERSION, IMAGE, UPSTREAM_PREFIX } = BUILD_ENVIRONMENT;

/** Custom blueprints. */
const OWN = { "groups.yaml": "entries: [] # own\n" };

/** Stands for the builder's own program: the same words, carried out without a daemon. */
const DOCKER = `#!/bin/sh
[ "$1" = build ] || exit 64
shift
exec "$BUILDAH" bud "$@"
`;

/** Runs the steps of the request that the build script sends; returns their workspace. */
async function build(storage: BuildahStorage, upstreamImage: string): Promise<string> {
  const [programs, workspace, own] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  for (const [name, text] of Object.entries(OWN)) writeFileSync(join(own, name), text);
  const request = await captureBuildRequest(CONTEXT, {
    APP_VERSION: "1.2.3",
    TOOLS_IMAGE: TOOLS_BASE,
    UPSTREAM_IMAGE: upstreamImage,
    BLUEPRINTS: "own/groups.yaml shipped/branding.yaml shipped/password-recovery.yaml",
    BLUEPRINTS_DIRECTORY: own,
  });
  writeFileSync(join(programs, "docker"), DOCKER, { mode: 0o755 });
  for (const { env, script } of request.steps) {
    writeFileSync(join(programs, "step"), script, { mode: 0o755 });
    const variables = env.map((entry) => /^(.*?)=(.*)$/s.exec(entry)?.slice(1) ?? []);
    execFileSync(join(programs, "step"), {
      cwd: workspace,
      env: {
        ...storage.environment,
        ...(Object.fromEntries(variables) as Record<string, string>),
        BUILDAH: programPath("buildah"),
        PATH: [programs, process.env.PATH].join(delimiter),
      },
      stdio: "pipe",
    });
  }
  return workspace;
}

describeWith(
  [...STAND_IN_PROGRAMS, "curl", "jq"],
  "the image that the build request makes",
  () => describe.each<BaseKind>(["Debian", "Python alone"])("on a base with %s", testImage),
  { root: true },
);

function testImage(kind: BaseKind): void {
  const storage = new BuildahStorage();
  let base: string;
  let configuration: ImageConfiguration;
  let container: string;

  beforeAll(async () => {
    await storage.createToolsBase();
    base = await storage.createStandInBase(kind, [IDP_VERSION, "1.2.3"]);
    const workspace = await build(storage, base);
    expect(readFileSync(join(workspace, "Dockerfile"), "utf8")).toContain(
      readFileSync(join(CONTEXT, "Dockerfile"), "utf8"),
    );
    configuration = await storage.configurationOf(IMAGE);
    container = (await storage.run(["from", "--pull-never", IMAGE])).trim();
  });

  afterAll(() => storage.remove());

  const inContainer = (script: string) => storage.printedIn(container, script);

  it("has the base whose tag is IDP_VERSION although APP_VERSION names another one", () => {
    expect(configuration.environment.STAND_IN_TAG).toBe(IDP_VERSION);
  });

  it.each(["TOOLS_IMAGE", "UPSTREAM_IMAGE", "IDP_VERSION", "UPSTREAM_PREFIX"])(
    "is not built without %s",
    async (forgotten) => {
      const values = Object.entries({ IDP_VERSION, TOOLS_IMAGE: TOOLS_BASE, UPSTREAM_IMAGE: base, UPSTREAM_PREFIX })
        .filter(([name]) => name !== forgotten)
        .flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
      await expect(storage.run(["bud", "--pull-never", ...values, CONTEXT])).rejects.toThrow("buildah bud ended with");
    },
  );

  it("starts the entrypoint under dumb-init with the command server, as user 1000 and with the prefix", async () => {
    const { command, entrypoint, environment, user } = configuration;
    expect([...entrypoint, ...command]).toEqual(["dumb-init", "--", "/cloud-entrypoint.sh", "server"]);
    expect([user, environment.UPSTREAM_PREFIX]).toEqual(["1000", UPSTREAM_PREFIX]);
    expect(await inContainer("id -u; id -g")).toBe("1000\n1000\n");
  });

  it("carries the entrypoint byte for byte, out of reach of the user that runs it", async () => {
    expect(await inContainer("busybox cat /cloud-entrypoint.sh")).toBe(
      readFileSync(join(CONTEXT, "cloud-entrypoint.sh"), "utf8"),
    );
    expect(await inContainer("[ -x /cloud-entrypoint.sh ] && [ ! -w /cloud-entrypoint.sh ] && echo yes")).toBe("yes\n");
  });

  it("brings a shell and pgbouncer that need nothing of the base, out of reach of the user that runs them", async () => {
    const tools = "/opt/cloud-entrypoint";
    expect(await inContainer("[ -e /bin/sh ] && echo yes || echo no")).toBe(kind === "Debian" ? "yes\n" : "no\n");
    expect(await inContainer("pgbouncer --version")).toMatch(/^PgBouncer \d/);
    const libraries = await inContainer("LD_TRACE_LOADED_OBJECTS=1 pgbouncer");
    expect(libraries.match(/\/\S+/g)).not.toContainEqual(expect.not.stringContaining(`${tools}/lib/`));
    const writable = `for path in ${tools} ${tools}/* ${tools}/lib/*; do [ ! -w "$path" ] || echo "$path"; done`;
    expect(await inContainer(writable)).toBe("");
  });

  it("stores uploads and reports on the mount itself, where the server looks for them", async () => {
    const files = "mkdir -p media/public reports/public && echo icon >media/public/icon && echo rows >reports/public/a";
    expect(
      await inContainer(`cd /media && ${files} && busybox cat /data/media/public/icon /data/reports/public/a`),
    ).toBe("icon\nrows\n");
    expect(await inContainer("[ -d /media ] && [ ! -L /media ] && [ -w /media ] && echo yes")).toBe("yes\n");
  });

  // The application imports data.user_settings, as a module or a package, from the folder it starts in.
  it("keeps what is in the bucket from being imported", async () => {
    const files = "mkdir -p /media/user_settings && : >/media/user_settings.py && : >/media/user_settings/__init__.py";
    expect(await inContainer(`${files} && cd / && echo data/*`)).toBe("data/media data/reports\n");
    expect(await inContainer("[ ! -w /data ] && ! rm /data/media 2>/dev/null && echo closed")).toBe("closed\n");
  });

  it("has blueprints where the application looks, which it can read and not change", async () => {
    const read = async (path: string) => inContainer(`busybox cat /blueprints/${path}`);
    expect(await read("own/groups.yaml")).toBe(OWN["groups.yaml"]);
    expect(await read("shipped/branding.yaml")).toBe(readFileSync(join(CONTEXT, "blueprints/branding.yaml"), "utf8"));
    const change = "(echo >>/blueprints/own/groups.yaml) 2>/dev/null || echo refused";
    expect(await inContainer(change)).toBe("refused\n");
  });

  it("switches on the example that a blueprint names, in a copy, and changes nothing else in it", async () => {
    expect(await inContainer(`busybox cat /blueprints/example/${EXAMPLE_BLUEPRINT}`)).toBe(exampleBlueprint("false"));
    expect(await inContainer(`busybox cat /blueprints/instantiated/${EXAMPLE_BLUEPRINT}`)).toBe(
      exampleBlueprint("true"),
    );
  });

  it("holds a server, a worker and a connection pool below dumb-init, restarts the worker, and stops cleanly on SIGTERM", async () => {
    const folder = temporaryFolder();
    const records = join(folder, "records");
    mkdirSync(records);
    chmodSync(folder, 0o755);
    chmodSync(records, 0o777);
    const environment = {
      CONNECTION_POOL_SIZE: "5",
      DB_HOST: "/cloudsql/project:region:instance",
      DB_NAME: "idp",
      DB_PASSWORD: "correct horse",
      DB_USER: "idp",
      IDP_SECRET_KEY: "battery staple",
      STUB_RECORDS: "/records",
      STUB_RUN: folder,
      // This kind of isolation shares the machine's /dev/shm.
      TMPDIR: "/tmp",
    };
    const own = [...configuration.entrypoint, ...configuration.command];
    const variables = Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    const run = ["run", ...variables, "--volume", `${records}:/records`, container, "--", ...own];
    const { ended, printed } = followed(
      spawn(programPath("buildah"), run, { env: storage.environment, stdio: ["ignore", "pipe", "pipe"] }),
    );
    try {
      const first = (part: string) => eventually(`the ${part}`, () => recordedStarts(records, part)[0]);
      const [server, worker] = [await first("server"), await first("worker")];
      const initPid = parentOf(server.parentPid) ?? 0;
      const [program = "", ...rest] = commandLine(initPid);
      expect([basename(program), ...rest]).toEqual(own);
      expect(server.environment).toMatchObject({
        AUTHENTIK_POSTGRESQL__HOST: expect.stringMatching(/^\/tmp\/connection-pool\.\d+$/) as string,
        AUTHENTIK_POSTGRESQL__PASSWORD: "correct horse",
        AUTHENTIK_POSTGRESQL__SSLMODE: "disable",
        AUTHENTIK_SECRET_KEY: "battery staple",
        AUTHENTIK_STORAGE__FILE__PATH: "/media",
      });
      expect(worker.environment.AUTHENTIK_LISTEN__HTTP).toBe("127.0.0.1:9001");

      killAll([worker.pid]);
      await eventually("another worker", () => recordedStarts(records, "worker").length === 2);
      process.kill(initPid, "SIGTERM");
      expect(await ended).toBe(0);
      await eventually("the end of every process", () => processesWith("STUB_RUN", folder).length === 0);
      expect(printed.output).toMatch(/worker ended with exit code 137 after \d+ s, starts again in 1 s\n/);
      expect(printed.output).toMatch(/connection pool: .* process up: PgBouncer/);
      expect(printed.output).not.toMatch(/correct horse|battery staple|connection pool ended/);
    } finally {
      killAll(processesWith("STUB_RUN", folder));
    }
  });
}
