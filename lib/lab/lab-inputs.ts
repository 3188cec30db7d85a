import { isAddressRange } from "../core/address-range";
import { LABELS, PROJECT_ID, REGION, TENANT_ID } from "../core/deployment-context";
import { type Expr, hcl, interpolated } from "../core/expr/expr";
import { captured, element, every, includes, split, toNumber, trimSpace } from "../core/expr/functions";
import { NETWORK_RELATIONS } from "../core/inputs/network-inputs";
import { type Relation } from "../core/inputs/relations";
import { choice, flag, number, type PropsOf, text, textMap, texts } from "../core/inputs/rows";
import { matching, shown, wholeNumber } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { BUCKET_NAME_RESERVED_WORD, TENANT_ID_MAX_LENGTH } from "../core/names";
import { type ProjectApis } from "../core/project-apis";
import { prose } from "../core/prose";
import {
  ARM_MACHINE_TYPE_PATTERN,
  AUTO_MODE_RANGE,
  AWS_REGION_PATTERN,
  COMPUTE,
  DEFAULTS,
  DISCOVERY_CLIENT_NAME_MAX_LENGTH,
  DISCOVERY_CLIENT_NAME_PATTERN,
  EVERYWHERE,
  INTERNAL_RANGE_LEAST_PREFIX,
  LAB_USER,
  LARGEST_DISK_SIZE_GB,
  MIN_DISK_SIZE_GB,
  NETWORK,
  RDP_SOURCE_EXAMPLE,
  SSH_KEY_OBJECT_NAME,
  WINDOWS_PASSWORDS,
} from "./contract";
import { type FirewallSourceRanges } from "./lab-firewall";
import { LAB_LANDING_ZONE } from "./lab-landing-zone";
import {
  COMPUTER_NAME_MAX_LENGTH,
  DEPLOYMENT_ID_PATTERN,
  ILLEGAL_DEPLOYMENT_ID_LENGTH,
  keyBucketName,
  vpcName,
  windowsVmName,
  zoneOrDefault,
} from "./lab-names";

/** Groups of the deployment form in addition to those of the contract. */
const LOCATION = "[1 Project and location]";
const KEY_STORAGE = "[7 SSH key storage]";
const ASSESSMENT = "[8 Assessment]";

const MACHINE_TYPE = matching(
  "^[a-z][a-z0-9]*-[a-z0-9-]+$",
  prose`
    be a machine type such as ${DEFAULTS.machineType} or n2-standard-4;
    choose one that gcloud compute machine-types list prints
  `,
);

const ID_LENGTHS = `^([a-z0-9]{1,${ILLEGAL_DEPLOYMENT_ID_LENGTH - 1}}|[a-z0-9]{${ILLEGAL_DEPLOYMENT_ID_LENGTH + 1}})$`;

