import { Token, type IResolvable } from "cdktf";

import {
  addressRangeCondition,
  INTERNAL_RANGE_LEAST_PREFIX,
  isAddressRange,
  prefixLength,
} from "../core/address-range";
import { CheckedRelation } from "../core/checked-relation";
import { CheckedValue, matching, oneOf, wholeNumber } from "../core/checked-value";
import { BUCKET_NAME_RESERVED_WORD } from "../core/names";
import { LABELS, PROJECT_ID, REGION } from "../core/place-rules";
import { type Rule } from "../core/rules";
import { type AssessmentLabProps } from "./assessment-lab-props";
import { AWS_RULES } from "./aws-rules";
import {
  ARM_MACHINE_TYPE_PATTERN,
  AUTO_MODE_RANGE,
  DEFAULT_LINUX_COUNT,
  DEFAULT_LINUX_DISK_SIZE_GB,
  DEFAULT_MACHINE_TYPE,
  DEFAULT_REGION,
  DEFAULT_WINDOWS_DISK_SIZE_GB,
  DISCOVERY_CLIENT_NAME_MAX_LENGTH,
  DISCOVERY_CLIENT_NAME_PATTERN,
  FIREWALL_RULES,
  LARGEST_DISK_SIZE_GB,
  LINUX_LEAST_DISK_SIZE_GB,
  MACHINE_TYPE_PATTERN,
  RDP_SOURCE_EXAMPLE,
  WINDOWS_LEAST_DISK_SIZE_GB,
  WINDOWS_PASSWORDS,
} from "./contract";
import {
  COMPUTER_NAME_MAX_LENGTH,
  DEPLOYMENT_ID_PATTERN,
  ILLEGAL_DEPLOYMENT_ID_LENGTH,
  vpcName,
  windowsVmName,
} from "./lab-names";

/** Rules for the values of a lab, for props and inputs alike. */

export const DEPLOYMENT_ID: readonly CheckedValue<string>[] = [
  matching(DEPLOYMENT_ID_PATTERN, {
    must: "be 1 to 8 lower-case letters and digits",
    reason: `Windows keeps ${COMPUTER_NAME_MAX_LENGTH} characters of ${windowsVmName("<id>")} as its computer name, and these must include the whole id`,
    remedy: "shorten or rewrite it",
  }),
  new CheckedValue({
    accepts: (id) => id.length !== ILLEGAL_DEPLOYMENT_ID_LENGTH,
    condition: (id) => `length(${id}) != ${ILLEGAL_DEPLOYMENT_ID_LENGTH}`,
    must: `not have ${ILLEGAL_DEPLOYMENT_ID_LENGTH} characters`,
    reason: `the first ${COMPUTER_NAME_MAX_LENGTH} characters of ${windowsVmName("<id>")} would then end in a hyphen, which a computer name must not`,
    remedy: "add or remove one",
  }),
  new CheckedValue({
    accepts: (id) => !id.includes(BUCKET_NAME_RESERVED_WORD),
    condition: (id) => `!strcontains(${id}, "${BUCKET_NAME_RESERVED_WORD}")`,
    must: `not contain "${BUCKET_NAME_RESERVED_WORD}"`,
    reason: "Cloud Storage reserves that word in bucket names",
    remedy: "choose another id",
  }),
];

type Switch = boolean | IResolvable;

/** An existing network is found by its name, which contains the deployment id. */
export const EXISTING_NETWORK = new CheckedRelation<{ createVpc: Switch; deploymentId: string | undefined }>({
  accepts: ({ createVpc, deploymentId }) => createVpc !== false || deploymentId !== undefined,
  condition: ({ createVpc, deploymentId }) => `${createVpc} || ${deploymentId} != null`,
  problem: (names) =>
    `${names.createVpc} is false and ${names.deploymentId} is missing; the existing network must be named ${vpcName("<id>")}, because the lab finds it by that name; set ${names.deploymentId} to the id in the network's name, or set ${names.createVpc} to true`,
});

