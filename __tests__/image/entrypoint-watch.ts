import { readFileSync, writeFileSync } from "node:fs";
import { type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { LoopbackServer } from "../support/loopback-server";
import { type Container, type EntrypointScene } from "./entrypoint-scene";
import { commandLine, eventually, parentOf } from "./processes";

const OLD_ROUTE = "/-/heath/live/";
const ROUTE = "/-/health/live/";

/** A status, or what becomes of the connection. */
type Answer = number | ((response: ServerResponse) => void);

/** As a process that is stopped: the kernel accepts the connection. */
const nothing: Answer = () => undefined;

/** Never ends, and is no answer. */
const drops: Answer = ({ socket }) => {
  const timer = setInterval(() => socket?.write("x"), 20);
  socket?.on("close", () => {
    clearInterval(timer);
  });
};

const late: Answer = (response) => setTimeout(() => response.end(), 2000).unref();

/** Stands in for the health routes of a worker or a server. */
class Health {
  readonly questions: { readonly path: string; readonly time: number }[] = [];
  private readonly server = new LoopbackServer(({ url = "" }, response) => {
    this.questions.push({ path: url, time: Date.now() });
    const answer = this.answerTo(url, this.questions.length);
    if (typeof answer === "function") answer(response);
    else response.writeHead(answer).end();
  });

  constructor(public answerTo: (path: string, number: number) => Answer) {}

  async start(): Promise<string> {
    await this.server.start();
    return this.server.host.replace(/.*:/, "");
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

/** What the numbers of the script are in a test, in seconds. */
const SHORT = { FIRST_WAIT: 0.05, LIMIT: 0.15, PERIOD: 0.02, STARVED: 5, STOP_WAIT: 0.3 };
const NUMBERS: Readonly<Record<keyof typeof SHORT, number>> = {
  FIRST_WAIT: 600,
  LIMIT: 10,
  PERIOD: 30,
  STARVED: 5,
  STOP_WAIT: 30,
};

/** What becomes of a worker that runs and does not answer. */
export function describeWatch(scene: EntrypointScene, { thorough }: { thorough: boolean }): void {
  describe("a worker that is watched", () => {
    let stopped: (() => Promise<void>)[];

    beforeEach(() => {
      stopped = [];
      scene.replaceProgram("sleep", ["exec /bin/sleep 0.05"]);
    });

    afterEach(async () => {
      for (const stop of stopped) await stop();
    });

    const listening = async (health: Health) => {
      stopped.push(() => health.stop());
      return health.start();
    };

    /** Writes a copy of the script with other numbers, in which each of the script's has to be found. */
    const shortened = (numbers: typeof SHORT, workerPort: string, serverPort: string): string => {
      const script = scene.copyScript();
      const replace = (path: string, old: string, replacement: string) => {
        const text = readFileSync(path, "utf8");
        expect(text.split(old)).toHaveLength(2);
        writeFileSync(path, text.replace(old, replacement));
      };
      const watcher = join(scene.folder, "watch-worker.py");
      for (const [name, value] of Object.entries(numbers)) {
        replace(watcher, `\n${name} = ${NUMBERS[name as keyof typeof SHORT]}`, `\n${name} = ${value}`);
      }
      replace(script, "127.0.0.1:9001", `127.0.0.1:${workerPort}`);
      replace(script, "ce_server_port=9000", `ce_server_port=${serverPort}`);
      return script;
    };

    /** Starts a container whose worker and server give these answers. */
    const start = async (
      answers: { worker: Health["answerTo"]; server?: Health["answerTo"] },
      { numbers = {}, variables = {} }: { numbers?: Partial<typeof SHORT>; variables?: Record<string, string> } = {},
    ) => {
      const worker = new Health(answers.worker);
      const server = new Health(answers.server ?? (() => 200));
      const script = shortened({ ...SHORT, ...numbers }, await listening(worker), await listening(server));
      const container = await scene.startContainer(variables, { script });
      await scene.firstWorker(container);
      return { container, server, worker };
    };

    const asked = (what: string, { questions }: Health, count: number) =>
      eventually(`question ${count} to the ${what}`, () => questions.length >= count);

    const watchers = () => scene.running().filter((pid) => commandLine(pid)[0] === "python3");

    const ENDED = "cloud-entrypoint: worker did not answer 3 times in a row, so it is ended";

    const linesAbout = ({ output }: Container) => output().match(/^cloud-entrypoint: (?:worker|python3) .*$/gm) ?? [];

    const expectLeftAlone = (container: Container) => {
      expect(container.starts("worker")).toMatchObject([{ signals: [] }]);
      expect(linesAbout(container)).toEqual([]);
    };

    it("starts again after three questions that it does not answer, and may finish what it is doing", async () => {
      const server = new Health(() => 200);
      const port = await listening(server);
      // The application can bring modules of these names, and a proxy.
      for (const name of ["signal", "socket"]) writeFileSync(join(scene.folder, `${name}.py`), "raise SystemExit\n");
      const { container, worker } = await start(
        { worker: () => nothing, server: () => 500 },
        {
          variables: {
            HTTP_PROXY: "http://127.0.0.1:9",
            IDP_LISTEN__HTTP: `0.0.0.0:${port}`,
            PYTHONPATH: scene.folder,
            STUB_WORKER_STOP_CODE: "4",
            http_proxy: "http://127.0.0.1:9",
          },
        },
      );
      await eventually("another worker", () => container.starts("worker").length === 2);
      expect(worker.questions.slice(0, 3).map(({ path }) => path)).toEqual([OLD_ROUTE, OLD_ROUTE, OLD_ROUTE]);
      expect(server.questions.slice(0, 3).map(({ path }) => path)).toEqual(Array(3).fill("/-/health/ready/"));
      expect(linesAbout(container).slice(0, 2)).toEqual([
        ENDED,
        expect.stringMatching(/^cloud-entrypoint: worker ended with exit code 4 after [01] s, starts again in 1 s$/),
      ]);
      expect(container.starts("server")).toMatchObject([{ signals: [] }]);
      expect(container.output()).not.toMatch(/the-key|the-password/);
      await container.stop();
    });

    it("is not watched when python3 cannot be started, which is said once", async () => {
      scene.replaceProgram("python3", ["exit 127"]);
      const container = await scene.startContainer();
      process.kill((await scene.firstWorker(container)).pid, "SIGKILL");
      await eventually("another worker", () => container.starts("worker").length === 2);
      await container.stop();
      expect(linesAbout(container)).toEqual([
        "cloud-entrypoint: python3 cannot be started, so a worker that does not answer is not restarted",
        expect.stringContaining("worker ended with exit code 137"),
      ]);
    });

    if (thorough) {
      it("is left alone while the container gets no CPU, and starts again when it does not answer with it", async () => {
        const numbers = { PERIOD: 1, STARVED: 0.3 };
        const { container, worker } = await start({ worker: () => nothing }, { numbers });
        await asked("worker", worker, 1);
        const [watcher = 0] = watchers();
        for (let round = 0; round < 4; round += 1) {
          process.kill(watcher, "SIGSTOP");
          await pause(1600);
          process.kill(watcher, "SIGCONT");
          await pause(250);
        }
        expect(worker.questions.length).toBeGreaterThanOrEqual(4);
        expectLeftAlone(container);
        await eventually("another worker", () => container.starts("worker").length === 2);
        expect(linesAbout(container)[0]).toBe(ENDED);
        await container.stop();
      });

      it.each([
        ["answers too late", late],
        ["answers without an end", drops],
        ["answers with what is not HTTP", ({ socket }: ServerResponse) => socket?.end("\r\n\r\n")],
        ["closes the connection", ({ socket }: ServerResponse) => socket?.destroy()],
        ["answers 500", 500],
        // Its processes are at fault then.
        ["answers 503 although the server has its database", 503],
      ] as const)("starts again when it %s", async (_, answer) => {
        const { container, worker } = await start({ worker: () => answer });
        await eventually("another worker", () => container.starts("worker").length === 2);
        expect(linesAbout(container)[0]).toBe(ENDED);
        expect(worker.questions.length).toBeGreaterThanOrEqual(3);
        await container.stop();
      });

      it("starts again when it does not listen", async () => {
        const { container, worker } = await start({ worker: () => 200 }, { numbers: { FIRST_WAIT: 1 } });
        await worker.stop();
        stopped.splice(0, 1);
        await eventually("another worker", () => container.starts("worker").length === 2);
        expect(linesAbout(container)[0]).toBe(ENDED);
        await container.stop();
      });

      it.each([
        ["answers", { worker: () => 200 }],
        ["answers 503 without a database", { worker: () => 503, server: () => 500 }],
        ["knows the well spelt route only", { worker: (path: string) => (path === ROUTE ? 200 : 404) }],
        ["answers 200 on the old route only", { worker: (path: string) => (path === OLD_ROUTE ? 200 : nothing) }],
        ["answers every third time", { worker: (_: string, number: number) => (number % 3 === 0 ? 200 : nothing) }],
        ["does not answer, as the server", { worker: () => nothing, server: () => nothing }],
        ["does not answer while the server is redirected", { worker: () => nothing, server: () => 302 }],
        [
          "does not answer while the server has lost its database every third time",
          { worker: () => nothing, server: (_: string, number: number) => (number % 3 === 0 ? 500 : 200) },
        ],
      ] as const)("is left alone when it %s", async (_, answers) => {
        const { container, worker } = await start(answers);
        await asked("worker", worker, 8);
        expectLeftAlone(container);
        expect(watchers()).toHaveLength(1);
        await container.stop();
      });

      it("is left alone, and not asked again, when it knows neither route", async () => {
        const { container, worker } = await start({ worker: () => 404 });
        await asked("worker", worker, 2);
        await eventually("the end of the watcher", () => watchers().length === 0);
        expect(worker.questions.map(({ path }) => path)).toEqual([OLD_ROUTE, ROUTE]);
        expectLeftAlone(container);
        expect(await container.stop()).toBe(0);
      });

      it("is left alone without a database, and when that comes back", async () => {
        const { container, server, worker } = await start({ worker: () => nothing, server: () => 500 });
        await asked("server", server, 5);
        worker.answerTo = () => 200;
        server.answerTo = () => 200;
        await asked("worker", worker, worker.questions.length + 5);
        expectLeftAlone(container);
        await container.stop();
      });

      it("asks the server at the port of the application when its listener is read from elsewhere", async () => {
        const { container, server } = await start(
          { worker: () => nothing },
          { variables: { AUTHENTIK_LISTEN__HTTP: "file:///run/listener" } },
        );
        await asked("server", server, 3);
        await eventually("another worker", () => container.starts("worker").length === 2);
        await container.stop();
      });

      it("is not asked before the first wait is over, as is the next one", async () => {
        const before = Date.now();
        const { container, worker } = await start({ worker: () => nothing }, { numbers: { FIRST_WAIT: 1 } });
        await asked("worker", worker, 3);
        await eventually("another worker", () => container.starts("worker").length === 2);
        const again = Date.now();
        await asked("worker", worker, 4);
        const [first, , , fourth] = worker.questions.map(({ time }) => time);
        expect(Number(first) - before).toBeGreaterThanOrEqual(1000);
        expect(Number(fourth) - again).toBeGreaterThanOrEqual(900);
        await container.stop();
      });

      it("is killed when it does not end on the TERM", async () => {
        const variables = { STUB_WORKER_CHILD: "1", STUB_WORKER_STOP_SECONDS: "600" };
        const { container } = await start({ worker: () => nothing }, { variables });
        await eventually("another worker", () => container.starts("worker").length === 2);
        const [first] = container.starts("worker").filter(({ signals }) => signals.length > 0);
        expect(first).toMatchObject({ ended: false, signals: ["TERM"] });
        expect(linesAbout(container)[1]).toContain("worker ended with exit code 137 ");
        process.kill(container.pid, "SIGKILL");
      });

      it("has no watcher any more when it or the server has ended, and the next one has its own", async () => {
        const { container } = await start({ worker: () => nothing }, { numbers: { FIRST_WAIT: 600 } });
        const [first] = await eventually("a watcher", () => watchers().length === 1 && watchers());
        const { pid } = await scene.firstWorker(container);
        expect(parentOf(first ?? 0)).toBe(pid);
        process.kill(pid, "SIGKILL");
        const next = await eventually("another worker", () => container.starts("worker").find((it) => it.pid !== pid));
        await eventually("one watcher", () => watchers().length === 1 && parentOf(watchers()[0] ?? 0) === next.pid);
        process.kill(container.server.pid, "SIGKILL");
        expect(await container.ended).toBe(137);
        await eventually("the end of every process", () => scene.running().length === 0);
      });

      it.each([
        ["asks", { FIRST_WAIT: 0.05, LIMIT: 600 }],
        ["waits", { FIRST_WAIT: 600 }],
        ["has sent the TERM", { STOP_WAIT: 600 }],
      ])("stops as fast with a watcher that %s, which is gone as well", async (state, numbers) => {
        const { container, worker } = await start(
          { worker: () => nothing },
          { numbers, variables: state === "has sent the TERM" ? { STUB_WORKER_STOP_SECONDS: "1" } : {} },
        );
        if (state === "asks") await asked("worker", worker, 1);
        if (state === "has sent the TERM") await eventually("the TERM", () => container.output().includes(ENDED));
        await eventually("a watcher", () => watchers().length === 1);
        const before = Date.now();
        expect(await container.stop()).toBe(0);
        expect(Date.now() - before).toBeLessThan(2000);
      });
    }
  });
}
