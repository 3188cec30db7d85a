import { LAB_PASSWORD } from "../../../lib/lab/contract";
import { type Deployment } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { BOOTSTRAP_INPUTS, requireImport } from "./aws-inventory";
import { textAt } from "../project/terraform-value";
import { all, edited, withInputs } from "./every-stack";

const WINDOWS = "google_compute_instance.lab_windows_vm[0]";
const BUCKET = "google_storage_bucket.lab_key_bucket[0]";
const KEY_FILE = "google_storage_bucket_object.lab_key_file[0]";
const VPC = "google_compute_network.lab_vpc[0]";
const HTTP_RULE = "google_compute_firewall.lab_firewall_allow_http";
const REGISTERED = "terraform_data.lab_source_registered[0]";
const GROUP = "google_migration_center_group.lab_source_group[0]";
const DEFAULT_RULES = ["icmp", "internal", "rdp", "ssh"].map(
  (rule) => `google_compute_firewall.lab_firewall_allow_${rule}[0]`,
);

/** Linux VMs by number, from 1. */
const targets = (...numbers: number[]) =>
  numbers.map((number) => `google_compute_instance.lab_linux_vm[${number - 1}]`);

/** VMs of a name in the project. */
const hostsOf = ({ cloud }: Deployment, name: string) =>
  cloud.ofType("google_compute_instance").flatMap(({ id, values }) => (id.endsWith(name) ? [values] : []));

/** Changes by an owner of the lab, with all the actions that each may cause. */
export const LAB_CHANGES: readonly ChangeScenario[] = [
  { name: "five targets", change: withInputs({ linux_vm_count: 5 }), expected: all("create", targets(4, 5)) },
  { name: "one target", change: withInputs({ linux_vm_count: 1 }), expected: all("delete", targets(2, 3, 4, 5)) },
  {
    name: "other machine types, larger disks, labels, and edits of the first-boot scripts",
    change: (deployment) => {
      withInputs({
        windows_vm_machine_type: "e2-standard-4",
        windows_vm_boot_disk_size_gb: 64,
        linux_vm_machine_type: "e2-small",
        linux_vm_boot_disk_size_gb: 32,
        labels: { team: "migration" },
      })?.(deployment);
      edited("scripts/windows-first-boot.ps1")?.(deployment);
      edited("scripts/linux-first-boot.sh")?.(deployment);
    },
    expected: all("update", [WINDOWS, ...targets(1), BUCKET, GROUP]),
    verify: ({ cloud }) => {
      for (const { id, values } of cloud.ofType("google_compute_instance"))
        if (!JSON.stringify(values).includes("# edited")) throw new Error(`${id} has the former script`);
    },
  },
  {
    name: "another key",
    planArguments: ["-replace=tls_private_key.lab_key"],
    expected: { "tls_private_key.lab_key": "replace", ...all("update", [KEY_FILE, ...targets(1)]) },
  },
  {
    name: "no key bucket",
    change: withInputs({ create_ssh_key_bucket: false }),
    expected: all("delete", [
      BUCKET,
      KEY_FILE,
      "google_project_service.lab_apis_storage[0]",
      "terraform_data.lab_apis_storage_answers[0]",
    ]),
    verify: ({ web }) => {
      if (!web.usage.enabled.has("storage.googleapis.com")) throw new Error("the storage API was turned off");
    },
  },
  {
    name: "remote desktop for an office, with a password that nobody knows",
    change: withInputs({ rdp_source_ranges: ["203.0.113.0/24"], windows_password: "unknown" }),
    expected: all("update", [WINDOWS, "google_compute_firewall.lab_firewall_allow_rdp[0]"]),
    verify: (deployment) => {
      const [host] = hostsOf(deployment, "winvm01");
      const texts = [JSON.stringify(host), deployment.read("terraform.tfstate")];
      if (texts.some((text) => text === undefined || text.includes(LAB_PASSWORD)))
        throw new Error("the password of every lab is in the metadata or in the state");
    },
  },
  {
    name: "a password that the platform has reset",
    isOutside: true,
    change: (deployment) => {
      for (const { metadata } of hostsOf(deployment, "winvm01"))
        (metadata as Record<string, string>)["windows-keys"] = '{"userName":"lab-user"}';
    },
    expected: {},
    verify: (deployment) => {
      if (!JSON.stringify(hostsOf(deployment, "winvm01")).includes("windows-keys"))
        throw new Error("what the platform had written is gone");
    },
  },
  {
    name: "no hosts, and rules of somebody else",
    change: withInputs({ create_default_firewall_rules: false, create_windows_vm: false, linux_vm_count: 0 }),
    expected: all("delete", [...DEFAULT_RULES, WINDOWS, ...targets(1)]),
  },
  {
    name: "a network that exists",
    change: withInputs({ create_vpc: false, deployment_id: "office", linux_vm_count: 1 }),
    expected: {
      [VPC]: "delete",
      "random_id.lab_random_id[0]": "delete",
      // Both names contain the lab's suffix, which has changed.
      [GROUP]: "replace",
      [REGISTERED]: "replace",
      "terraform_data.lab_survivors_at_destroy[0]": "update",
      [HTTP_RULE]: "replace",
      ...all("create", targets(1)),
    },
    verify: ({ cloud }) => {
      const networks = cloud.ofType("google_compute_network");
      if (networks.length > 0) throw new Error(`there is still ${networks.map(({ id }) => id).join(", ")}`);
    },
  },
];

