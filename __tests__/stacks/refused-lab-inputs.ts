import { type Refusal, rowOf, rowsOf, sentence } from "./refusal";

const ARM = "it must be of a family with x86 processors, because";
const X86_EXAMPLES = "use for example e2-medium or n2-standard-4, or set";
const MACHINE_TYPE =
  "it must be a machine type such as e2-medium or n2-standard-4; choose one that gcloud compute machine-types list prints";

/** The rule of each input that is judged alone: what it must be, why where it is not obvious, and the way out. */
const RULES = {
  assess_discovery_client_name:
    "it must be 1 to 63 characters, without control characters and with no white space except plain spaces between other characters, because it is typed into the discovery client and must match; rewrite it",
  cloudb_region: "it must be the name of an AWS region such as us-east-1; correct it",
  deployment_id:
    "it must be 1 to 8 lower-case letters and digits, because Windows keeps 15 characters of assess-<id>-winvm01 as its computer name, and these must include the whole id; shorten or rewrite it",
  internal_traffic_cidr: "it must be an IPv4 range such as 10.128.0.0/9 that begins with its first address; correct it",
  linux_vm_boot_disk_size_gb:
    "it must be a whole number from 10 to 65536, because the image alone needs 10 GB; change it, or set linux_vm_count to 0",
  linux_vm_count: "it must be a whole number from 0; use 0 for none",
  linux_vm_machine_type: MACHINE_TYPE,
  project_id:
    "it must be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id, not the name or the number",
  rdp_source_ranges:
    "it must have at least one IPv4 range, each beginning with its first address, because a firewall rule without a source allows any; set one, for example 203.0.113.7/32",
  region: "it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter",
  tenant_id:
    "it must be 1 to 20 lower-case letters, digits and hyphens, because names that contain the tenant id allow nothing else; shorten or rewrite it",
  windows_vm_boot_disk_size_gb:
    "it must be a whole number from 50 to 65536, because the image alone needs 50 GB; change it, or set create_windows_vm to false",
  windows_vm_machine_type: MACHINE_TYPE,
};

const row = rowOf(RULES);
const rows = rowsOf(RULES);

/** Rows of the same inputs that break another rule. */
const arm = rowsOf({
  linux_vm_machine_type: `${ARM} the image of the targets is for these; ${X86_EXAMPLES} linux_vm_count to 0`,
  windows_vm_machine_type: `${ARM} there is no Windows Server for Arm; ${X86_EXAMPLES} create_windows_vm to false`,
});
const tooWide = (range: string) =>
  sentence(
    "internal_traffic_cidr",
    range,
    "it must be /8 or smaller, because every protocol is allowed from there and the Windows VM has a public address; use the range of the network, 10.128.0.0/9",
  );
const zoneIn = (region: string) =>
  rowOf({ zone: `it must be a zone of the region "${region}"; use for example ${region}-b` });

const WRONG_RANGE = "10.0.0.1/4";
const TOGETHER =
  "only one of cloudb_access_key_id and cloudb_secret_access_key is given; a request is signed with both; set both, or neither.";

