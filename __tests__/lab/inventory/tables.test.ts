import { GoogleStandIn } from "../../support/google-stand-in";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { COLUMNS } from "../../support/google-stand-in-tables";
import { describeWith } from "../../support/programs";
import { haveSource, sceneWith } from "../assessment-service/assessment-scene";
import { rowsOf, withAws } from "./inventory-run";

interface Expectation {
  readonly what: string;
  /** As AWS describes it, but for what all have. */
  readonly machine: { readonly InstanceId: string; readonly [field: string]: unknown };
  readonly volumes?: readonly object[];
  /** Cells of vmInfo that are not as those of the plainest machine, which has its id as name, by column. */
  readonly cells?: Readonly<Partial<Record<(typeof COLUMNS.vmInfo)[number], string>>>;
  /** Rows of diskInfo, without the machine's id. @default that of a machine without a volume */
  readonly disks?: readonly (readonly string[])[];
  /** Rows of tagInfo, likewise. @default none */
  readonly tags?: readonly (readonly string[])[];
}

/** The cells of a machine of which AWS says as little as it may. */
const PLAINEST = {
  TotalDiskAllocatedGiB: "0",
  TotalDiskUsedGiB: "0",
  IsPhysical: "0",
  Source: "AWS",
  MachineTypeLabel: "t3.micro",
  AllocatedProcessorCoreCount: "2",
  MemoryGiB: "1.0",
  HostingLocation: "us-east-1",
  OsType: "Linux/UNIX",
  MachineStatus: "running",
  CreateDate: "2024-03-01 10:00:00+00:00",
};
const PLACEHOLDER_DISK = ["/dev/xvda", "52.5", "", "gp2"] as const;

const type = (InstanceType: string, DefaultVCpus: number, SizeInMiB: number) => ({
  InstanceType,
  VCpuInfo: { DefaultVCpus },
  MemoryInfo: { SizeInMiB },
});

const volume = (InstanceId: string, Device: string, Size: number, VolumeType: string, State = "attached") => ({
  VolumeId: `vol-${Device}`,
  Size,
  VolumeType,
  Attachments: [{ InstanceId, Device, State }],
});

const attached = (DeviceName: string, month: string) => ({
  DeviceName,
  Ebs: { AttachTime: `2024-${month}-01T10:00:05+00:00` },
});

const card = (DeviceIndex: number, MacAddress: string, fields: object) => ({
  Attachment: { DeviceIndex },
  MacAddress,
  ...fields,
});

/** Every rule of the tables, each with the machine that shows it; written from the format's description. */
const EXPECTATIONS: readonly Expectation[] = [
  { what: "a machine of which nothing is said", machine: { InstanceId: "i-01" } },
  {
    what: "an ordinary machine",
    machine: {
      InstanceId: "i-02",
      InstanceType: "m5.large",
      PlatformDetails: "Red Hat Enterprise Linux",
      RootDeviceName: "/dev/xvda",
      BlockDeviceMappings: [attached("/dev/sdf", "05"), attached("/dev/xvda", "03")],
      NetworkInterfaces: [
        card(0, "02::05", { PrivateIpAddress: "10.0.0.5", Association: { PublicIp: "198.51.100.5" } }),
      ],
    },
    volumes: [volume("i-02", "/dev/xvda", 30, "gp3"), volume("i-02", "/dev/sdf", 500, "st1")],
    cells: {
      PrimaryIPAddress: "10.0.0.5",
      PrimaryMACAddress: "02::05",
      PublicIPAddress: "198.51.100.5",
      IpAddressListSemiColonDelimited: "10.0.0.5;198.51.100.5",
      TotalDiskAllocatedGiB: "530",
      MachineTypeLabel: "m5.large",
      MemoryGiB: "8.0",
      OsType: "Red Hat Enterprise Linux",
      CreateDate: "2024-03-01 10:00:05+00:00",
    },
    disks: [
      ["/dev/sdf", "500", "", "st1"],
      ["/dev/xvda", "30", "", "gp3"],
    ],
  },
  {
    what: "several interfaces, the second of which is listed first",
    machine: {
      InstanceId: "i-03",
      NetworkInterfaces: [
        card(1, "02::09", { PrivateIpAddress: "10.1.0.9", Association: { PublicIp: "198.51.100.9" } }),
        card(0, "02::08", {
          PrivateIpAddress: "10.0.0.8",
          PrivateIpAddresses: [{ PrivateIpAddress: "10.0.0.8" }, { PrivateIpAddress: "10.0.0.80" }],
        }),
      ],
    },
    cells: {
      PrimaryIPAddress: "10.0.0.8",
      PrimaryMACAddress: "02::08",
      PublicIPAddress: "198.51.100.9",
      IpAddressListSemiColonDelimited: "10.0.0.8;198.51.100.9;10.0.0.80;10.1.0.9",
    },
  },
  {
    what: "a name and tags with commas, quotes, line ends and emoji",
    machine: {
      InstanceId: "i-05",
      Tags: [
        { Key: "text", Value: "first\nsecond\r\nthird\\n\ttab" },
        { Key: "Name", Value: 'x,"y"\n\u{1F680}\\' },
        { Key: "a,b", Value: "" },
      ],
    },
    cells: { MachineName: 'x,"y"\n\u{1F680}\\' },
    tags: [
      ["Name", 'x,"y"\n\u{1F680}\\'],
      ["a,b", ""],
      ["text", "first\nsecond\r\nthird\\n\ttab"],
    ],
  },
];