/** Inputs of the lab itself. */
const OWN_INPUTS = {
  /** Project of all resources; it must exist and have billing enabled. Another project means another lab. */
  projectId: text({
    example: "my-project",
    description: prose`
      ${LOCATION} Project that the lab goes into; it must exist and have billing,
      and the account that applies needs the Owner role. Another project is another lab.
    `,
    must: PROJECT_ID,
  }),
  /** Region of the lab and, permanently, of the project's assessment data. */
  region: text({
    default: DEFAULTS.region,
    description: prose`
      ${LOCATION} Region of the lab and, permanently, of all assessment data of the project.
      Changing it later replaces bucket and VMs, and leaves the data in Migration Center;
      only another project can have assessment data in another region.
    `,
    must: REGION,
  }),
  /** Zone of all VMs, within the region; by default `us-central1-a`, and zone b in any other region. */
  zone: text({
    default: DEFAULTS.zone,
    description: prose`
      ${LOCATION} Zone of all VMs; it must be in region. ${DEFAULTS.zone} in any other region counts as not given:
      the zone is then zone b of that region. Changing it later replaces the VMs.
    `,
  }),
  /** Has no effect; for deployment forms that always ask for it. */
  tenantId: text({
    default: "demo",
    description: prose`
      ${LOCATION} 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens. It has no effect,
      now or if it is changed later, because every name contains deployment_id instead.
      It exists for deployment forms that always ask for it.
    `,
    must: TENANT_ID,
  }),
  /**
   * Part of every name: up to 8 lower-case letters and digits, but not 7; random by default. Another id replaces
   * everything.
   */
  deploymentId: text({
    default: null,
    description: prose`
      ${LOCATION} Part of every name: up to 8 lower-case letters and digits,
      but not ${ILLEGAL_DEPLOYMENT_ID_LENGTH}[[; null for 8 random hexadecimal digits]].
      The Windows VM is named ${windowsVmName("<id>")}, of which Windows keeps the first
      ${COMPUTER_NAME_MAX_LENGTH} characters as its computer name: with 8 that is assess-<id>.
      The name of the key bucket, ${keyBucketName("<id>")}, must be available: bucket names are global,
      so choose an id that others are unlikely to use. Changing it later replaces everything.
    `,
    must: {
      condition: (id: Expr<string>) => id.matches(ID_LENGTHS).and(includes(id, BUCKET_NAME_RESERVED_WORD).not()),
      must: prose`
        be 1 to 8 lower-case letters and digits, but not ${ILLEGAL_DEPLOYMENT_ID_LENGTH},
        and not contain "${BUCKET_NAME_RESERVED_WORD}", because Windows keeps ${COMPUTER_NAME_MAX_LENGTH}
        characters of ${windowsVmName("<id>")} as its computer name, which must not end in a hyphen,
        and Cloud Storage reserves that word; choose another id
      `,
      schema: { pattern: DEPLOYMENT_ID_PATTERN },
    },
  }),
  /** Labels on all resources that support them, in addition to `assessment-lab`, which is the deployment id. */
  labels: textMap({
    default: {},
    description: prose`
      ${LOCATION} Labels on all resources that support them, in addition to assessment-lab,
      whose value is deployment_id. Changing them later is safe.
    `,
    must: LABELS,
  }),
  /** Creates the network. False uses the existing auto-mode network `assess-<id>-vpc`, and needs `deploymentId`. */
  createVpc: flag({
    default: true,
    description: prose`
      ${NETWORK} Creates the network ${vpcName("<id>")}. False uses the network of that name,
      which must exist in the project, and needs deployment_id; the Compute Engine API must already be enabled,
      because the plan looks up the network. It must be in auto mode; for one in custom mode,
      give network and subnetwork instead. Do not change it later:
      a network with VMs on it can be neither released nor adopted.
    `,
  }),
  /**
   * Creates the four firewall rules for traffic between the VMs, SSH, remote desktop and ICMP; `allow-http` does not
   * depend on it.
   */
  createDefaultFirewallRules: flag({
    default: true,
    description: prose`
      ${NETWORK} Creates allow-internal, allow-ssh, allow-rdp and allow-icmp together;
      allow-http does not depend on it. Set it to false when the target network has such rules already.
      allow-rdp allows any source address, because a lab is temporary,
      unless rdp_source_ranges or windows_external_ip say otherwise;
      allow-ssh allows only the identity-aware proxy. Changing it later is safe.
    `,
  }),
  /**
   * Private address range from which the VMs can be reached on every port; by default the range of auto-mode networks,
   * `10.128.0.0/9`.
   */
  internalTrafficCidr: text({
    default: AUTO_MODE_RANGE,
    description: prose`
      ${NETWORK} Source range of allow-internal, which allows every protocol;
      ${AUTO_MODE_RANGE} is the range of auto-mode networks. Changing it later is safe.
    `,
    must: {
      condition: (range: Expr<string>) => {
        const prefix = toNumber(element(split("/", range), 1));
        return isAddressRange(range).and(prefix.ge(INTERNAL_RANGE_LEAST_PREFIX));
      },
      must: prose`
        be an IPv4 range that begins with its first address, /${INTERNAL_RANGE_LEAST_PREFIX} or smaller,
        because every protocol is allowed from there and the Windows VM has a public address;
        use the range of the network, ${AUTO_MODE_RANGE}
      `,
    },
  }),
  /** Source ranges of allow-rdp, at least one; by default any address. */
  rdpSourceRanges: texts({
    default: [EVERYWHERE],
    description: prose`
      ${NETWORK} Source ranges of allow-rdp, at least one. The default allows any source address,
      because participants of a lab come from anywhere; a plan warns of it. Changing it later is safe.
    `,
    must: {
      condition: (ranges: Expr<readonly string[]>) =>
        ranges
          .length()
          .gt(0)
          .and(every(ranges, isAddressRange, "range")),
      must: prose`
        have at least one IPv4 range, each beginning with its first address,
        because a firewall rule without a source allows any; set one, for example ${RDP_SOURCE_EXAMPLE}
      `,
      schema: { minItems: 1 },
    },
  }),
  /** Creates the Windows VM, which runs the discovery client. */
  createWindowsVm: flag({
    default: true,
    description: prose`
      ${COMPUTE} Creates the Windows VM with the discovery client. Without it,
      nothing is scanned unless a discovery client of your own can reach the Linux VMs.
      Changing it later is safe for all other VMs.
    `,
  }),
  /** Password on the Windows VM: `fixed`, the default, the same in every lab; `unknown`: reset it before signing in. */
  windowsPassword: choice(WINDOWS_PASSWORDS, {
    default: WINDOWS_PASSWORDS[0],
    description: prose`
      ${COMPUTE} Password of ${LAB_USER} on the Windows VM. fixed: the same in every lab,
      and in the VM's metadata. unknown: generated on the VM at its first boot and not stored;
      set one before you sign in, with the command in the output windows_vm_external_ip.
      It is read when the VM is created: changing it later changes no password,
      unless the VM is replaced with -replace='google_compute_instance.lab_windows_vm[0]'.
    `,
    because: "a password of your own would be in the state and in the VM's metadata",
    fix: "use unknown, and set one with gcloud compute reset-windows-password",
    // The value is not shown, because it may be a password.
    hides: true,
  }),
  /**
   * Machine type of the Windows VM, from a family with x86 processors, `e2-medium` by default. Changing it later stops
   * and starts it.
   */
  windowsVmMachineType: text({
    default: DEFAULTS.machineType,
    description: prose`
      ${COMPUTE} Machine type of the Windows VM, of a family with x86 processors.
      Changing it later stops and starts the VM, which gets another public address.
    `,
    must: MACHINE_TYPE,
  }),
  /**
   * Boot disk of the Windows VM in GB, at least 50, the default. It can be increased later in place, but not decreased.
   */
  windowsVmBootDiskSizeGb: number({
    default: DEFAULTS.windowsDiskSizeGb,
    description: prose`
      ${COMPUTE} Boot disk of the Windows VM in GB, at least ${MIN_DISK_SIZE_GB.windows}.
      Raising it later grows the disk in place; it cannot be lowered.
    `,
  }),
  /** Number of Linux VMs, the scan targets, 3 by default. Changing it later does not affect the other VMs. */
  linuxVmCount: number({
    default: DEFAULTS.linuxCount,
    description: prose`
      ${COMPUTE} Number of Linux VMs, the scan targets; 0 deploys none.
      Raising it later adds VMs and lowering it removes the last ones; no other VM is touched.
    `,
    must: wholeNumber(0, Infinity, "; use 1 or 2, or 0 for none"),
  }),
  /**
   * Machine type of the Linux VMs, from a family with x86 processors, `e2-medium` by default. Changing it later stops
   * and starts them.
   */
  linuxVmMachineType: text({
    default: DEFAULTS.machineType,
    description: prose`
      ${COMPUTE} Machine type of the Linux VMs, of a family with x86 processors.
      Changing it later stops and starts them.
    `,
    must: MACHINE_TYPE,
  }),
  /**
   * Boot disk of each Linux VM in GB, at least 10, 20 by default. It can be increased later in place, but not
   * decreased.
   */
  linuxVmBootDiskSizeGb: number({
    default: DEFAULTS.linuxDiskSizeGb,
    description: prose`
      ${COMPUTE} Boot disk of each Linux VM in GB, at least ${MIN_DISK_SIZE_GB.linux}.
      Raising it later grows the disks in place; it cannot be lowered.
    `,
  }),
  /** Stores the private key in a private bucket; otherwise it is only in the Terraform state. */
  createSshKeyBucket: flag({
    default: true,
    description: prose`
      ${KEY_STORAGE} Stores the private key as ${SSH_KEY_OBJECT_NAME} in a private bucket,
      which every reader of the project may read. False keeps it only in the state, so no file can be downloaded.
      The state contains it either way. Changing it later is safe.
    `,
  }),
  /** Prepares Migration Center in the region and registers the discovery source. Both survive a destroy. */
  initializeAssessmentService: flag({
    default: true,
    description: prose`
      ${ASSESSMENT} Prepares Migration Center in region and registers the discovery source.
      False provisions only VMs, network and bucket. A destroy removes nothing from Migration Center.
    `,
  }),
  /** Display name of the discovery source, 1 to 63 characters; type exactly this name into the discovery client. */
  assessDiscoveryClientName: text({
    default: DEFAULTS.discoveryClientName,
    description: prose`
      ${ASSESSMENT} Display name of the discovery source, 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters.
      Type the same name into the discovery client at sign-in, including capitals; with another name,
      its results go to a second source. Labs of one project with the same name share one source,
      so give each its own. Changing it later registers another source.
    `,
    must: {
      condition: (name: Expr<string>) => name.matches(DISCOVERY_CLIENT_NAME_PATTERN),
      must: prose`
        be 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters, without control characters and with no white space
        except plain spaces between other characters, because it is typed into the discovery client and must
        match; rewrite it
      `,
    },
  }),
  /** Id of an AWS access key, as a reference to a sensitive variable; empty if AWS is not used. */
  cloudbAccessKeyId: text({
    default: "",
    sensitive: true,
    description: prose`
      ${ASSESSMENT} AWS bootstrap access key of a user (AKIA…; a temporary one does not work), which may create,
      attach and delete a user, a policy and an access key; the documentation of the lab lists the rights.
      It creates a read-only user, which lists the instances.
      [[Empty skips AWS entirely: no call, nothing created.]]
      Imported assets stay when the user is removed. To remove only the user,
      destroy it while the credentials are still set, with -target=terraform_data.lab_cloudb_programs,
      then empty them.
    `,
  }),
  /** Secret of that access key, as a reference too. */
  cloudbSecretAccessKey: text({
    default: "",
    sensitive: true,
    description: `${ASSESSMENT} Secret of that access key; set both or neither. Changing both later is safe.`,
  }),
  /** AWS region of the imported instances, `us-east-1` by default. */
  cloudbRegion: text({
    default: DEFAULTS.awsRegion,
    description: prose`
      ${ASSESSMENT} AWS region whose instances are imported; used only with credentials.
      A region without instances imports nothing.
    `,
    must: matching(AWS_REGION_PATTERN, "be the name of an AWS region such as us-east-1; correct it"),
  }),
};