/** What the stack of the lab refuses at plan, whatever else is given. */
export const REFUSED_LAB_INPUTS: readonly Refusal[] = [
  row("a project number", "project_id", "123456789012"),
  row("the name of a project in the place of its id", "project_id", "My Project"),
  row("a zone as region", "region", "us-central1-a"),
  zoneIn("us-central1")("a zone of another region", "zone", "europe-west1-b"),
  zoneIn("us-central1")("a region as zone", "zone", "us-central1"),
  zoneIn("europe-west1")("a zone of the default region in another region", "zone", "us-central1-b", {
    region: "europe-west1",
  }),
  [
    "labels that Google Cloud does not take",
    { labels: { Team: "identity", fine: "yes", long: "v".repeat(64) } },
    [
      'labels has "Team", "long"; keys must be 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, and keys must start with a letter; rewrite them.',
    ],
  ],
  row("a tenant id of 21 characters", "tenant_id", "t".repeat(21)),
  row("an empty tenant id", "tenant_id", ""),
  row("capitals in a tenant id", "tenant_id", "Demo"),
  row("a deployment id of 9 characters", "deployment_id", "abcdefghi"),
  row("an empty deployment id", "deployment_id", ""),
  row("a hyphen in a deployment id", "deployment_id", "a-b"),
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
  row("a range that does not begin with its first address", "internal_traffic_cidr", "10.128.0.1/9"),
  row("an address as range", "internal_traffic_cidr", "10.128.0.0"),
  row("a range of IPv6", "internal_traffic_cidr", "fd00::/8"),
  ["any address as internal", { internal_traffic_cidr: "0.0.0.0/0" }, [tooWide("0.0.0.0/0")]],
  [
    "a range that is wrong in two ways",
    { internal_traffic_cidr: WRONG_RANGE },
    [sentence("internal_traffic_cidr", WRONG_RANGE, RULES.internal_traffic_cidr), tooWide(WRONG_RANGE)],
  ],
  row("no source for remote desktop", "rdp_source_ranges", []),
  row(
    "an address, a wrong range, a range of IPv6 and no range at all as sources for remote desktop",
    "rdp_source_ranges",
    ["203.0.113.7", "10.0.0.1/8", "fd00::/8", null],
  ),
  [
    "a chosen password, without showing it",
    { windows_password: "Geheim-2026" },
    [
      "windows_password is given; it must be fixed or unknown, because a password of your own would be in the state and in the VM's metadata; use unknown, and set one with gcloud compute reset-windows-password.",
    ],
  ],
  rows("machine types that are none", { windows_vm_machine_type: "Big", linux_vm_machine_type: "" }),
  arm("machine types with Arm processors, for which neither image is made", {
    windows_vm_machine_type: "t2a-standard-2",
    linux_vm_machine_type: "c4a-highcpu-4",
  }),
  arm("Arm machine types of the later families", {
    windows_vm_machine_type: "n4a-custom-4-8192",
    linux_vm_machine_type: "a4x-highgpu-4g",
  }),
  row("a disk that Windows does not fit on", "windows_vm_boot_disk_size_gb", 49),
  rows("a part of a gigabyte", { windows_vm_boot_disk_size_gb: 50.5, linux_vm_boot_disk_size_gb: 20.5 }),
  row("a disk that Linux does not fit on", "linux_vm_boot_disk_size_gb", 9),
  rows("disks larger than there are", { windows_vm_boot_disk_size_gb: 65537, linux_vm_boot_disk_size_gb: 65537 }),
  row("a negative number of targets", "linux_vm_count", -1),
  row("a part of a target", "linux_vm_count", 1.5),
  row("a client name with a space at the end", "assess_discovery_client_name", "client "),
  row("a client name that begins with a space", "assess_discovery_client_name", " client"),
  row("an empty client name", "assess_discovery_client_name", ""),
  row("a client name with a tab in it", "assess_discovery_client_name", "a\tb"),
  row("a client name with a space in it that no keyboard has", "assess_discovery_client_name", "a\u00a0b"),
  row("a client name of 64 characters", "assess_discovery_client_name", "c".repeat(64)),
  ["an AWS key id without its secret", { cloudb_access_key_id: "AKIAEXAMPLE", cloudb_region: "us-east-1" }, [TOGETHER]],
  [
    "an AWS secret without its key id",
    { cloudb_secret_access_key: "given-by-hand-0815", cloudb_region: "us-east-1" },
    [TOGETHER],
  ],
  row("a country as AWS region", "cloudb_region", "us"),
];

/** All that is said about inputs of which many are wrong. */
export const MANY_REFUSED_LAB_INPUTS = rows("many wrong inputs at once", {
  project_id: "X",
  tenant_id: "Demo",
  deployment_id: "A",
  internal_traffic_cidr: "x",
  windows_vm_boot_disk_size_gb: 1,
  linux_vm_count: -1,
  assess_discovery_client_name: "",
  cloudb_region: "x",
});