export const ZONE = new CheckedRelation<{ region: string; zone: string | undefined }, "example">({
  accepts: ({ region, zone }) => zone === undefined || (/-[a-z]$/.test(zone) && zone.slice(0, -2) === region),
  condition: ({ region, zone }) => `can(regex("-[a-z]$", ${zone})) && replace(${zone}, "/-[a-z]$/", "") == ${region}`,
  figures: {
    example: { of: ({ region }) => `${region}-b`, expression: ({ region }) => `format("%s-b", ${region})` },
  },
  problem: (names, shown, { example }) =>
    `${names.zone} is ${shown.zone}; it must be a zone of the region ${shown.region}; use for example ${example}`,
});

export const INTERNAL_RANGE: readonly CheckedValue<string>[] = [
  new CheckedValue({
    accepts: isAddressRange,
    condition: addressRangeCondition,
    must: `be an IPv4 range such as ${AUTO_MODE_RANGE} that begins with its first address`,
    remedy: "correct it",
  }),
  new CheckedValue({
    accepts: (range) => !(prefixLength(range) < INTERNAL_RANGE_LEAST_PREFIX),
    condition: (range) => `try(tonumber(split("/", ${range})[1]) >= ${INTERNAL_RANGE_LEAST_PREFIX}, true)`,
    must: `be /${INTERNAL_RANGE_LEAST_PREFIX} or smaller`,
    reason: "every protocol is allowed from there and the Windows VM has a public address",
    remedy: `use the range of the network, ${AUTO_MODE_RANGE}`,
  }),
];

export const SOURCE_RANGES = new CheckedValue<readonly string[]>({
  accepts: (ranges) => ranges.length > 0 && ranges.every((range) => Token.isUnresolved(range) || isAddressRange(range)),
  condition: (ranges) =>
    `length(${ranges}) > 0 && alltrue([for range in ${ranges} : try(${addressRangeCondition("range")}, false)])`,
  must: "have at least one IPv4 range, each beginning with its first address",
  reason: "a firewall rule without a source allows any",
  remedy: `set one, for example ${RDP_SOURCE_EXAMPLE}`,
  schema: { minItems: 1 },
});

export const MACHINE_TYPE = matching(MACHINE_TYPE_PATTERN, {
  must: `be a machine type such as ${DEFAULT_MACHINE_TYPE} or n2-standard-4`,
  remedy: "choose one that gcloud compute machine-types list prints",
});

/** The value is not shown: it may be a password. */
export const WINDOWS_PASSWORD = oneOf(WINDOWS_PASSWORDS, {
  reason: "a password of your own would be in the state and in the VM's metadata",
  remedy: "use unknown, and set one with gcloud compute reset-windows-password",
  secret: true,
});

export const WINDOWS_MACHINE_TYPE = unlessNone(onX86("there is no Windows Server for Arm"), false);
export const LINUX_MACHINE_TYPE = unlessNone(onX86("the image of the targets is for these"), 0);
export const WINDOWS_DISK_SIZE = unlessNone(diskSizeFrom(WINDOWS_LEAST_DISK_SIZE_GB), false);
export const LINUX_DISK_SIZE = unlessNone(diskSizeFrom(LINUX_LEAST_DISK_SIZE_GB), 0);

export const LINUX_VM_COUNT = wholeNumber({ from: 0 }, { remedy: "use 0 for none" });

export const DISCOVERY_CLIENT_NAME = new CheckedValue<string>({
  // Terraform normalizes every string to NFC.
  accepts: (name) => new RegExp(DISCOVERY_CLIENT_NAME_PATTERN, "u").test(name.normalize("NFC")),
  condition: (name) => `can(regex(${JSON.stringify(DISCOVERY_CLIENT_NAME_PATTERN)}, ${name}))`,
  must: `be 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters, without control characters and with no white space except plain spaces between other characters`,
  reason: "it is typed into the discovery client and must match",
  remedy: "rewrite it",
});