export type LabInputs = typeof OWN_INPUTS & typeof LAB_LANDING_ZONE;

/** Inputs of the assessment lab. */
export const LAB: LabInputs = { ...OWN_INPUTS, ...LAB_LANDING_ZONE };

const VMS = {
  windows: { existence: "createWindowsVm", none: false, reason: "there is no Windows Server for Arm" },
  linux: { existence: "linuxVmCount", none: 0, reason: "the image of the targets is for these" },
} as const;

/** Rules that apply only if VMs of a kind exist. */
const ofVms = (vm: keyof typeof VMS): Relation<LabInputs>[] => {
  const { existence, none, reason } = VMS[vm];
  const [machineType, disk] = [`${vm}VmMachineType`, `${vm}VmBootDiskSizeGb`] as const;
  const leastGb = MIN_DISK_SIZE_GB[vm];
  const size = wholeNumber(leastGb, LARGEST_DISK_SIZE_GB, `, because the image alone needs ${leastGb} GB; change it`);
  const hasNone = (v: ValuesOf<LabInputs>) => (v[existence] as Expr).eq(none);
  return [
    {
      host: machineType,
      holds: (v) => hasNone(v).or(v[machineType].matches(ARM_MACHINE_TYPE_PATTERN).not()),
      message: (v) =>
        prose`
          ${v[machineType].name} is ${v[machineType].shown};
          it must be of a family with x86 processors, because ${reason};
          use for example ${DEFAULTS.machineType} or n2-standard-4, or set ${v[existence].name} to ${String(none)}
        `,
    },
    {
      host: disk,
      holds: (v) => hasNone(v).or(size.condition(v[disk])),
      message: (v) =>
        prose`
          ${v[disk].name} is ${v[disk].shown};
          it must ${size.must}, or set ${v[existence].name} to ${String(none)}
        `,
    },
  ];
};