const IDS = EXPECTATIONS.map(({ machine }) => machine.InstanceId);

describeWith(["curl", "dash", "jq"], "import-inventory.sh sends tables that", () => {
  const { run, standIn } = sceneWith(new GoogleStandIn());
  let result: ScriptRun;

  beforeAll(async () => {
    await standIn.start();
    haveSource(standIn);
    const state = (Name: string) => ({ State: { Name } });
    const ofAll = { InstanceType: "t3.micro", LaunchTime: "2024-03-01T10:00:00+00:00", ...state("running") };
    const account = {
      machines: [
        ...EXPECTATIONS.map(({ machine }) => ({ ...ofAll, ...machine })).reverse(),
        { ...ofAll, InstanceId: "i-98", ...state("terminated") },
        { ...ofAll, InstanceId: "i-99", InstanceType: "x1.never-asked", ...state("shutting-down") },
      ],
      types: [type("t3.micro", 2, 1024), type("m5.large", 2, 8192)],
      volumes: [
        ...EXPECTATIONS.flatMap(({ volumes = [] }) => volumes),
        volume("i-98", "/dev/sda1", 10, "gp2"),
        volume("i-01", "/dev/sdz", 9, "gp2", "detached"),
        { VolumeId: "vol-00", Size: 7, VolumeType: "gp2", Attachments: [] },
      ],
    };
    result = await run("import-inventory", withAws({}, account));
  });

  afterAll(() => standIn.stop());

  it("come without an error, and have nothing else", () => {
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain(`Instances of us-east-1: ${IDS.length} found; 2 more are terminated and left out`);
    expect(result.stdout).toContain("3 of the instances have no volume; each gets one disk /dev/xvda of 52.5 GiB");
    expect(rowsOf(standIn, "vmInfo").map(([id]) => id)).toEqual(["MachineId", ...IDS]);
    expect(["diskInfo", "tagInfo", "perfInfo"].map((kind) => rowsOf(standIn, kind).length)).toEqual([6, 4, 1]);
  });

  it.each(EXPECTATIONS)(
    "have $what",
    ({ machine: { InstanceId: id }, cells, disks = [PLACEHOLDER_DISK], tags = [] }) => {
      const wanted: Record<string, string> = { MachineId: id, MachineName: id, ...PLAINEST, ...cells };
      const ofMachine = (kind: string) => rowsOf(standIn, kind).filter(([first]) => first === id);
      expect(ofMachine("vmInfo")).toEqual([COLUMNS.vmInfo.map((column) => wanted[column] ?? "")]);
      expect(ofMachine("diskInfo")).toEqual(disks.map((disk) => [id, ...disk]));
      expect(ofMachine("tagInfo")).toEqual(tags.map((tag) => [id, ...tag]));
    },
  );
});