/** Rules for the props of a lab that are known at synth; the stack's inputs have the same rules at plan. */
export const ASSESSMENT_LAB_RULES: readonly Rule<AssessmentLabProps>[] = [
  PROJECT_ID.ruleOn("projectId", ({ projectId }) => projectId),
  ...DEPLOYMENT_ID.map((rule) => rule.ruleOn<AssessmentLabProps>("deploymentId", ({ deploymentId }) => deploymentId)),
  EXISTING_NETWORK.ruleOn({
    createVpc: ["createVpc", ({ createVpc = true }) => createVpc],
    deploymentId: ["deploymentId", ({ deploymentId }) => deploymentId],
  }),
  REGION.ruleOn("region", ({ region }) => region),
  LABELS.ruleOn("labels", ({ labels }) => labels),
  ZONE.ruleOn({
    region: ["region", ({ region = DEFAULT_REGION }) => region],
    zone: ["zone", ({ zone }) => zone],
  }),
  ...INTERNAL_RANGE.map((rule) =>
    rule.ruleOn<AssessmentLabProps>("internalTrafficCidr", ({ internalTrafficCidr }) => internalTrafficCidr),
  ),
  ...FIREWALL_RULES.map((name) =>
    SOURCE_RANGES.ruleOn<AssessmentLabProps>(`sourceRanges.${name}`, ({ sourceRanges }) => sourceRanges?.[name]),
  ),
  MACHINE_TYPE.ruleOn("windowsVmMachineType", ({ windowsVmMachineType }) => windowsVmMachineType),
  MACHINE_TYPE.ruleOn("linuxVmMachineType", ({ linuxVmMachineType }) => linuxVmMachineType),
  WINDOWS_PASSWORD.ruleOn("windowsPassword", ({ windowsPassword }) => windowsPassword),
  WINDOWS_MACHINE_TYPE.ruleOn({
    value: ["windowsVmMachineType", ({ windowsVmMachineType = DEFAULT_MACHINE_TYPE }) => windowsVmMachineType],
    existence: ["createWindowsVm", ({ createWindowsVm = true }) => createWindowsVm],
  }),
  LINUX_MACHINE_TYPE.ruleOn({
    value: ["linuxVmMachineType", ({ linuxVmMachineType = DEFAULT_MACHINE_TYPE }) => linuxVmMachineType],
    existence: ["linuxVmCount", ({ linuxVmCount = DEFAULT_LINUX_COUNT }) => linuxVmCount],
  }),
  WINDOWS_DISK_SIZE.ruleOn({
    value: [
      "windowsVmBootDiskSizeGb",
      ({ windowsVmBootDiskSizeGb = DEFAULT_WINDOWS_DISK_SIZE_GB }) => windowsVmBootDiskSizeGb,
    ],
    existence: ["createWindowsVm", ({ createWindowsVm = true }) => createWindowsVm],
  }),
  LINUX_VM_COUNT.ruleOn("linuxVmCount", ({ linuxVmCount }) => linuxVmCount),
  LINUX_DISK_SIZE.ruleOn({
    value: ["linuxVmBootDiskSizeGb", ({ linuxVmBootDiskSizeGb = DEFAULT_LINUX_DISK_SIZE_GB }) => linuxVmBootDiskSizeGb],
    existence: ["linuxVmCount", ({ linuxVmCount = DEFAULT_LINUX_COUNT }) => linuxVmCount],
  }),
  DISCOVERY_CLIENT_NAME.ruleOn("assessDiscoveryClientName", (props) => props.assessDiscoveryClientName),
  ...AWS_RULES,
];

/** A rule that applies only if there are VMs of that kind. */
function unlessNone<Value>(rule: CheckedValue<Value>, none: false | 0) {
  return new CheckedRelation<{ value: Value; existence: boolean | number | IResolvable }>({
    accepts: ({ existence, value }) => existence === none || rule.accepts(value),
    judgedBy: "value",
    condition: ({ existence, value }) => `${existence} == ${none} || ${rule.condition(value)}`,
    problem: (names, shown) => `${rule.problem(names.value, shown.value)}, or set ${names.existence} to ${none}`,
  });
}

function onX86(reason: string) {
  return new CheckedValue<string>({
    accepts: (machineType) => !new RegExp(ARM_MACHINE_TYPE_PATTERN).test(machineType),
    condition: (machineType) => `!can(regex("${ARM_MACHINE_TYPE_PATTERN}", ${machineType}))`,
    must: "be of a family with x86 processors",
    reason,
    remedy: `use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4`,
  });
}

function diskSizeFrom(leastGb: number) {
  return wholeNumber(
    { from: leastGb, to: LARGEST_DISK_SIZE_GB },
    { reason: `the image alone needs ${leastGb} GB`, remedy: "change it" },
  );
}