const zoneOf = ({ region, zone }: ValuesOf<LabInputs>) => zoneOrDefault(zone, region);

export const LAB_RELATIONS: readonly Relation<LabInputs>[] = [
  {
    host: "zone",
    holds: (v) => captured(zoneOf(v), "^(.*)-[a-z]$", 0).eq(v.region),
    message: (v) =>
      prose`
        ${v.zone.name} is ${shown(zoneOf(v))}; it must be a zone of the region ${v.region.shown};
        use for example ${v.region.text}-b
      `,
  },
  {
    // An existing network is found by its name, which contains the deployment id.
    host: "createVpc",
    holds: (v) => v.createVpc.or(v.deploymentId.isSet()),
    message: ({ createVpc: create, deploymentId: id }) =>
      prose`
        ${create.name} is false and ${id.name} is missing; the existing network must be named ${vpcName("<id>")},
        because the lab finds it by that name; set ${id.name} to the id in the network's name,
        or set ${create.name} to true
      `,
  },
  ...NETWORK_RELATIONS,
  {
    host: "network",
    holds: (v) => v.network.isNull().or(v.createVpc),
    message: ({ createVpc: create, network }) =>
      prose`
        ${network.name} is ${network.shown} and ${create.name} is false; only one of them can be given,
        because ${create.name} = false uses the network ${vpcName("<id>")} instead; remove ${network.name},
        or set ${create.name} to true
      `,
  },
  {
    host: "kmsKey",
    holds: ({ kmsKey, region }) => kmsKey.isNullOr((key) => includes(key, interpolated`/locations/${region}/`)),
    message: ({ kmsKey, region }) =>
      prose`
        ${kmsKey.name} is ${kmsKey.shown}, in another location than ${region.shown}; it must be of the region,
        because a key encrypts no disk elsewhere; create a key there
      `,
  },
  ...ofVms("windows"),
  ...ofVms("linux"),
  {
    host: "cloudbRegion",
    holds: (v) => accessKeyOf(v).eq("").eq(v.cloudbSecretAccessKey.eq("")),
    message: ({ cloudbAccessKeyId: id, cloudbSecretAccessKey: secret }) =>
      prose`
        only one of ${id.name} and ${secret.name} is given; both or neither must be,
        because a request is signed with both; set the other one, or neither
      `,
  },
  {
    host: "cloudbRegion",
    holds: (v) => accessKeyOf(v).eq("").or(accessKeyOf(v).matches("^AKIA[A-Z0-9]+$")),
    message: ({ cloudbAccessKeyId: id }) =>
      prose`
        ${id.name} is no access key of a user; it must begin with AKIA,
        because a temporary key (ASIA) also needs a session token, which the lab does not take;
        create an access key of a user for the lab
      `,
  },
  {
    host: "cloudbRegion",
    holds: (v) => accessKeyOf(v).eq("").or(trimSpace(v.cloudbSecretAccessKey).matches(ACCESS_KEY_ID).not()),
    message: ({ cloudbAccessKeyId: id, cloudbSecretAccessKey: secret }) =>
      prose`
        ${secret.name} holds the id of an access key; it must be the secret of the key,
        because a request is signed with both; give the id in ${id.name}, and its secret here
      `,
  },
];

