import { AWS_IMPORT_COLUMNS } from "../../../lib/lab/contract";
import {
  contentsOf,
  exportInventory,
  type InventoryOptions,
  type InventoryRun,
  rowsOf,
  SCOPED_KEY,
} from "./inventory-run";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { Ec2StandIn, type Fleet, type StandInMachine, type StandInVolume } from "./ec2-stand-in";
import { largeFleet } from "./large-fleet";

const ATTACHED = "2024-03-01T10:00:05.000Z";

interface Expectation {
  readonly what: string;
  readonly machine: StandInMachine;
  readonly volumes?: readonly StandInVolume[];
  /** Cells of vmInfo that are not as those of the plainest machine, which has its id as name, by column. */
  readonly machineCells?: Readonly<Partial<Record<(typeof AWS_IMPORT_COLUMNS.vmInfo)[number], string>>>;
  /** Rows of diskInfo, without the machine's id. @default that of a machine without a volume */
  readonly disks?: readonly (readonly string[])[];
  /** Rows of tagInfo, likewise. @default none */
  readonly tags?: readonly (readonly string[])[];
}

const PLACEHOLDER_DISK = ["/dev/xvda", "52.5", "", "gp2"] as const;

/** The cells of a machine of which the API says as little as it may. */
const PLAINEST = {
  PrimaryIPAddress: "",
  PrimaryMACAddress: "",
  PublicIPAddress: "",
  IpAddressListSemiColonDelimited: "",
  TotalDiskAllocatedGiB: "0",
  TotalDiskUsedGiB: "0",
  MachineTypeLabel: "t3.micro",
  AllocatedProcessorCoreCount: "2",
  MemoryGiB: "1.0",
  HostingLocation: "us-east-1",
  OsType: "Linux/UNIX",
  OsPublisher: "",
  OsName: "",
  OsVersion: "",
  MachineStatus: "running",
  ProvisioningState: "",
  CreateDate: "2024-03-01 10:00:00+00:00",
  IsPhysical: "0",
  Source: "AWS",
} as const;

function volume(id: string, sizeGib: number, type: string, machineId: string, device: string): StandInVolume {
  return { id, sizeGib, type, attachments: [{ machineId, device }] };
}

