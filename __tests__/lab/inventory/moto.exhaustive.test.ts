import { contentsOf, exportInventory, type InventoryRun } from "./inventory-run";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeRelease } from "./aws-program";
import { Moto } from "./moto";

/** Answers of the API as far as the expected cells are computed from them. */
interface Answers {
  readonly Reservations: readonly { readonly Instances: readonly Instance[] }[];
  readonly Volumes: readonly Volume[];
  readonly InstanceTypes: readonly {
    readonly InstanceType: string;
    readonly VCpuInfo: { readonly DefaultVCpus: number };
    readonly MemoryInfo: { readonly SizeInMiB: number };
  }[];
}

interface Instance {
  readonly InstanceId: string;
  readonly InstanceType: string;
  readonly LaunchTime: string;
  readonly Platform?: string;
  readonly PlatformDetails?: string;
  readonly RootDeviceName?: string;
  readonly State: { readonly Name: string };
  readonly CpuOptions?: { readonly CoreCount: number; readonly ThreadsPerCore: number };
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly NetworkInterfaces: readonly {
    readonly MacAddress: string;
    readonly PrivateIpAddress: string;
    readonly Association?: { readonly PublicIp: string };
  }[];
  readonly BlockDeviceMappings: readonly {
    readonly DeviceName: string;
    readonly Ebs: { readonly AttachTime: string };
  }[];
}

interface Volume {
  readonly VolumeId: string;
  readonly Size: number;
  readonly VolumeType: string;
  readonly Attachments: readonly { readonly InstanceId: string; readonly Device: string }[];
}

const NAMES = ["plain", 'a, "b"', "two\nlines", "\u{1F600} caf\u00e9", "back\\slash"];
const TYPES_OF_A_LARGE_ACCOUNT = 250;

/** Some twenty calls, each of which starts the program: a busy machine takes long. */
const SETTING_UP_MILLISECONDS = 300_000;

/** The release that asks; what depends on it is tested with the stand-in. */
const RELEASE = 2;

