/** All fixed facts of the assessment lab, each once. */

/** Defaults of the inputs. */
export const DEFAULTS = {
  region: "us-central1",
  zone: "us-central1-a",
  machineType: "e2-medium",
  windowsDiskSizeGb: 50,
  linuxDiskSizeGb: 20,
  linuxCount: 3,
  discoveryClientName: "assess-discovery-client",
  awsRegion: "us-east-1",
} as const;

/** Groups of the deployment form with inputs in several files. */
export const NETWORK = "[2 Network]";
export const COMPUTE = "[3 Compute]";

/** Range from which an auto-mode network takes the ranges of its subnetworks, one per region. */
export const AUTO_MODE_RANGE = "10.128.0.0/9";

/** The only wider range that contains it and is allowed as an internal range. */
export const RANGE_AROUND_AUTO_MODE = "10.0.0.0/8";

/** Source range of connections through the identity-aware proxy; IAM decides who may use it. */
export const IDENTITY_AWARE_PROXY_RANGE = "35.235.240.0/20";

/** Shortest prefix length of an internal range; shorter ones include public addresses. */
export const INTERNAL_RANGE_LEAST_PREFIX = 8;

export const EVERYWHERE = "0.0.0.0/0";

/** A rule of the lab's firewall: internal traffic, SSH, remote desktop, ICMP or HTTP. */
export type FirewallRuleName = "internal" | "ssh" | "rdp" | "icmp" | "http";

/** Firewall rules, each under the name `assess-<id>-allow-<rule>`. */
export const FIREWALL_RULES: readonly FirewallRuleName[] = ["internal", "ssh", "rdp", "icmp", "http"];

/** Example of a source range for remote desktop, from a range reserved for documentation. */
export const RDP_SOURCE_EXAMPLE = "203.0.113.7/32";

export const WINDOWS_TAG = "windows-vm";

/** Images by their family: a new VM gets the newest image of the family, without a look-up at plan. */
export const WINDOWS_IMAGE = { project: "windows-cloud", family: "windows-2022" } as const;
export const LINUX_IMAGE = { project: "debian-cloud", family: "debian-12" } as const;

export const PORTS = { ssh: "22", rdp: "3389", http: ["80", "443"] } as const;

/** Sizes of the images; discovery client and browser fit in the space that Windows leaves free. */
export const MIN_DISK_SIZE_GB = { windows: 50, linux: 10 } as const;

/** Maximum disk size of Compute Engine. */
export const LARGEST_DISK_SIZE_GB = 65_536;

/** Families with Arm processors, as of November 2026. The lab's images are for x86, the only one for Windows Server. */
export const ARM_MACHINE_TYPE_PATTERN = "^(a4x|c4a|n4a|t2a)-";

/** SSD at a moderate price, because Windows takes twice as long to start from the default disk type. */
export const DISK_TYPE = "pd-balanced";

export const RSA_KEY_BITS = 4096;

/** Maximum length of the discovery source's display name that Migration Center accepts. */
export const DISCOVERY_CLIENT_NAME_MAX_LENGTH = 63;

/**
 * Pattern of a display name, which means the same in Terraform and in JavaScript's Unicode mode: no control characters,
 * and as white space only plain spaces between other characters. It counts code points.
 */
const VISIBLE = "[^\\p{Cc}\\p{Z}]";
const MAX_INNER_LENGTH = DISCOVERY_CLIENT_NAME_MAX_LENGTH - 2;
export const DISCOVERY_CLIENT_NAME_PATTERN = `^${VISIBLE}((${VISIBLE}| ){0,${MAX_INNER_LENGTH}}${VISIBLE})?$`;

/** A region of any AWS partition. Partitions differ in the prefix, such as `us`, `us-gov`, `cn` and `eusc-de`. */
export const AWS_REGION_PATTERN = "^[a-z]{2,}(-[a-z]+)+-[0-9]+$";

/** Everything that the read-only AWS user may do. */
export const AWS_ACTIONS = ["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"] as const;

/** Migration Center in the console; works before and after the first visit. */
export const ASSESSMENT_CONSOLE_URL = "https://console.cloud.google.com/migration";

/** User on the Windows VM and the Linux VMs; at most 20 characters, the limit of a local Windows user name. */
export const LAB_USER = "lab-user";

/**
 * Password of the lab user on the Windows VM, the same in every lab: the lab is temporary.
 *
 * Windows requires three of four kinds of characters, and refuses a password that contains the user name.
 */
export const LAB_PASSWORD = "Throw-Away-2022!";

/** Choices for the lab user's password: the one above, or unknown until it is reset. */
export const WINDOWS_PASSWORDS = ["fixed", "unknown"] as const;

/** Object in the key bucket, which the user downloads and loads into the discovery client. */
export const SSH_KEY_OBJECT_NAME = "lab-ssh-key.pem";

/** Name of the SSH credential in the discovery client. */
export const SSH_CREDENTIAL_NAME = "Lab-key";
