import { execFileSync } from "node:child_process";

import { fc } from "../support/seeded-cases";
import { DATABASE, type EntrypointScene, EXIT_CODE_REFUSED } from "./entrypoint-scene";
import { eventually } from "./processes";

/** What the application gets, and what the entrypoint says. */
export function describeVariables(scene: EntrypointScene, { thorough }: { thorough: boolean }): void {
  const parts = ["HOST", "PORT", "NAME", "USER", "PASSWORD"];
  const of = (prefix: string, values: readonly (string | undefined)[]) =>
    Object.fromEntries(parts.map((part, index) => [`${prefix}${part}`, values[index]]));
  const given = ["/sockets/db", "5433", "the-name", "the-user", "the-password"];
  const injected = { ...DATABASE, DB_PORT: "5433" };

  it.each<readonly [Readonly<Record<string, string>>, Readonly<Record<string, string | undefined>>]>([
    [injected, { ...of("IDP_POSTGRESQL__", given), ...of("AUTHENTIK_POSTGRESQL__", given) }],
    // Neither an explicit target nor an empty one, in either prefix, is ever replaced.
    ...["explicit", ""].map(
      (value) =>
        [
          {
            ...injected,
            IDP_POSTGRESQL__HOST: value,
            IDP_POSTGRESQL__PORT: value,
            AUTHENTIK_POSTGRESQL__NAME: value,
            AUTHENTIK_POSTGRESQL__USER: value,
            AUTHENTIK_POSTGRESQL__PASSWORD: value,
          },
          {
            ...of("IDP_POSTGRESQL__", [value, value]),
            ...of(
              "AUTHENTIK_POSTGRESQL__",
              parts.map(() => value),
            ),
          },
        ] as const,
    ),
    [
      { ...DATABASE, DB_PORT: "" },
      { IDP_POSTGRESQL__PORT: undefined, AUTHENTIK_POSTGRESQL__PORT: undefined },
    ],
    ...(
      [
        ["disable", { DB_HOST: "localhost" }],
        ["disable", { DB_HOST: "10.0.0.3", AUTHENTIK_POSTGRESQL__HOST: "localhost" }],
        ["require", { DB_HOST: "10.0.0.3" }],
        ["require", { DB_HOST: "env://HOST", HOST: "localhost" }],
        ["require", { DB_HOST: "localhost", IDP_POSTGRESQL__HOST: "10.0.0.3" }],
        ["verify-full", { DB_HOST: "localhost", IDP_POSTGRESQL__SSLMODE: "verify-full" }],
        ["", { DB_HOST: "10.0.0.3", IDP_POSTGRESQL__SSLMODE: "" }],
        [undefined, {}],
      ] as const
    ).map(([mode, variables]) => [variables, { AUTHENTIK_POSTGRESQL__SSLMODE: mode }] as const),
    // The native worker knows no "warning".
    ...(
      [
        ["warn", { IDP_LOG_LEVEL: "warning" }],
        ["trace", { IDP_LOG_LEVEL: "warning", IDP_LOG__RUST_LOG__AUTHENTIK: "trace" }],
        [undefined, {}],
      ] as const
    ).map(([level, variables]) => [variables, { AUTHENTIK_LOG__RUST_LOG__AUTHENTIK: level }] as const),
    [
      { AUTHENTIK_EMPTY: "", AUTHENTIK_LOG_LEVEL: "debug", IDP_EMPTY: "full", IDP_LOG_LEVEL: "info" },
      { AUTHENTIK_EMPTY: "", AUTHENTIK_LOG_LEVEL: "debug", IDP_LOG_LEVEL: "info" },
    ],
    [{ IDP_X: "1", UPSTREAM_PREFIX: "OTHER_" }, { OTHER_X: "1" }],
    [{ IDP_X: "1", UPSTREAM_PREFIX: "" }, { AUTHENTIK_X: "1" }],
  ])("%j becomes %j", async (variables, expected) => {
    const actual = await scene.applicationEnvironment(variables);
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name]]))).toEqual(expected);
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ["as many as threads by default", {}, "2"],
    ["as many as threads", { IDP_WORKER__THREADS: "4" }, "4"],
    [
      "as many as threads, by the name of the application",
      { AUTHENTIK_WORKER__THREADS: "1", IDP_WORKER__PROCESSES: "2" },
      "1",
    ],
    ["what is set explicitly", { IDP_WORKER__THREADS: "4", dramatiq_queue_prefetch: "3" }, "3"],
    ["what the application finds out itself", { IDP_WORKER__THREADS: "file:///threads" }, undefined],
  ])("a process of a worker takes %s of messages", async (_, variables, expected) => {
    const container = await scene.startContainer(variables);
    const worker = await scene.firstWorker(container);
    await container.stop();
    expect(worker.environment.dramatiq_queue_prefetch).toBe(expected);
  });

  it("a replica has the port and the encryption of a network, and not those of the database beside the server", async () => {
    const replica = "POSTGRESQL__READ_REPLICAS__0";
    const start = async (variables: Readonly<Record<string, string>>) => {
      const actual = await scene.applicationEnvironment({ ...DATABASE, ...variables });
      return ["HOST", "PORT", "SSLMODE"].map((part) => actual[`AUTHENTIK_${replica}__${part}`]);
    };
    expect([
      await start({ [`IDP_${replica}__HOST`]: "10.0.0.4" }),
      await start({ [`AUTHENTIK_${replica}__HOST`]: "10.0.0.4", DB_PORT: "5433" }),
      await start({ [`IDP_${replica}__HOST`]: "/sockets/replica" }),
      await start({
        [`IDP_${replica}__HOST`]: "10.0.0.4",
        [`IDP_${replica}__PORT`]: "1",
        [`AUTHENTIK_${replica}__SSLMODE`]: "verify-full",
      }),
    ]).toEqual([
      ["10.0.0.4", "5432", "require"],
      ["10.0.0.4", "5433", "require"],
      ["/sockets/replica", "5432", "disable"],
      ["10.0.0.4", "1", "verify-full"],
    ]);
  });

  it("names of its own that the platform exports change nothing, and do not reach the application", async () => {
    const names = ["pool", "pool_port", "pool_supervision", "child", "stopping", "name", "record", "records", "value"];
    const exported = Object.fromEntries(names.map((name) => [`ce_${name}`, "from the platform"]));
    const container = await scene.startContainer(exported);
    expect(await container.stop()).toBe(0);
    expect(Object.keys(container.server.environment).filter((name) => name.startsWith("ce_"))).toEqual([]);
  });

  it.each(["warning", "warn", "WARNING"])("the level %s is the same for both programs", async (level) => {
    const actual = await scene.applicationEnvironment({ IDP_LOG_LEVEL: level });
    const inPython = "import logging, sys; print(logging.getLevelName(sys.argv[1].upper()))";
    const levels = [
      execFileSync("python3", ["-c", inPython, String(actual.AUTHENTIK_LOG_LEVEL)], { encoding: "utf8" }).trim(),
      actual.AUTHENTIK_LOG__RUST_LOG__AUTHENTIK ?? actual.AUTHENTIK_LOG_LEVEL,
    ];
    expect(levels).toEqual(["30", "warn"]);
  });

  it.each([
    ["/media", {}],
    ["/elsewhere", { IDP_STORAGE__FILE__PATH: "/elsewhere" }],
    ["", { IDP_STORAGE__FILE__PATH: "" }],
  ])("the storage path is %j with %j", async (path, variables) => {
    delete scene.environment.IDP_STORAGE__FILE__PATH;
    delete scene.environment.UPSTREAM_PREFIX;
    expect((await scene.applicationEnvironment(variables)).AUTHENTIK_STORAGE__FILE__PATH).toBe(path);
  });

  describe("the translation to the upstream prefix", () => {
    it.each(["1X_", "$(exit 0)"])("refuses %j as a prefix", async (prefix) => {
      const { exitCode, output, starts } = await scene.run(["dump_config"], { UPSTREAM_PREFIX: prefix });
      expect({ exitCode, started: starts("dump_config").length }).toEqual({
        exitCode: EXIT_CODE_REFUSED,
        started: 0,
      });
      expect(output).toBe(
        "cloud-entrypoint: not starting: no variable name can begin with the UPSTREAM_PREFIX of this image; " +
          "build it with letters, digits and _\n",
      );
    });

    it("is not fooled by a value whose next line looks like a variable", async () => {
      const value = "first\nIDP_FAKE=1\n\nexport IDP_FAKE='1'\n";
      const actual = await scene.applicationEnvironment({ IDP_REAL: value });
      expect(actual.AUTHENTIK_REAL).toBe(value);
      expect(actual).not.toHaveProperty("AUTHENTIK_FAKE");
    });

    it("ignores names that no shell variable can have", async () => {
      const actual = await scene.applicationEnvironment({
        IDP_: "bare prefix",
        "IDP_A-B": "hyphen",
        "IDP_A\nIDP_FAKE": "line break",
        "IDP_$(exit 3)": "command",
        IDP_É: "letter beyond ASCII",
      });
      expect(Object.keys(actual).filter((name) => name.startsWith("AUTHENTIK_"))).toEqual([
        "AUTHENTIK_STORAGE__FILE__PATH",
      ]);
    });

    it("keeps every value byte for byte", async () => {
      const awkward = fc.constantFrom("", "\n", " ", "'", '"', "$HOME", "`id`", "\\", "\\n", "*", "=", "IDP_FAKE=1");
      // The unit "binary" of fast-check takes longer to prepare than all these runs.
      const character = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code));
      const value = fc
        .array(fc.oneof(awkward, fc.string({ unit: character, maxLength: 20 })), { maxLength: 5 })
        .map((parts) => parts.join("").replaceAll("\0", ""));
      const name = fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/);
      const variables = fc.dictionary(name, value, { minKeys: 10, maxKeys: 30 });
      await fc.assert(
        fc.asyncProperty(variables, async (values) => {
          const entries = Object.entries(values).map(([suffix, text]) => [`T_${suffix}`, text] as const);
          const actual = await scene.applicationEnvironment(
            Object.fromEntries(entries.map(([suffix, text]) => [`IDP_${suffix}`, text])),
          );
          const expected = Object.fromEntries(
            entries.map(([suffix, text]) => [`AUTHENTIK_${suffix}`, Buffer.from(text).toString("latin1")]),
          );
          expect(actual).toMatchObject(expected);
          const translated = Object.keys(actual).filter((key) => key.startsWith("AUTHENTIK_"));
          expect(translated.sort()).toEqual([...Object.keys(expected), "AUTHENTIK_STORAGE__FILE__PATH"].sort());
        }),
        { numRuns: thorough ? 6 : 2 },
      );
    });
  });

  describe("its own output", () => {
    it("is one line with the names of what it mapped", async () => {
      const { output } = await scene.run(["dump_config"], { ...DATABASE, IDP_POSTGRESQL__USER: "explicit" });
      expect(output).toBe(
        "cloud-entrypoint: mapped: DB_HOST DB_NAME DB_PASSWORD; by default: IDP_POSTGRESQL__SSLMODE=disable\n",
      );
    });

    if (thorough) {
      it("never contains a value, not even when it refuses to start or restarts a worker", async () => {
        const secrets = { DB_PASSWORD: "s3cret-password", DB_USER: "s3cret-user", IDP_SECRET_KEY: "s3cret-key" };
        const refused = await scene.run(["server"], secrets);
        const container = await scene.startContainer({ ...DATABASE, ...secrets, STUB_WORKER_EXIT_CODE: "1" });
        await eventually("the worker's end", () => container.output().includes("starts again"));
        await container.stop();
        expect(`${refused.output}${container.output()}`).not.toContain("s3cret");
        expect(refused.exitCode).toBe(EXIT_CODE_REFUSED);
      });
    }
  });
}
