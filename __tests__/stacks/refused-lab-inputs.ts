import { type Inputs } from "./terraform-run";

/** Inputs beside the required one, and the whole text of what is said about them. */
export type Refusal = readonly [behaviour: string, inputs: Inputs, texts: readonly string[]];

const PROJECT_RULE =
  "it must be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id, not the name or the number.";
const REGION_RULE =
  "it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter.";
const ZONE_RULE = (region: string) => `it must be a zone of the region "${region}"; use for example ${region}-b.`;
const TENANT_RULE =
  "it must be 1 to 20 lower-case letters, digits and hyphens, because names that contain the tenant id allow nothing else; shorten or rewrite it.";
const ID_RULE =
  "it must be 1 to 8 lower-case letters and digits, because Windows keeps 15 characters of assess-<id>-winvm01 as its computer name, and these must include the whole id; shorten or rewrite it.";
const RANGE_RULE = "it must be an IPv4 range such as 10.128.0.0/9 that begins with its first address; correct it.";
const RANGE_SIZE_RULE =
  "it must be /8 or smaller, because every protocol is allowed from there and the Windows VM has a public address; use the range of the network, 10.128.0.0/9.";
const MACHINE_TYPE_RULE =
  "it must be a machine type such as e2-medium or n2-standard-4; choose one that gcloud compute machine-types list prints.";
const RDP_RULE =
  "it must have at least one IPv4 range, each beginning with its first address, because a firewall rule without a source allows any; set one, for example 203.0.113.7/32.";
const PASSWORD_RULE =
  "it must be fixed or unknown, because a password of your own would be in the state and in the VM's metadata; use unknown, and set one with gcloud compute reset-windows-password.";
const WINDOWS_CPU_RULE =
  "it must be of a family with x86 processors, because there is no Windows Server for Arm; use for example e2-medium or n2-standard-4, or set create_windows_vm to false.";
const LINUX_CPU_RULE =
  "it must be of a family with x86 processors, because the image of the targets is for these; use for example e2-medium or n2-standard-4, or set linux_vm_count to 0.";
const WINDOWS_DISK_RULE =
  "it must be a whole number from 50 to 65536, because the image alone needs 50 GB; change it, or set create_windows_vm to false.";
const LINUX_DISK_RULE =
  "it must be a whole number from 10 to 65536, because the image alone needs 10 GB; change it, or set linux_vm_count to 0.";
const COUNT_RULE = "it must be a whole number from 0; use 0 for none.";
const CLIENT_NAME_RULE =
  "it must be 1 to 63 characters, without control characters and with no white space except plain spaces between other characters, because it is typed into the discovery client and must match; rewrite it.";
const TOGETHER =
  "only one of cloudb_access_key_id and cloudb_secret_access_key is given; a request is signed with both; set both, or neither.";
const CLOUDB_REGION_RULE = "it must be the name of an AWS region such as us-east-1; correct it.";

