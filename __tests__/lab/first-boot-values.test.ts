import { existsSync } from "node:fs";
import { packageFile } from "../../lib/core/package-file";
import { LAB_PASSWORD, LAB_USER } from "../../lib/lab/contract";
import { LINUX_FIRST_BOOT, WINDOWS_FIRST_BOOT, windowsFirstBootValues } from "../../lib/lab/first-boot-values";
import { sampleImportFiles } from "../../lib/lab/sample-import";

/** Largest value of one metadata key. */
const METADATA_VALUE_MAX_BYTES = 256 * 1024;

describe("the values of the first boot", () => {
  it("fit in one metadata key", () => {
    expect(JSON.stringify(windowsFirstBootValues(LAB_PASSWORD)).length).toBeLessThan(METADATA_VALUE_MAX_BYTES);
  });

  it.each([WINDOWS_FIRST_BOOT, LINUX_FIRST_BOOT])("go to a script of the package: $script", ({ script }) => {
    expect(existsSync(packageFile(script))).toBe(true);
  });

  it("have a password that Windows accepts: three kinds of characters, and not the user's name", () => {
    const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(LAB_PASSWORD));
    expect(kinds.length).toBeGreaterThanOrEqual(3);
    expect(LAB_PASSWORD.length).toBeGreaterThanOrEqual(12);
    expect(LAB_PASSWORD.toLowerCase()).not.toContain(LAB_USER);
  });
});

describe("the sample import", () => {
  const files = sampleImportFiles();
  const rows = (name: string): string[][] =>
    (files[name] ?? "")
      .split("\r\n")
      .slice(0, -1)
      .map((line) => line.split(","));

  it("has the tables and columns that the assessment service reads", () => {
    const headers = Object.fromEntries(Object.keys(files).map((name) => [name, rows(name)[0]?.join(",")]));
    expect(headers).toEqual({
      "vmInfo.csv":
        "MachineId,MachineName,PrimaryIPAddress,PrimaryMACAddress,PublicIPAddress,IpAddressListSemiColonDelimited," +
        "TotalDiskAllocatedGiB,TotalDiskUsedGiB,MachineTypeLabel,AllocatedProcessorCoreCount,MemoryGiB," +
        "HostingLocation,OsType,OsPublisher,OsName,OsVersion,MachineStatus,ProvisioningState,CreateDate,IsPhysical," +
        "Source",
      "diskInfo.csv": "MachineId,DiskLabel,SizeInGib,UsedInGib,StorageTypeLabel",
      "tagInfo.csv": "MachineId,Key,Value",
    });
  });

  it("has rows as long as their header, without a character that would need quotes", () => {
    for (const name of Object.keys(files)) {
      expect(files[name]).toMatch(/^[\r\n\x20-\x7e]*$/);
      expect(files[name]).not.toContain('"');
      const [header = [], ...others] = rows(name);
      expect(others.length).toBeGreaterThanOrEqual(5);
      expect(others.map((row) => row.length)).toEqual(others.map(() => header.length));
    }
  });

  it("describes the same virtual machines in every table, each with its disks", () => {
    const column = (name: string, title: string): string[] => {
      const [header = [], ...others] = rows(name);
      return others.map((row) => row[header.indexOf(title)] ?? "");
    };
    const machines = column("vmInfo.csv", "MachineId");
    expect(new Set(machines).size).toBe(machines.length);
    expect(new Set(column("diskInfo.csv", "MachineId"))).toEqual(new Set(machines));
    expect(new Set(column("tagInfo.csv", "MachineId"))).toEqual(new Set(machines));
    expect(new Set(column("vmInfo.csv", "IsPhysical"))).toEqual(new Set(["0"]));
    const sizes = machines.map((machine) =>
      rows("diskInfo.csv")
        .filter(([id]) => id === machine)
        .reduce((total, row) => total + Number(row[2]), 0),
    );
    expect(column("vmInfo.csv", "TotalDiskAllocatedGiB").map(Number)).toEqual(sizes);
    // What the service accepts as keys and values of labels.
    for (const label of [...column("tagInfo.csv", "Key"), ...column("tagInfo.csv", "Value")]) {
      expect(label).toMatch(/^[a-z][a-z0-9_-]{0,62}$/);
    }
  });
});