const ACCESS_KEY_ID = "^A[KS]IA[A-Z0-9]{16}$";

/**
 * The access key without white space. It is validated with the region, because a validation of a sensitive input would
 * show its value; Terraform requires a reference to the validated input in each condition.
 */
function accessKeyOf({ cloudbAccessKeyId: id, cloudbRegion: region }: ValuesOf<LabInputs>): Expr<string> {
  const key = trimSpace(id);
  return region.isLiteral ? key : hcl<string>`${region} == null ? "" : ${key}`.present;
}

/**
 * AWS bootstrap credentials, used only to create the read-only user that lists instances.
 *
 * They must be inputs: literals would be in the synthesized folder.
 */
export interface AwsCredentials {
  /** Id of an access key; an empty value known only to Terraform means that AWS is not used. */
  readonly accessKeyId: string;

  /** Secret of that access key. */
  readonly secretAccessKey: string;

  /**
   * Region of the imported instances.
   *
   * @default "us-east-1"
   */
  readonly region?: string;
}

export interface AssessmentLabProps extends Omit<
  PropsOf<LabInputs>,
  "cloudbAccessKeyId" | "cloudbRegion" | "cloudbSecretAccessKey" | "rdpSourceRanges" | "tenantId"
> {
  /**
   * APIs of the project, including `compute`, `storage`, `iam` and `migrationcenter`; for several labs in one stack.
   *
   * @default - the lab enables the APIs that it needs
   */
  readonly apis?: ProjectApis;

  /**
   * AWS account from which instances are imported. Needs the package `@cdktf/provider-aws`, which a lab without AWS
   * does not load.
   *
   * @default - none, and AWS is not called
   */
  readonly aws?: AwsCredentials;

  /**
   * Source ranges by firewall rule; omitted rules keep their default.
   *
   * @default - `internal` and `http`: the internal range; `ssh`: the identity-aware proxy; `icmp`: both; `rdp`: any
   * address
   */
  readonly sourceRanges?: Partial<FirewallSourceRanges>;
}