/** Every rule of the tables, each with the machine that shows it; written from the format's description. */
const EXPECTATIONS: readonly Expectation[] = [
  {
    what: "a machine of which nothing is said",
    machine: { id: "i-01", type: "t3.micro" },
  },
  {
    what: "an ordinary machine",
    machine: {
      id: "i-02",
      type: "m5.large",
      platformDetails: "Red Hat Enterprise Linux",
      tags: [
        ["owner", "team"],
        ["Name", "web-1"],
      ],
      interfaces: [
        {
          deviceIndex: 0,
          privateAddress: "10.0.0.5",
          macAddress: "02:00:00:00:00:05",
          publicAddress: "198.51.100.5",
        },
      ],
      privateAddress: "10.0.0.5",
      publicAddress: "198.51.100.5",
      rootDevice: "/dev/xvda",
      devices: [
        { name: "/dev/xvda", volumeId: "vol-21", attachTime: ATTACHED },
        { name: "/dev/sdf", volumeId: "vol-22", attachTime: "2024-05-05T05:05:05.000Z" },
      ],
    },
    volumes: [volume("vol-22", 500, "st1", "i-02", "/dev/sdf"), volume("vol-21", 30, "gp3", "i-02", "/dev/xvda")],
    machineCells: {
      MachineName: "web-1",
      PrimaryIPAddress: "10.0.0.5",
      PrimaryMACAddress: "02:00:00:00:00:05",
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
    tags: [
      ["Name", "web-1"],
      ["owner", "team"],
    ],
  },
  {
    what: "several interfaces, the second of which is listed first",
    machine: {
      id: "i-03",
      type: "t3.micro",
      interfaces: [
        { deviceIndex: 1, privateAddress: "10.1.0.9", macAddress: "02:00:00:00:00:09", publicAddress: "198.51.100.9" },
        { deviceIndex: 0, privateAddress: "10.0.0.8", macAddress: "02:00:00:00:00:08", further: ["10.0.0.80"] },
      ],
    },
    machineCells: {
      PrimaryIPAddress: "10.0.0.8",
      PrimaryMACAddress: "02:00:00:00:00:08",
      PublicIPAddress: "198.51.100.9",
      IpAddressListSemiColonDelimited: "10.0.0.8;198.51.100.9;10.0.0.80;10.1.0.9",
    },
  },
  {
    what: "addresses without an interface",
    machine: { id: "i-04", type: "t3.micro", privateAddress: "10.0.0.4", publicAddress: "198.51.100.4" },
    machineCells: {
      PrimaryIPAddress: "10.0.0.4",
      PublicIPAddress: "198.51.100.4",
      IpAddressListSemiColonDelimited: "10.0.0.4;198.51.100.4",
    },
  },
  {
    what: "a name and tags with commas, quotes, line ends and emoji",
    machine: {
      id: "i-05",
      type: "t3.micro",
      tags: [
        ["text", "first\nsecond\r\nthird\\n\ttab"],
        ["Name", 'x,"y"\n\u{1F680}\\'],
        ["a,b", ""],
      ],
    },
    machineCells: { MachineName: 'x,"y"\n\u{1F680}\\' },
    tags: [
      ["Name", 'x,"y"\n\u{1F680}\\'],
      ["a,b", ""],
      ["text", "first\nsecond\r\nthird\\n\ttab"],
    ],
  },
  {
    what: "processors of the machine's own choice",
    machine: { id: "i-07", type: "m5.large", cpu: { cores: 3, threads: 1 } },
    machineCells: {
      MachineTypeLabel: "m5.large",
      AllocatedProcessorCoreCount: "3",
      MemoryGiB: "8.0",
    },
  },
  {
    what: "Windows, as old answers say it",
    machine: { id: "i-08", type: "t3.micro", platform: "windows", state: "stopped" },
    machineCells: { OsType: "Windows", MachineStatus: "stopped" },
  },
  {
    what: "a root device that is not attached",
    machine: {
      id: "i-10",
      type: "t3.micro",
      rootDevice: "/dev/sda1",
      devices: [{ name: "/dev/sdb", volumeId: "vol-101", attachTime: ATTACHED }],
      launchTime: "2023-12-31T23:59:59.000Z",
    },
    volumes: [volume("vol-101", 1, "io2", "i-10", "/dev/sdb")],
    machineCells: { TotalDiskAllocatedGiB: "1", CreateDate: "2023-12-31 23:59:59+00:00" },
    disks: [["/dev/sdb", "1", "", "io2"]],
  },
  {
    what: "addresses of IPv6 alone",
    machine: {
      id: "i-12",
      type: "t3.micro",
      interfaces: [
        { deviceIndex: 1, macAddress: "02:00:00:00:00:13", ipv6: ["2001:db8::13"] },
        { deviceIndex: 0, macAddress: "02:00:00:00:00:12", ipv6: ["2001:db8::12", "2001:db8::1:12"] },
      ],
    },
    machineCells: {
      PrimaryIPAddress: "2001:db8::12",
      PrimaryMACAddress: "02:00:00:00:00:12",
      IpAddressListSemiColonDelimited: "2001:db8::12;2001:db8::1:12;2001:db8::13",
    },
  },
  {
    what: "memory that is no whole number",
    machine: { id: "i-11", type: "t1.micro" },
    machineCells: {
      MachineTypeLabel: "t1.micro",
      AllocatedProcessorCoreCount: "1",
      MemoryGiB: "0.6",
    },
  },
];

const TYPES = [
  { name: "t3.micro", cores: 2, mebibytes: 1024 },
  { name: "m5.large", cores: 2, mebibytes: 8192 },
  { name: "t1.micro", cores: 1, mebibytes: 627 },
];

const GONE: readonly StandInMachine[] = [
  { id: "i-98", type: "t3.micro", state: "terminated" },
  { id: "i-99", type: "x1.never-asked", state: "shutting-down" },
];

function fleetOf(machines: readonly StandInMachine[], volumes: readonly StandInVolume[] = []): Fleet {
  const at = <Item>(items: readonly Item[], index: number): Item => {
    const item = items[index];
    if (item === undefined) throw new Error(`there is no item ${index}`);
    return item;
  };
  return {
    machineCount: machines.length,
    machine: (index) => at(machines, index),
    volumeCount: volumes.length,
    volume: (index) => at(volumes, index),
    type: (name) => TYPES.find((type) => type.name === name),
  };
}

const ALL = fleetOf(
  [...EXPECTATIONS.map(({ machine }) => machine), ...GONE],
  [
    ...EXPECTATIONS.flatMap(({ volumes = [] }) => volumes),
    volume("vol-98", 10, "gp2", "i-98", "/dev/sda1"),
    { id: "vol-00", sizeGib: 7, type: "gp2", attachments: [] },
    {
      id: "vol-02",
      sizeGib: 9,
      type: "gp2",
      attachments: [{ machineId: "i-01", device: "/dev/sdz", state: "detached" }],
    },
  ],
);

const IDS = EXPECTATIONS.map(({ machine }) => machine.id);

interface Scene {
  readonly standIn: Ec2StandIn;
  readonly run: (options?: Partial<InventoryOptions>) => Promise<InventoryRun>;
}

async function inScene(fleet: Fleet, test: (scene: Scene) => Promise<void>): Promise<void> {
  const standIn = await new Ec2StandIn(fleet).start();
  try {
    await test({
      standIn,
      run: (options = {}) =>
        exportInventory({
          folder: temporaryFolder(),
          programs: [process.env.PATH ?? ""],
          ...options,
          environment: { AWS_ENDPOINT_URL: standIn.endpoint, ...options.environment },
        }),
    });
  } finally {
    await standIn.stop();
  }
}

describeWith(["aws", "dash", "jq"], "export-inventory.sh with the AWS CLI", () => {
  describe("tables", () => {
    let run: InventoryRun;
    beforeAll(() =>
      inScene(ALL, async (scene) => {
        run = await scene.run({ environment: { PAGE_SIZE: "5" } });
      }),
    );

    it("come without an error, have nothing else, and say what was left out", () => {
      expect(run).toMatchObject({ exitCode: 0, stderr: "", leftovers: [], manifest: { instances: IDS.length } });
      expect(run.stdout).toContain(`Machines of us-east-1: ${IDS.length} found; 2 more are terminated and left out`);
      expect(run.stdout).toContain("8 of the machines have no volume; each gets one disk /dev/xvda of 52.5 GiB");
      for (const kind of ["vmInfo", "diskInfo", "tagInfo"]) {
        expect(contentsOf(run, kind).filter(([id = ""]) => !IDS.includes(id))).toEqual([]);
      }
      expect(contentsOf(run, "perfInfo")).toEqual([]);
    });

    it.each(Object.entries(AWS_IMPORT_COLUMNS))("have the columns of %s", (kind, columns) => {
      expect(rowsOf(run, kind)[0]).toEqual(columns);
    });

    it.each(EXPECTATIONS)("have $what", ({ machine: { id }, machineCells, disks = [PLACEHOLDER_DISK], tags = [] }) => {
      const wanted: Record<string, string> = { MachineId: id, MachineName: id, ...PLAINEST, ...machineCells };
      const ofMachine = (kind: string) => contentsOf(run, kind).filter(([first]) => first === id);
      expect(ofMachine("vmInfo")).toEqual([AWS_IMPORT_COLUMNS.vmInfo.map((column) => wanted[column])]);
      expect(ofMachine("diskInfo")).toEqual(disks.map((disk) => [id, ...disk]));
      expect(ofMachine("tagInfo")).toEqual(tags.map((tag) => [id, ...tag]));
    });
  });

  it("asks page by page, for a hundred types at most, with the scoped key in the region that was named", () =>
    inScene(largeFleet(300), async ({ run, standIn }) => {
      const result = await run({ environment: { PAGE_SIZE: "100", CLOUDB_REGION: "eu-west-3" } });

      expect(result).toMatchObject({ exitCode: 0, manifest: { instances: 300 } });
      expect(standIn.requestsTo("DescribeInstances")).toHaveLength(3);
      expect(standIn.requestsTo("DescribeVolumes")).toHaveLength(6);
      const types = standIn
        .requestsTo("DescribeInstanceTypes")
        .map(({ parameters }) => [...parameters.keys()].filter((name) => name.startsWith("InstanceType.")).length);
      expect(types).toEqual([100, 100, 50]);
      for (const { accessKeyId, region } of standIn.requests) {
        expect([accessKeyId, region]).toEqual([SCOPED_KEY.id, "eu-west-3"]);
      }
    }));

  it("fails with the service's own words when a type is unknown to it", () =>
    inScene(fleetOf([{ id: "i-1", type: "x9.huge" }]), async ({ run }) => {
      const result = await run();
      expect(result).toMatchObject({ exitCode: 1, manifest: undefined });
      expect(result.stderr).toMatch(/InvalidInstanceType.*\[x9\.huge\]/);
      expect(result.stderr).toContain("A machine has a type that the region no longer describes.");
    }));

  it("fails when nobody answers at the address", () =>
    inScene(ALL, async ({ run }) => {
      const result = await run({ environment: { AWS_ENDPOINT_URL: "http://127.0.0.1:9", AWS_MAX_ATTEMPTS: "1" } });
      expect(result).toMatchObject({ exitCode: 1, manifest: undefined });
      expect(result.stderr).toContain('Could not connect to the endpoint URL: "http://127.0.0.1:9/"');
      expect(result.stderr).toContain("the region us-east-1 is spelled as AWS does");
    }));

  it.each([
    ["Machines", "DescribeInstances", true],
    ["Machine types", "DescribeInstanceTypes", false],
  ])("takes no page without its list for an answer: %s (%s, a later page: %s)", (what, hit, isLater) =>
    inScene(largeFleet(12), async ({ run, standIn }) => {
      const body = "<html><head><title>Sign in</title></head><body><p>Please sign in.</p></body></html>";
      standIn.fault = ({ action, parameters }) =>
        action === hit && parameters.has("NextToken") === isLater ? { kind: "page", body } : undefined;
      const result = await run({ environment: { PAGE_SIZE: "5" } });
      expect(result).toMatchObject({ exitCode: 1, manifest: undefined, leftovers: [] });
      expect(result.stderr).toMatch(
        new RegExp(`^${what} .*: the answer is not one of AWS: jq: error .*: no list of .*\\n {2}To fix: .*\\n$`),
      );
    }),
  );

  it("waits until a new key and a new policy work", () =>
    inScene(ALL, async ({ run, standIn }) => {
      const refusals = ["AuthFailure", "InvalidClientTokenId", "UnauthorizedOperation"];
      const left = [...refusals];
      standIn.fault = () => {
        const code = left.shift();
        return code === undefined ? undefined : { kind: "error", status: 403, code, message: "not yet" };
      };
      const result = await run();
      expect(result).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: IDS.length } });
      for (const code of refusals) {
        expect(result.stdout).toContain(`Machines of us-east-1: ${code}. A new key or policy takes up to a minute`);
      }
    }));

  it("survives rate limits, faults of the service and broken connections, page by page", () =>
    inScene(largeFleet(12), async ({ run, standIn }) => {
      let count = 0;
      standIn.fault = () => {
        count += 1;
        if (count === 2) return { kind: "error", status: 503, code: "RequestLimitExceeded", message: "slow down" };
        if (count === 4) return { kind: "error", status: 500, code: "InternalError", message: "try again" };
        return count === 6 ? { kind: "reset" } : undefined;
      };
      const result = await run({ environment: { PAGE_SIZE: "5" } });
      expect(result).toMatchObject({ exitCode: 0, stderr: "", manifest: { instances: 12 } });
      expect(contentsOf(result, "vmInfo")).toHaveLength(12);
    }));
});
