import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { contentsOf, exportInventory, type InventoryRun } from "./inventory-run";
import { Moto } from "./moto";

/** Answers of the API as far as the expected cells are computed from them. */
interface Answers {
  readonly Reservations: readonly { readonly Instances: readonly Instance[] }[];
  readonly Volumes: readonly Volume[];
}

interface Instance {
  readonly InstanceId: string;
  readonly InstanceType: string;
  readonly State: { readonly Name: string };
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly NetworkInterfaces: readonly { readonly MacAddress: string; readonly PrivateIpAddress: string }[];
}

interface Volume {
  readonly VolumeId: string;
  readonly Size: number;
  readonly VolumeType: string;
  readonly Attachments: readonly { readonly InstanceId: string; readonly Device: string }[];
}

const NAMES = ['a, "b" back\\slash', "two\nlines \u{1F600} caf\u00e9"];

/** Processors and memory, as AWS sells them. */
const SIZES: Readonly<Record<string, readonly string[]>> = { "m5.large": ["2", "8.0"], "t3.micro": ["2", "1.0"] };

/** Some twenty calls, each of which starts the program: a busy machine takes long. */
const SETTING_UP_MILLISECONDS = 300_000;

describeWith(["aws", "dash", "jq", "moto_server"], "the inventory of a simulated account", () => {
  let moto: Moto;
  let run: InventoryRun;
  let machines: readonly Instance[];
  let volumes: readonly Volume[];

  beforeAll(async () => {
    moto = await Moto.start();
    const call = (...command: string[]) => moto.call(command);
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
    run = await exportInventory({
      folder: temporaryFolder(),
      programs: [process.env.PATH ?? ""],
      environment: { AWS_ENDPOINT_URL: moto.endpoint },
    });
  }, SETTING_UP_MILLISECONDS);

  afterAll(() => moto.stop());

  const disksOf = (id: string) =>
    volumes
      .flatMap(({ Attachments, Size, VolumeType }) =>
        Attachments.filter(({ InstanceId }) => InstanceId === id).map(({ Device }) => [Device, `${Size}`, VolumeType]),
      )
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));

  it("has every machine", () => {
    expect(run).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: NAMES.length + 2 } });
    expect(run.stdout).toContain("1 more are terminated and left out");
    const columns = [0, 1, 2, 3, 6, 8, 9, 10, 11, 16];
    expect(contentsOf(run, "vmInfo").map((row) => columns.map((column) => row[column]))).toEqual(
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

  it("has every disk, the one that was added among them, and none that is attached to nothing", () => {
    const disks = machines.flatMap(({ InstanceId }) =>
      disksOf(InstanceId).map(([device, size, type]) => [InstanceId, device, size, "", type]),
    );
    expect(disks).toHaveLength(NAMES.length + 3);
    expect(contentsOf(run, "diskInfo")).toEqual(disks);
  });

  it("has every tag", () => {
    const tags = machines.flatMap(({ InstanceId, Tags = [] }) =>
      [...Tags].sort((a, b) => (a.Key < b.Key ? -1 : 1)).map(({ Key, Value }) => [InstanceId, Key, Value]),
    );
    expect(tags).toHaveLength(NAMES.length * 2);
    expect(contentsOf(run, "tagInfo")).toEqual(tags);
  });
});