describeRelease(RELEASE, ["dash", "moto_server"], "the inventory of a simulated account", (programs) => {
  let moto: Moto;
  let run: InventoryRun;
  const account: Partial<Answers> = {};
  const call = (...command: string[]) => moto.call(programs, command);
  const launch = (image: string, type: string, tags: Readonly<Record<string, string>>, count = 1) => {
    const list = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const options =
      list.length === 0 ? [] : ["--tag-specifications", JSON.stringify([{ ResourceType: "instance", Tags: list }])];
    return call("run-instances", "--image-id", image, "--instance-type", type, "--count", String(count), ...options);
  };

  beforeAll(async () => {
    moto = await Moto.start();
    const { Images } = (await call("describe-images", "--owners", "amazon")) as { Images: { ImageId: string }[] };
    const image = Images[0]?.ImageId ?? "";
    for (const [index, name] of NAMES.entries()) await launch(image, "m5.large", { Name: name, number: String(index) });
    await launch(image, "t3.micro", {}, 3);

    const listed = (await call("describe-instances")) as Answers;
    const ids = listed.Reservations.flatMap(({ Instances }) => Instances).map(({ InstanceId }) => InstanceId);
    const [first = "", second = ""] = ids;
    const disk = (await call(
      "create-volume",
      "--availability-zone",
      "us-east-1a",
      "--size",
      "123",
      "--volume-type",
      "st1",
    )) as Volume;
    await call("attach-volume", "--volume-id", disk.VolumeId, "--instance-id", first, "--device", "/dev/sdh");
    await call("create-volume", "--availability-zone", "us-east-1a", "--size", "7");
    await call("stop-instances", "--instance-ids", second);
    await call("terminate-instances", "--instance-ids", ids.at(-1) ?? "");

    Object.assign(
      account,
      await call("describe-instances"),
      await call("describe-volumes"),
      await call("describe-instance-types", "--instance-types", "m5.large", "t3.micro"),
    );
    run = await exportInventory({
      folder: temporaryFolder(),
      programs,
      environment: { AWS_ENDPOINT_URL: moto.endpoint },
    });
  }, SETTING_UP_MILLISECONDS);

  afterAll(() => moto.stop());

  const machines = () =>
    (account.Reservations ?? [])
      .flatMap(({ Instances }) => Instances)
      .filter(({ State }) => State.Name !== "terminated")
      .sort((a, b) => (a.InstanceId < b.InstanceId ? -1 : 1));
  const disksOf = (id: string) =>
    (account.Volumes ?? [])
      .flatMap(({ Attachments, Size, VolumeType }) =>
        Attachments.filter(({ InstanceId }) => InstanceId === id).map(({ Device }) => ({ Device, Size, VolumeType })),
      )
      .sort((a, b) => (a.Device < b.Device ? -1 : 1));

  it("is complete", () => {
    expect(run).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: NAMES.length + 2 } });
    expect(run.stdout).toContain("1 more are terminated and left out");
    expect(machines()).toHaveLength(NAMES.length + 2);
  });

  it("has every machine, cell by cell", () => {
    expect(contentsOf(run, "vmInfo")).toEqual(
      machines().map((machine) => {
        const [card] = machine.NetworkInterfaces;
        const publicAddress = card?.Association?.PublicIp ?? "";
        const type = account.InstanceTypes?.find(({ InstanceType }) => InstanceType === machine.InstanceType);
        const root = machine.BlockDeviceMappings.find(({ DeviceName }) => DeviceName === machine.RootDeviceName);
        const date = root?.Ebs.AttachTime ?? machine.LaunchTime;
        const { CpuOptions: own } = machine;
        return [
          machine.InstanceId,
          machine.Tags?.find(({ Key }) => Key === "Name")?.Value ?? machine.InstanceId,
          card?.PrivateIpAddress ?? "",
          card?.MacAddress ?? "",
          publicAddress,
          [card?.PrivateIpAddress, publicAddress].filter(Boolean).join(";"),
          String(disksOf(machine.InstanceId).reduce((sum, { Size }) => sum + Size, 0)),
          "0",
          machine.InstanceType,
          String(own === undefined ? type?.VCpuInfo.DefaultVCpus : own.CoreCount * own.ThreadsPerCore),
          ((type?.MemoryInfo.SizeInMiB ?? 0) / 1024).toFixed(1),
          "us-east-1",
          machine.PlatformDetails ?? (machine.Platform === undefined ? "Linux/UNIX" : "Windows"),
          "",
          "",
          "",
          machine.State.Name,
          "",
          `${date.slice(0, 10)} ${date.slice(11, 19)}+00:00`,
          "0",
          "AWS",
        ];
      }),
    );
  });

  it("has every disk, the one that was added among them, and none that is attached to nothing", () => {
    const disks = machines().flatMap(({ InstanceId }) =>
      disksOf(InstanceId).map(({ Device, Size, VolumeType }) => [InstanceId, Device, String(Size), "", VolumeType]),
    );
    expect(disks).toHaveLength(NAMES.length + 3);
    expect(contentsOf(run, "diskInfo")).toEqual(disks);
  });

  it("has every tag", () => {
    const tags = machines().flatMap(({ InstanceId, Tags = [] }) =>
      [...Tags].sort((a, b) => (a.Key < b.Key ? -1 : 1)).map(({ Key, Value }) => [InstanceId, Key, Value]),
    );
    expect(tags).toHaveLength(NAMES.length * 2);
    expect(contentsOf(run, "tagInfo")).toEqual(tags);
    expect(new Set(tags.map(([, key, value]) => (key === "Name" ? value : "")))).toEqual(new Set(["", ...NAMES]));
  });

  it("is empty in a region without machines", async () => {
    const empty = await exportInventory({
      folder: temporaryFolder(),
      programs,
      environment: { AWS_ENDPOINT_URL: moto.endpoint, CLOUDB_REGION: "eu-west-1" },
    });
    expect(empty).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: 0, files: [] } });
  });

  it(
    "has the processors and the memory of real types, more than fit in one call",
    async () => {
      const { InstanceTypes } = (await call("describe-instance-types")) as Pick<Answers, "InstanceTypes">;
      const types = InstanceTypes.map(({ InstanceType }) => InstanceType)
        .sort()
        .slice(0, TYPES_OF_A_LARGE_ACCOUNT);
      expect(types).toHaveLength(TYPES_OF_A_LARGE_ACCOUNT);
      const { Images } = (await call("describe-images", "--owners", "amazon")) as { Images: { ImageId: string }[] };
      // One request each would take minutes through the program.
      await Promise.all(
        types.map((type) =>
          fetch(moto.endpoint, {
            method: "POST",
            headers: {
              "Content-Type": "application/x-www-form-urlencoded",
              Authorization:
                "AWS4-HMAC-SHA256 Credential=bootstrap/20240101/ap-south-1/ec2/aws4_request, SignedHeaders=host, Signature=0",
            },
            body: new URLSearchParams({
              Action: "RunInstances",
              Version: "2016-11-15",
              ImageId: Images[0]?.ImageId ?? "",
              InstanceType: type,
              MinCount: "1",
              MaxCount: "1",
            }),
          }),
        ),
      );
      const large = await exportInventory({
        folder: temporaryFolder(),
        programs,
        environment: { AWS_ENDPOINT_URL: moto.endpoint, CLOUDB_REGION: "ap-south-1" },
      });
      expect(large).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: TYPES_OF_A_LARGE_ACCOUNT } });
      expect(
        contentsOf(large, "vmInfo")
          .map((row) => [row[8], row[10]])
          .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
      ).toEqual(
        types.map((name) => {
          const mebibytes = InstanceTypes.find(({ InstanceType }) => InstanceType === name)?.MemoryInfo.SizeInMiB ?? 0;
          return [name, (Math.round((mebibytes * 10) / 1024) / 10).toFixed(1)];
        }),
      );
    },
    SETTING_UP_MILLISECONDS,
  );
});
