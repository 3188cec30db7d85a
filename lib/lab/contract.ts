/** Every fixed fact of the assessment lab, each once. */

/** Where a lab is unless the caller says otherwise. */
export const DEFAULT_REGION = "us-central1";
export const DEFAULT_ZONE = "us-central1-a";

/** Range out of which an auto-mode network takes the ranges of its subnetworks, one per region. */
export const AUTO_MODE_RANGE = "10.128.0.0/9";

/** The only range that is wider, holds it, and may be an internal range. */
export const RANGE_AROUND_AUTO_MODE = "10.0.0.0/8";

/** Source of the connections that the identity-aware proxy forwards; IAM decides who may use it. */
export const IDENTITY_AWARE_PROXY_RANGE = "35.235.240.0/20";

export const EVERYWHERE = "0.0.0.0/0";

/** Firewall rules, each under the name `assess-<id>-allow-<rule>`. */
export const FIREWALL_RULES = ["internal", "ssh", "rdp", "icmp", "http"] as const;
export type FirewallRuleName = (typeof FIREWALL_RULES)[number];

/** Ports of the firewall rules. */
export const SSH_PORT = "22";
export const RDP_PORT = "3389";
export const HTTP_PORTS = ["80", "443"] as const;

/** Example of a source of remote desktop, from a range that is reserved for documentation. */
export const RDP_SOURCE_EXAMPLE = "203.0.113.7/32";

/** Network tag of the Windows VM. */
export const WINDOWS_TAG = "windows-vm";

/** Images by project and family: the newest of the family when a VM is created, without a look-up at plan. */
export const WINDOWS_IMAGE = "windows-cloud/windows-2022";
export const LINUX_IMAGE = "debian-cloud/debian-12";

/** The size of the image itself; discovery client and browser fit in what Windows leaves of it. */
export const WINDOWS_LEAST_DISK_SIZE_GB = 50;

/** The size of the image itself. */
export const LINUX_LEAST_DISK_SIZE_GB = 10;

/** Largest disk of Compute Engine. */
export const LARGEST_DISK_SIZE_GB = 65_536;

/** VMs unless the caller says otherwise. */
export const DEFAULT_MACHINE_TYPE = "e2-medium";
export const MACHINE_TYPE_PATTERN = "^[a-z][a-z0-9]*-[a-z0-9-]+$";
export const DEFAULT_WINDOWS_DISK_SIZE_GB = 50;
export const DEFAULT_LINUX_DISK_SIZE_GB = 20;
export const DEFAULT_LINUX_COUNT = 3;

/** Families with Arm processors, of November 2026. The lab's images are for x86: Windows Server has no other. */
export const ARM_MACHINE_TYPE_PATTERN = "^(a4x|c4a|n4a|t2a)-";

/** Solid-state at a moderate price: Windows takes twice as long to start from the default disk type. */
export const DISK_TYPE = "pd-balanced";

/** Bits of the key pair. */
export const RSA_KEY_BITS = 4096;

/** Display name of the discovery source unless the caller says otherwise, and the longest that the service takes. */
export const DEFAULT_DISCOVERY_CLIENT_NAME = "assess-discovery-client";
export const DISCOVERY_CLIENT_NAME_MAX_LENGTH = 63;

/**
 * What may be a display name of the source, in words that Terraform and the Unicode mode of this language read alike:
 * no control character, and of all white space only plain spaces between other characters. It counts code points.
 */
const VISIBLE = "[^\\p{Cc}\\p{Z}]";
export const DISCOVERY_CLIENT_NAME_PATTERN = `^${VISIBLE}((${VISIBLE}| ){0,${DISCOVERY_CLIENT_NAME_MAX_LENGTH - 2}}${VISIBLE})?$`;

/** Region of the AWS inventory unless the caller says otherwise. */
export const DEFAULT_AWS_REGION = "us-east-1";

/** A region of any AWS partition: they differ in the first words, like `us`, `us-gov`, `cn` and `eusc-de`. */
export const AWS_REGION_PATTERN = "^[a-z]{2,}(-[a-z]+)+-[0-9]+$";

/** Everything that the scoped AWS user may do. */
export const AWS_ACTIONS = ["ec2:DescribeInstances", "ec2:DescribeInstanceTypes", "ec2:DescribeVolumes"] as const;

/** The assessment service in the console; works before and after the first visit. */
export const ASSESSMENT_CONSOLE_URL = "https://console.cloud.google.com/migration";

/** User on the Windows VM and on the Linux VMs; at most 20 characters, the longest local name of Windows. */
export const LAB_USER = "lab-user";

/**
 * Password of the lab user on the Windows VM, the same in every lab: the lab is temporary.
 *
 * Windows requires three of four kinds of characters, and that the user name is not in it.
 */
export const LAB_PASSWORD = "Throw-Away-2022!";

/** Whether the password of the lab user is that one, or unknown until it is reset. */
export const WINDOWS_PASSWORDS = ["fixed", "unknown"] as const;

/** Object of the key bucket, and the file that the discovery client loads. */
export const SSH_KEY_OBJECT_NAME = "lab-ssh-key.pem";

/** Name of the SSH credential in the discovery client. */
export const SSH_CREDENTIAL_NAME = "Lab-key";

/** Package of the discovery client; the console offers the same file for download. */
export const DISCOVERY_CLIENT_PACKAGE_URL = "https://storage.googleapis.com/mcdc-release/current/windows/mcdc.msi";

/** Service that the package of the discovery client installs. */
export const DISCOVERY_CLIENT_SERVICE = "GoogleMCDC";

/** Local group of the users of the discovery client. */
export const DISCOVERY_CLIENT_GROUP = "MCDCUsers";

/** Enterprise package of the browser: unlike the ordinary installer, it ends only when the browser is installed. */
export const BROWSER_PACKAGE_URL = "https://dl.google.com/dl/chrome/install/googlechromestandaloneenterprise64.msi";

/** Organization in the certificate with which both packages are signed. */
export const PACKAGE_PUBLISHER = "Google LLC";

/** Archive with sample tables of an AWS inventory; unpacks to a folder of the same name. */
export const SAMPLE_IMPORT_NAME = "vm-aws-import-files";

/** Columns of the tables of an AWS import, exactly as the assessment service reads them, by name of the file. */
export const AWS_IMPORT_COLUMNS = {
  vmInfo: [
    "MachineId",
    "MachineName",
    "PrimaryIPAddress",
    "PrimaryMACAddress",
    "PublicIPAddress",
    "IpAddressListSemiColonDelimited",
    "TotalDiskAllocatedGiB",
    "TotalDiskUsedGiB",
    "MachineTypeLabel",
    "AllocatedProcessorCoreCount",
    "MemoryGiB",
    "HostingLocation",
    "OsType",
    "OsPublisher",
    "OsName",
    "OsVersion",
    "MachineStatus",
    "ProvisioningState",
    "CreateDate",
    "IsPhysical",
    "Source",
  ],
  diskInfo: ["MachineId", "DiskLabel", "SizeInGib", "UsedInGib", "StorageTypeLabel"],
  tagInfo: ["MachineId", "Key", "Value"],
  perfInfo: [
    "MachineId",
    "TimeStamp",
    "CpuUtilizationPercentage",
    "MemoryUtilizationPercentage",
    "AvailableMemoryBytes",
    "DiskReadOperationsPerSec",
    "DiskWriteOperationsPerSec",
    "NetworkBytesPerSecSent",
    "NetworkBytesPerSecReceived",
  ],
} as const;