/** What the stack of the lab refuses at plan, whatever else is given. */
export const REFUSED_LAB_INPUTS: readonly Refusal[] = [
  ["a project number", { project_id: "123456789012" }, [`project_id is "123456789012"; ${PROJECT_RULE}`]],
  ["a zone as region", { region: "us-central1-a" }, [`region is "us-central1-a"; ${REGION_RULE}`]],
  ["a zone of another region", { zone: "europe-west1-b" }, [`zone is "europe-west1-b"; ${ZONE_RULE("us-central1")}`]],
  ["a region as zone", { zone: "us-central1" }, [`zone is "us-central1"; ${ZONE_RULE("us-central1")}`]],
  [
    "a zone of the default region in another region",
    { region: "europe-west1", zone: "us-central1-b" },
    [`zone is "us-central1-b"; ${ZONE_RULE("europe-west1")}`],
  ],
  [
    "labels that Google Cloud does not take",
    { labels: { Team: "identity", fine: "yes", long: "v".repeat(64) } },
    [
      'labels has "Team", "long"; keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them.',
    ],
  ],
  ["a tenant id of 21 characters", { tenant_id: "t".repeat(21) }, [`tenant_id is "${"t".repeat(21)}"; ${TENANT_RULE}`]],
  ["an empty tenant id", { tenant_id: "" }, [`tenant_id is ""; ${TENANT_RULE}`]],
  ["capitals in a tenant id", { tenant_id: "Demo" }, [`tenant_id is "Demo"; ${TENANT_RULE}`]],
  ["a deployment id of 9 characters", { deployment_id: "abcdefghi" }, [`deployment_id is "abcdefghi"; ${ID_RULE}`]],
  ["an empty deployment id", { deployment_id: "" }, [`deployment_id is ""; ${ID_RULE}`]],
  ["a hyphen in a deployment id", { deployment_id: "a-b" }, [`deployment_id is "a-b"; ${ID_RULE}`]],
  [
    "a deployment id that leaves a hyphen at the end of the computer name",
    { deployment_id: "abcdefg" },
    [
      'deployment_id is "abcdefg"; it must not have 7 characters, because the first 15 characters of assess-<id>-winvm01 would then end in a hyphen, which a computer name must not; add or remove one.',
    ],
  ],
  [
    "a deployment id that the store reserves",
    { deployment_id: "google" },
    [
      'deployment_id is "google"; it must not contain "google", because Cloud Storage reserves that word in bucket names; choose another id.',
    ],
  ],
  [
    "an existing network without its id",
    { create_vpc: false },
    [
      "create_vpc is false and deployment_id is missing; the existing network must be named assess-<id>-vpc, because the lab finds it by that name; set deployment_id to the id in the network's name, or set create_vpc to true.",
    ],
  ],
  [
    "a range that does not begin with its first address",
    { internal_traffic_cidr: "10.128.0.1/9" },
    [`internal_traffic_cidr is "10.128.0.1/9"; ${RANGE_RULE}`],
  ],
  [
    "an address as range",
    { internal_traffic_cidr: "10.128.0.0" },
    [`internal_traffic_cidr is "10.128.0.0"; ${RANGE_RULE}`],
  ],
  ["a range of IPv6", { internal_traffic_cidr: "fd00::/8" }, [`internal_traffic_cidr is "fd00::/8"; ${RANGE_RULE}`]],
  [
    "any address as internal",
    { internal_traffic_cidr: "0.0.0.0/0" },
    [`internal_traffic_cidr is "0.0.0.0/0"; ${RANGE_SIZE_RULE}`],
  ],
  [
    "a range that is wrong in two ways",
    { internal_traffic_cidr: "10.0.0.1/4" },
    [
      `internal_traffic_cidr is "10.0.0.1/4"; ${RANGE_RULE}`,
      `internal_traffic_cidr is "10.0.0.1/4"; ${RANGE_SIZE_RULE}`,
    ],
  ],
  ["no source for remote desktop", { rdp_source_ranges: [] }, [`rdp_source_ranges is []; ${RDP_RULE}`]],
  [
    "an address, a wrong range, a range of IPv6 and no range at all as sources for remote desktop",
    { rdp_source_ranges: ["203.0.113.7", "10.0.0.1/8", "fd00::/8", null] },
    [`rdp_source_ranges is ["203.0.113.7","10.0.0.1/8","fd00::/8",null]; ${RDP_RULE}`],
  ],
  ["a chosen password", { windows_password: "Geheim-2026" }, [`windows_password is given; ${PASSWORD_RULE}`]],
  [
    "machine types that are none",
    { windows_vm_machine_type: "Big", linux_vm_machine_type: "" },
    [`windows_vm_machine_type is "Big"; ${MACHINE_TYPE_RULE}`, `linux_vm_machine_type is ""; ${MACHINE_TYPE_RULE}`],
  ],
  [
    "machine types with Arm processors, for which neither image is made",
    { windows_vm_machine_type: "t2a-standard-2", linux_vm_machine_type: "c4a-highcpu-4" },
    [
      `windows_vm_machine_type is "t2a-standard-2"; ${WINDOWS_CPU_RULE}`,
      `linux_vm_machine_type is "c4a-highcpu-4"; ${LINUX_CPU_RULE}`,
    ],
  ],
  [
    "Arm machine types of the later families",
    { windows_vm_machine_type: "n4a-custom-4-8192", linux_vm_machine_type: "a4x-highgpu-4g" },
    [
      `windows_vm_machine_type is "n4a-custom-4-8192"; ${WINDOWS_CPU_RULE}`,
      `linux_vm_machine_type is "a4x-highgpu-4g"; ${LINUX_CPU_RULE}`,
    ],
  ],
  [
    "a disk that Windows does not fit on",
    { windows_vm_boot_disk_size_gb: 49 },
    [`windows_vm_boot_disk_size_gb is 49; ${WINDOWS_DISK_RULE}`],
  ],
  [
    "a part of a gigabyte",
    { windows_vm_boot_disk_size_gb: 50.5, linux_vm_boot_disk_size_gb: 20.5 },
    [
      `windows_vm_boot_disk_size_gb is 50.5; ${WINDOWS_DISK_RULE}`,
      `linux_vm_boot_disk_size_gb is 20.5; ${LINUX_DISK_RULE}`,
    ],
  ],
  [
    "a disk that Linux does not fit on",
    { linux_vm_boot_disk_size_gb: 9 },
    [`linux_vm_boot_disk_size_gb is 9; ${LINUX_DISK_RULE}`],
  ],
  [
    "disks larger than there are",
    { windows_vm_boot_disk_size_gb: 65537, linux_vm_boot_disk_size_gb: 65537 },
    [
      `windows_vm_boot_disk_size_gb is 65537; ${WINDOWS_DISK_RULE}`,
      `linux_vm_boot_disk_size_gb is 65537; ${LINUX_DISK_RULE}`,
    ],
  ],
  ["a negative number of targets", { linux_vm_count: -1 }, [`linux_vm_count is -1; ${COUNT_RULE}`]],
  ["a part of a target", { linux_vm_count: 1.5 }, [`linux_vm_count is 1.5; ${COUNT_RULE}`]],
  [
    "a client name with a space at the end",
    { assess_discovery_client_name: "client " },
    [`assess_discovery_client_name is "client "; ${CLIENT_NAME_RULE}`],
  ],
  [
    "an empty client name",
    { assess_discovery_client_name: "" },
    [`assess_discovery_client_name is ""; ${CLIENT_NAME_RULE}`],
  ],
  [
    "a client name with a tab in it",
    { assess_discovery_client_name: "a\tb" },
    [`assess_discovery_client_name is "a\\tb"; ${CLIENT_NAME_RULE}`],
  ],
  [
    "a client name with a space in it that no keyboard has",
    { assess_discovery_client_name: "a\u00a0b" },
    [`assess_discovery_client_name is "a\u00a0b"; ${CLIENT_NAME_RULE}`],
  ],
  [
    "a client name of 64 characters",
    { assess_discovery_client_name: "c".repeat(64) },
    [`assess_discovery_client_name is "${"c".repeat(64)}"; ${CLIENT_NAME_RULE}`],
  ],
  ["an AWS key id without its secret", { cloudb_access_key_id: "AKIAEXAMPLE", cloudb_region: "us-east-1" }, [TOGETHER]],
  [
    "an AWS secret without its key id",
    { cloudb_secret_access_key: "given-by-hand-0815", cloudb_region: "us-east-1" },
    [TOGETHER],
  ],
  ["a country as AWS region", { cloudb_region: "us" }, [`cloudb_region is "us"; ${CLOUDB_REGION_RULE}`]],
];

/** All that is said about inputs of which many are wrong. */
export const MANY_REFUSED_LAB_INPUTS: Refusal = [
  "many wrong inputs at once",
  {
    project_id: "X",
    tenant_id: "Demo",
    deployment_id: "A",
    internal_traffic_cidr: "x",
    windows_vm_boot_disk_size_gb: 1,
    linux_vm_count: -1,
    assess_discovery_client_name: "",
    cloudb_region: "x",
  },
  [
    `project_id is "X"; ${PROJECT_RULE}`,
    `tenant_id is "Demo"; ${TENANT_RULE}`,
    `deployment_id is "A"; ${ID_RULE}`,
    `internal_traffic_cidr is "x"; ${RANGE_RULE}`,
    `windows_vm_boot_disk_size_gb is 1; ${WINDOWS_DISK_RULE}`,
    `linux_vm_count is -1; ${COUNT_RULE}`,
    `assess_discovery_client_name is ""; ${CLIENT_NAME_RULE}`,
    `cloudb_region is "x"; ${CLOUDB_REGION_RULE}`,
  ],
];
