import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { promisify } from "node:util";

import { programPath } from "../../support/programs";

/** A server that knows the whole EC2 API, made by others. */
export class Moto {
  private constructor(
    private readonly process: ChildProcess,
    readonly endpoint: string,
  ) {}

  static async start(): Promise<Moto> {
    const port = await freePort();
    const server = spawn(programPath("moto_server"), ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
    const moto = new Moto(server, `http://127.0.0.1:${port}`);
    const deadline = Date.now() + 40_000;
    for (;;) {
      try {
        await fetch(`${moto.endpoint}/moto-api/`);
        return moto;
      } catch (error) {
        if (Date.now() > deadline || server.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("close", resolve));
    this.process.kill();
    await ended;
  }

  /** Runs the AWS CLI and reads its answer. */
  async call(command: readonly string[]): Promise<unknown> {
    const { stdout } = await promisify(execFile)(
      programPath("aws"),
      ["--endpoint-url", this.endpoint, "--region", "us-east-1", "--output", "json", "ec2", ...command],
      {
        maxBuffer: 2 ** 26,
        env: {
          PATH: process.env.PATH,
          AWS_ACCESS_KEY_ID: "bootstrap",
          AWS_SECRET_ACCESS_KEY: "bootstrap",
          AWS_CONFIG_FILE: "/dev/null",
          AWS_PAGER: "",
        },
      },
    );
    return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as unknown);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
