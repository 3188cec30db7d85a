import { type ChildProcess, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { GoogleStandIn } from "../../support/google-stand-in";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { freePort } from "../../support/loopback-server";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveSource, sceneWith } from "../assessment-service/assessment-scene";
import { AWS_ENVIRONMENT, rowsOf } from "./inventory-run";

/** Answers of the API as far as the expected cells are computed from them. */
interface Answers {
  readonly Reservations: readonly { readonly Instances: readonly Instance[] }[];
  readonly Volumes: readonly Volume[];
}
type Instance = Readonly<Record<"InstanceId" | "InstanceType", string>> & {
  readonly State: { readonly Name: string };
  readonly Tags?: readonly Readonly<Record<"Key" | "Value", string>>[];
  readonly NetworkInterfaces: readonly Readonly<Record<"MacAddress" | "PrivateIpAddress", string>>[];
};
type Volume = Readonly<Record<"VolumeId" | "VolumeType", string>> & {
  readonly Size: number;
  readonly Attachments: readonly Readonly<Record<"Device" | "InstanceId", string>>[];
};

const NAMES = ['a, "b" back\\slash', "two\nlines \u{1F600} caf\u00e9"];

/** Processors and memory, as AWS sells them. */
const SIZES: Readonly<Record<string, readonly string[]>> = { "m5.large": ["2", "8.0"], "t3.micro": ["2", "1.0"] };

/** Runs the AWS CLI and reads its answer. */
async function aws(endpoint: string, command: readonly string[]): Promise<unknown> {
  const place = ["--endpoint-url", endpoint, "--region", "us-east-1", "--output", "json"];
  const { stdout } = await promisify(execFile)(programPath("aws"), [...place, "ec2", ...command], {
    maxBuffer: 2 ** 26,
    env: {
      PATH: process.env.PATH,
      AWS_CONFIG_FILE: "/dev/null",
      AWS_PAGER: "",
      AWS_ACCESS_KEY_ID: "bootstrap",
      AWS_SECRET_ACCESS_KEY: "bootstrap",
    },
  });
  return stdout.trim() === "" ? undefined : (JSON.parse(stdout) as unknown);
}

/** Moto knows the whole EC2 API, and is made by others. */
async function startMoto(port: number): Promise<ChildProcess> {
  const server = spawn(programPath("moto_server"), ["-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const deadline = Date.now() + 40_000;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/moto-api/`);
      return server;
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

describeWith(["aws", "dash", "jq", "moto_server"], "the inventory of a simulated account", () => {
  let moto: ChildProcess;
  const { run, standIn } = sceneWith(new GoogleStandIn());
  let result: ScriptRun;
  let machines: readonly Instance[];
  let volumes: readonly Volume[];

  beforeAll(async () => {
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    moto = await startMoto(port);
    const call = (...command: string[]) => aws(endpoint, command);
    const { Images } = (await call("describe-images", "--owners", "amazon")) as { Images: { ImageId: string }[] };
    const launch = (type: string, ...options: string[]) =>
      call("run-instances", "--image-id", Images[0]?.ImageId ?? "", "--instance-type", type, ...options);
    for (const [index, Value] of NAMES.entries()) {
      const Tags = [
        { Key: "Name", Value },
        { Key: "number", Value: String(index) },
      ];
      await launch("m5.large", "--tag-specifications", JSON.stringify([{ ResourceType: "instance", Tags }]));
    }
    await launch("t3.micro", "--count", "3");
    const listed = (await call("describe-instances")) as Answers;
    const ids = listed.Reservations.flatMap(({ Instances }) => Instances).map(({ InstanceId }) => InstanceId);
    const [first = "", second = ""] = ids;
    const inZone = ["--availability-zone", "us-east-1a", "--size"];
    const disk = (await call("create-volume", ...inZone, "123", "--volume-type", "st1")) as Volume;
    await call("attach-volume", "--volume-id", disk.VolumeId, "--instance-id", first, "--device", "/dev/sdh");
    await call("create-volume", ...inZone, "7");
    await call("stop-instances", "--instance-ids", second);
    await call("terminate-instances", "--instance-ids", ids.at(-1) ?? "");

    machines = ((await call("describe-instances")) as Answers).Reservations.flatMap(({ Instances }) => Instances)
      .filter(({ State }) => State.Name !== "terminated")
      .sort((a, b) => (a.InstanceId < b.InstanceId ? -1 : 1));
    volumes = ((await call("describe-volumes")) as Answers).Volumes;
    await standIn.start();
    haveSource(standIn);
    // An option, because the release that Debian has does not read AWS_ENDPOINT_URL.
    const folder = temporaryFolder();
    const script = `#!/bin/sh\nexec ${programPath("aws")} --endpoint-url ${endpoint} "$@"\n`;
    writeFileSync(join(folder, "aws"), script, { mode: 0o755 });
    const programs = [folder, process.env.PATH].join(delimiter);
    result = await run("import-inventory", { programs, environment: AWS_ENVIRONMENT });
    // Some twenty calls, each of which starts the program: a busy machine takes long.
  }, 300_000);

  afterAll(async () => {
    moto.kill();
    await standIn.stop();
  });

  const contentsOf = (kind: string) => rowsOf(standIn, kind).slice(1);

  const disksOf = (id: string) =>
    volumes
      .flatMap(({ Attachments, Size, VolumeType }) =>
        Attachments.filter(({ InstanceId }) => InstanceId === id).map(({ Device }) => [Device, `${Size}`, VolumeType]),
      )
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));

  it("has every machine", () => {
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain(`${NAMES.length + 2} found; 1 more are terminated and left out`);
    const columns = [0, 1, 2, 3, 6, 8, 9, 10, 11, 16];
    expect(contentsOf("vmInfo").map((row) => columns.map((column) => row[column]))).toEqual(
      machines.map(({ InstanceId, InstanceType, NetworkInterfaces: [card], State, Tags }) => [
        InstanceId,
        Tags?.find(({ Key }) => Key === "Name")?.Value ?? InstanceId,
        card?.PrivateIpAddress,
        card?.MacAddress,
        String(disksOf(InstanceId).reduce((sum, [, size]) => sum + Number(size), 0)),
        InstanceType,
        ...(SIZES[InstanceType] ?? []),
        "us-east-1",
        State.Name,
      ]),
    );
  });

  it("has every disk and tag, the disk that was added among them, and no disk that is attached to nothing", () => {
    const disks = machines.flatMap(({ InstanceId }) =>
      disksOf(InstanceId).map(([device, size, type]) => [InstanceId, device, size, "", type]),
    );
    const tags = machines.flatMap(({ InstanceId, Tags = [] }) =>
      [...Tags].sort((a, b) => (a.Key < b.Key ? -1 : 1)).map(({ Key, Value }) => [InstanceId, Key, Value]),
    );
    expect([disks.length, tags.length]).toEqual([NAMES.length + 3, NAMES.length * 2]);
    expect(contentsOf("diskInfo")).toEqual(disks);
    expect(contentsOf("tagInfo")).toEqual(tags);
  });
});
