import { Token } from "cdktf";

import { BUCKET_NAME_RESERVED_WORD, PROJECT_ID_PATTERN } from "../core/names";
import { ifKnown, secretPresence, type Rule } from "../core/rules";
import { INTERNAL_RANGE_LEAST_PREFIX, isAddressRange, prefixLength } from "./address-range";
import { type AssessmentLabProps } from "./assessment-lab-props";
import {
  ARM_MACHINE_TYPE_PATTERN,
  AUTO_MODE_RANGE,
  CLOUDB_REGION_PATTERN,
  DEFAULT_MACHINE_TYPE,
  DEFAULT_REGION,
  DISCOVERY_CLIENT_NAME_MAX_LENGTH,
  DISCOVERY_CLIENT_NAME_PATTERN,
  LARGEST_DISK_SIZE_GB,
  LINUX_LEAST_DISK_SIZE_GB,
  MACHINE_TYPE_PATTERN,
  WINDOWS_LEAST_DISK_SIZE_GB,
  WINDOWS_PASSWORDS,
} from "./contract";
import { COMPUTER_NAME_MAX_LENGTH, DEPLOYMENT_ID_PATTERN, ILLEGAL_DEPLOYMENT_ID_LENGTH, vpcName } from "./lab-names";

/** What the props of a lab must keep as far as they are known at synth; the stack's inputs keep the same at plan. */
export const ASSESSMENT_LAB_RULES: readonly Rule<AssessmentLabProps>[] = [
  {
    holds: ({ projectId }) => ifKnown(projectId, (id) => new RegExp(PROJECT_ID_PATTERN).test(id)),
    message: ({ projectId }) =>
      `projectId is "${projectId}"; it must be the id of a project, 6 to 30 lower-case letters, digits and hyphens that start with a letter, because every address is built from it; use the id, not the name or the number`,
  },
  {
    holds: ({ deploymentId }) => ifKnown(deploymentId, (id) => new RegExp(DEPLOYMENT_ID_PATTERN).test(id)),
    message: ({ deploymentId }) =>
      `deploymentId is "${String(deploymentId)}"; it must be 1 to 8 lower-case letters and digits, because it is part of every name and the whole of it must be in the computer name of the Windows host; shorten or rewrite it`,
  },
  {
    holds: ({ deploymentId }) => ifKnown(deploymentId, (id) => id.length !== ILLEGAL_DEPLOYMENT_ID_LENGTH),
    message: ({ deploymentId }) =>
      `deploymentId is "${String(deploymentId)}"; it must not have ${ILLEGAL_DEPLOYMENT_ID_LENGTH} characters, because Windows cuts the host's name after ${COMPUTER_NAME_MAX_LENGTH} and a computer name that ends in a hyphen is not legal; add or remove one`,
  },
  {
    holds: ({ deploymentId }) => ifKnown(deploymentId, (id) => !id.includes(BUCKET_NAME_RESERVED_WORD)),
    message: ({ deploymentId }) =>
      `deploymentId is "${String(deploymentId)}"; it must not contain "${BUCKET_NAME_RESERVED_WORD}", because it is part of the bucket's name and the store reserves that word; choose another id`,
  },
  {
    holds: ({ createVpc, deploymentId }) => createVpc !== false || deploymentId !== undefined,
    message: () =>
      `createVpc is false and deploymentId is missing; the existing network must be called ${vpcName("<id>")}, because nobody can know a random id before; give the id in the network's name, or set createVpc to true`,
  },
  {
    holds: ({ region }) => ifKnown(region, (known) => /^[a-z]+-[a-z]+\d+$/.test(known)),
    message: ({ region }) =>
      `region is "${String(region)}"; it must be the name of a region such as ${DEFAULT_REGION}, because the assessment data of a project is in one for ever; a zone has one more letter at the end, leave that out`,
  },
  {
    holds: ({ region = DEFAULT_REGION, zone }) =>
      Token.isUnresolved(region) || ifKnown(zone, (known) => /-[a-z]$/.test(known) && known.slice(0, -2) === region),
    message: ({ region = DEFAULT_REGION, zone }) =>
      `zone is "${String(zone)}"; it must be a zone of the region ${region}, because hosts, bucket and assessment data belong together; use for example ${region}-b`,
  },
  {
    holds: ({ internalTrafficCidr }) => ifKnown(internalTrafficCidr, isAddressRange),
    message: ({ internalTrafficCidr }) =>
      `internalTrafficCidr is "${String(internalTrafficCidr)}"; it must be an IPv4 range such as ${AUTO_MODE_RANGE} that begins with its first address, because firewall rules take nothing else; correct it`,
  },
  {
    holds: ({ internalTrafficCidr }) =>
      ifKnown(
        internalTrafficCidr,
        (range) => !isAddressRange(range) || prefixLength(range) >= INTERNAL_RANGE_LEAST_PREFIX,
      ),
    message: ({ internalTrafficCidr }) =>
      `internalTrafficCidr is ${String(internalTrafficCidr)}; it must be /${INTERNAL_RANGE_LEAST_PREFIX} or smaller, because every protocol is let through from there and the Windows host has a public address; use the range of the network, ${AUTO_MODE_RANGE}`,
  },
  {
    holds: ({ sourceRanges = {} }) => unusableRanges(sourceRanges).length === 0,
    message: ({ sourceRanges = {} }) =>
      unusableRanges(sourceRanges).map(
        ([rule, ranges]) =>
          `sourceRanges.${rule} is ${JSON.stringify(ranges)}; it must have at least one IPv4 range, each beginning with its first address, because a firewall rule without a source lets everybody through; give one, for example ${AUTO_MODE_RANGE}`,
      ),
  },
  ...(["windowsVmMachineType", "linuxVmMachineType"] as const).map((prop) => ({
    holds: (props: AssessmentLabProps) =>
      ifKnown(props[prop], (machineType) => new RegExp(MACHINE_TYPE_PATTERN).test(machineType)),
    message: (props: AssessmentLabProps) =>
      `${prop} is "${String(props[prop])}"; it must be the name of a machine type, because the platform knows no other sizes; use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4`,
  })),
  {
    holds: ({ windowsPassword }) =>
      ifKnown(windowsPassword, (known) => WINDOWS_PASSWORDS.some((password) => password === known)),
    message: () =>
      `windowsPassword is not one of the two words; it must be ${WINDOWS_PASSWORDS.join(" or ")}, because a password of your own would be in the state and in the host's metadata; take unknown, and set one with gcloud compute reset-windows-password`,
  },
  {
    holds: ({ createWindowsVm, windowsVmMachineType }) =>
      createWindowsVm === false || ifKnown(windowsVmMachineType, isForX86),
    message: ({ windowsVmMachineType }) =>
      `windowsVmMachineType is "${String(windowsVmMachineType)}"; it must be of a family with x86 processors, because there is no Windows Server for Arm; use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4, or set createWindowsVm to false`,
  },
  {
    holds: ({ linuxVmCount, linuxVmMachineType }) => linuxVmCount === 0 || ifKnown(linuxVmMachineType, isForX86),
    message: ({ linuxVmMachineType }) =>
      `linuxVmMachineType is "${String(linuxVmMachineType)}"; it must be of a family with x86 processors, because the targets' image is for these; use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4, or set linuxVmCount to 0`,
  },
  {
    holds: ({ createWindowsVm, windowsVmBootDiskSizeGb }) =>
      createWindowsVm === false || ifKnown(windowsVmBootDiskSizeGb, isDiskSize(WINDOWS_LEAST_DISK_SIZE_GB)),
    message: ({ windowsVmBootDiskSizeGb }) =>
      `windowsVmBootDiskSizeGb is ${String(windowsVmBootDiskSizeGb)}; it must be a whole number from ${WINDOWS_LEAST_DISK_SIZE_GB} to ${LARGEST_DISK_SIZE_GB}, because the server image alone needs ${WINDOWS_LEAST_DISK_SIZE_GB}; raise it, or set createWindowsVm to false`,
  },
  {
    holds: ({ linuxVmCount }) => ifKnown(linuxVmCount, (count) => Number.isInteger(count) && count >= 0),
    message: ({ linuxVmCount }) =>
      `linuxVmCount is ${String(linuxVmCount)}; it must be a whole number from 0, because it counts hosts; use 0 for none`,
  },
  {
    holds: ({ linuxVmBootDiskSizeGb, linuxVmCount }) =>
      linuxVmCount === 0 || ifKnown(linuxVmBootDiskSizeGb, isDiskSize(LINUX_LEAST_DISK_SIZE_GB)),
    message: ({ linuxVmBootDiskSizeGb }) =>
      `linuxVmBootDiskSizeGb is ${String(linuxVmBootDiskSizeGb)}; it must be a whole number from ${LINUX_LEAST_DISK_SIZE_GB} to ${LARGEST_DISK_SIZE_GB}, because the image alone needs ${LINUX_LEAST_DISK_SIZE_GB}; raise it, or set linuxVmCount to 0`,
  },
  {
    holds: ({ assessDiscoveryClientName }) => ifKnown(assessDiscoveryClientName, isDiscoveryClientName),
    message: ({ assessDiscoveryClientName }) =>
      `assessDiscoveryClientName is ${JSON.stringify(assessDiscoveryClientName)}; it must be 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters without control characters and without white space but plain spaces inside, because it is typed by hand into the discovery client and must match; rewrite it`,
  },
  {
    holds: ({ cloudB }) =>
      cloudB === undefined || Token.isUnresolved(cloudB.accessKeyId) || Token.isUnresolved(cloudB.secretAccessKey)
        ? true
        : (cloudB.accessKeyId === "") === (cloudB.secretAccessKey === ""),
    message: ({ cloudB }) =>
      `cloudB has accessKeyId ${secretPresence(cloudB?.accessKeyId)} and secretAccessKey ${secretPresence(cloudB?.secretAccessKey)}; they must be given together or not at all, because neither signs a request alone; give both, or leave cloudB out`,
  },
  {
    holds: ({ cloudB }) => ifKnown(cloudB?.region, (region) => new RegExp(CLOUDB_REGION_PATTERN).test(region)),
    message: ({ cloudB }) =>
      `cloudB.region is "${String(cloudB?.region)}"; it must be the name of a region of cloud B such as us-east-1, because instances are listed region by region; correct it`,
  },
];

function isForX86(machineType: string): boolean {
  return !new RegExp(ARM_MACHINE_TYPE_PATTERN).test(machineType);
}

function isDiskSize(least: number): (size: number) => boolean {
  return (size) => Number.isInteger(size) && size >= least && size <= LARGEST_DISK_SIZE_GB;
}

function isDiscoveryClientName(name: string): boolean {
  // Terraform normalizes every text in this way.
  return new RegExp(DISCOVERY_CLIENT_NAME_PATTERN, "u").test(name.normalize("NFC"));
}

function unusableRanges(sourceRanges: Readonly<Record<string, readonly string[] | undefined>>): [string, string[]][] {
  return Object.entries(sourceRanges).flatMap(([rule, ranges]): [string, string[]][] => {
    if (ranges === undefined || Token.isUnresolved(ranges)) return [];
    const usable = ranges.length > 0 && ranges.every((range) => Token.isUnresolved(range) || isAddressRange(range));
    return usable ? [] : [[rule, [...ranges]]];
  });
}