const IMPORT = "terraform_data.lab_cloudb_import[0]";
const AWS_RESOURCES = ["aws_iam_*", "terraform_data.lab_cloudb_programs[0]", IMPORT];

/** The lab with the AWS inventory, through a stand-in for the AWS CLI. */
export const AWS_CHANGES: readonly ChangeScenario[] = [
  {
    name: "the AWS inventory",
    change: (deployment) => {
      Object.assign(deployment.environment, { TF_LOG: "TRACE", TF_LOG_PATH: "trace.log" });
      withInputs(BOOTSTRAP_INPUTS)?.(deployment);
    },
    expected: all("create", AWS_RESOURCES),
    verify: (deployment) => {
      requireImport(deployment, { jobs: 1 });
      // The script gets the key in its environment, which Terraform neither prints nor logs.
      const [key] = deployment.cloud.ofType("aws_iam_access_key");
      const trace = deployment.read("trace.log") ?? "";
      const secrets = [textAt(key?.values, "secret"), ...Object.values(BOOTSTRAP_INPUTS).map(String)];
      if (!trace.includes("[TRACE]") || secrets.some((secret) => trace.includes(secret)))
        throw new Error("Terraform's log is missing or has an AWS key");
      deployment.environment.TF_LOG = undefined;
    },
  },
  {
    name: "edit of the import",
    change: edited("scripts/import-inventory.sh"),
    expected: { [IMPORT]: "replace" },
    verify: (deployment) => {
      requireImport(deployment, { jobs: 1 });
      if (!deployment.log.includes("This inventory is imported already, by job")) {
        throw new Error("the same inventory was imported again");
      }
    },
  },
  {
    name: "another client name",
    change: withInputs({ assess_discovery_client_name: "Lab client, 2nd" }),
    expected: {
      [GROUP]: "update",
      [REGISTERED]: "replace",
      [IMPORT]: "replace",
      "terraform_data.lab_survivors_at_destroy[0]": "replace",
    },
    verify: (deployment) => {
      requireImport(deployment, { jobs: 2 });
      const names = [...deployment.web.migration.sources.values()].map(({ displayName }) => displayName);
      if (names.join("; ") !== "assess-discovery-client; Lab client, 2nd") throw new Error(`sources: ${names.join()}`);
      if (!deployment.log.includes("SOURCE_ID=assess-discovery-client ")) {
        throw new Error("nothing tells how to remove what the source before has");
      }
    },
  },
  {
    name: "what a cleanup has deleted",
    isOutside: true,
    change: ({ cloud, web }) => {
      web.migration.jobs.clear();
      web.migration.sources.clear();
      for (const { type, id } of cloud.ofType("google_migration_center_group")) cloud.forget(`${type} ${id}`);
    },
    expected: { [GROUP]: "create", [REGISTERED]: "replace", [IMPORT]: "replace" },
    verify: (deployment) => {
      requireImport(deployment, { jobs: 1 });
      if (deployment.web.migration.sources.size !== 1) throw new Error("the source was not registered again");
    },
  },
];
