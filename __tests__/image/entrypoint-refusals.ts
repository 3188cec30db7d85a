import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programPath } from "../support/programs";
import { DATABASE, type EntrypointScene, EXIT_CODE_REFUSED } from "./entrypoint-scene";

/** When the entrypoint refuses to start. */
export function describeRefusals(scene: EntrypointScene, { thorough }: { thorough: boolean }): void {
  describe("a server that cannot work", () => {
    const expectRefused = ({ exitCode, output, starts }: Awaited<ReturnType<typeof scene.run>>, message: string) => {
      expect(exitCode).toBe(EXIT_CODE_REFUSED);
      expect(output.trimEnd().split("\n").slice(1)).toEqual([`cloud-entrypoint: not starting: ${message}`]);
      expect([...starts("server"), ...starts("worker")]).toEqual([]);
    };
    const complete = { ...DATABASE, IDP_SECRET_KEY: "the-key" };

    it.each([
      ["DB_HOST, DB_NAME, DB_USER, DB_PASSWORD, IDP_SECRET_KEY", {}],
      ["DB_HOST", { ...complete, DB_HOST: "" }],
      ["IDP_POSTGRESQL__HOST", { ...complete, IDP_POSTGRESQL__HOST: "" }],
      ["AUTHENTIK_SECRET_KEY", { ...complete, AUTHENTIK_SECRET_KEY: "" }],
    ])("starts nothing and names %s, given %j", async (missing, variables) => {
      expectRefused(
        await scene.run(["server"], variables),
        `${missing} missing or empty; the platform injects the DB_ variables with the database and IDP_SECRET_KEY ` +
          "from the secret store (the IDP_POSTGRESQL__ and AUTHENTIK_ spellings count as well)",
      );
    });

    it.each<Record<string, string>>([
      { IDP_WORKER__THREADS: "1" },
      { AUTHENTIK_WORKER__THREADS: "1", IDP_WORKER__PROCESSES: "1", IDP_WORKER__THREADS: "2" },
    ])("starts nothing when its worker would run one task at a time, by %j", async (variables) => {
      expectRefused(
        await scene.run(["server"], { ...complete, ...variables }),
        "the worker would run one task at a time, and the synchronization of a directory is a task that waits for " +
          "others, so that none would end; set IDP_WORKER__THREADS or IDP_WORKER__PROCESSES to 2",
      );
    });

    it("is not refused for the size of workers elsewhere", async () => {
      const container = await scene.startContainer({ IDP_WORKER__THREADS: "1" }, { argument: "server-alone" });
      expect(await container.stop()).toBe(0);
      expect(container.starts("server")).toHaveLength(1);
    });

    it.each(["is missing", "is a file", "belongs to another user"])(
      "starts nothing when the storage folder %s",
      async (situation) => {
        let userId = process.getuid?.();
        if (situation === "is missing") rmSync(scene.media, { recursive: true });
        if (situation === "is a file") {
          rmSync(scene.media, { recursive: true });
          writeFileSync(scene.media, "");
        }
        if (situation === "belongs to another user") {
          chmodSync(scene.media, 0o555);
          // For root every folder is writable.
          if (userId === 0) userId = 1000;
        }
        // The checkout may be closed to that user.
        const script = scene.copyScript();
        const options = { script, ...(userId === process.getuid?.() ? {} : { userId }) };
        expectRefused(
          await scene.run(["server"], complete, options),
          `${scene.media} is not a directory that user ${userId ?? ""} may write, so uploads of application icons and ` +
            "flow backgrounds would fail; mount it read-write with uid=1000,gid=1000",
        );
      },
    );

    it("starts nothing when its temporary folder cannot be made", async () => {
      const temporary = join(scene.media, "file", "tmp");
      writeFileSync(join(scene.media, "file"), "");
      expectRefused(
        await scene.run(["server"], { ...complete, TMPDIR: temporary }),
        `TMPDIR is ${temporary}, which is not a directory that user ${process.getuid?.() ?? ""} may write and cannot ` +
          "be made one; leave TMPDIR out or mount a memory-backed volume there",
      );
    });

    if (thorough) {
      const startAndEnd = async (variables: Readonly<Record<string, string>>) => {
        const wrapper = [programPath("dumb-init"), "--"];
        return (await scene.run(["server"], { ...variables, STUB_SERVER_EXIT_CODE: "5" }, { wrapper })).exitCode;
      };

      it("is not the case when the password is empty", async () => {
        expect(await startAndEnd({ ...complete, DB_PASSWORD: "" })).toBe(5);
      });

      it.each([
        ["all files go elsewhere", 5, { IDP_STORAGE__BACKEND: "s3" }],
        [
          "one kind of files comes back",
          EXIT_CODE_REFUSED,
          { IDP_STORAGE__BACKEND: "s3", AUTHENTIK_STORAGE__REPORTS__BACKEND: "file" },
        ],
      ])("requires no storage folder that is not used: when %s it ends with %d", async (_, exitCode, variables) => {
        rmSync(scene.media, { recursive: true });
        expect(await startAndEnd({ ...complete, ...variables })).toBe(exitCode);
      });
    }
  });
}
