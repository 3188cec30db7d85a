import { LAB_PASSWORD } from "../../../lib/lab/contract";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { choicesOf } from "../engine/input-matrix";
import { type ChangeScenario } from "../engine/journey";
import { type Episode, type StackRehearsal } from "../engine/stack-rehearsal";
import { textAt } from "../project/terraform-value";
import { anotherRegion } from "./episodes";
import { all, edited, withInputs } from "./every-stack";
import { landingZones } from "./landing-zone";

/** Bootstrap credentials, which must never be visible. */
const BOOTSTRAP_INPUTS: Inputs = {
  cloudb_access_key_id: "AKIABOOTSTRAP0000001",
  cloudb_secret_access_key: "Bootstrap/Secret+Never0Seen000000000000001",
};

/** Fails unless the import is complete and has said so. */
function requireImport(deployment: Deployment, { jobs }: { readonly jobs: number }): void {
  const { log, web } = deployment;
  const completed = [...web.migration.jobs.values()].filter(({ state }) => state === "COMPLETED");
  if (completed.length !== jobs || web.migration.jobs.size !== jobs) {
    throw new Error(`${completed.length} of ${web.migration.jobs.size} import jobs are completed, expected ${jobs}`);
  }
  if (!log.includes("is completed: ")) throw new Error("the output of the import was not shown");
}

/** Fails unless the destroy's last line says what is left in Migration Center and how to remove it. */
function requireSurvivors({ log, web }: Deployment): void {
  if (web.migration.sources.size === 0 || web.migration.jobs.size === 0) {
    throw new Error("destroy has removed something from the assessment service");
  }
  const [source = ""] = [...web.migration.sources.keys()].slice(-1);
  const last = log.split("\n").findLast((line) => line.includes("(local-exec): ")) ?? "";
  if (!last.includes(source.split("/").at(-1) ?? "") || !/To remove them: .*SOURCE_ID=/.test(last))
    throw new Error(`destroy ends with "${last}"`);
}

const WINDOWS = "google_compute_instance.lab_windows_vm[0]";
const BUCKET = "google_storage_bucket.lab_key_bucket[0]";
const KEY_FILE = "google_storage_bucket_object.lab_key_file[0]";
const VPC = "google_compute_network.lab_vpc[0]";
const HTTP_RULE = "google_compute_firewall.lab_firewall_allow_http[0]";
const NAT = ["google_compute_router.lab_vpc_router[0]", "google_compute_router_nat.lab_vpc_nat[0]"];
const KMS_KEY = "projects/keys/locations/europe-west1/keyRings/lab/cryptoKeys/lab";
const SHARED = "projects/shared/global/networks/main";
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
const LAB_CHANGES: readonly ChangeScenario[] = [
  { name: "two more Linux VMs", change: withInputs({ linux_vm_count: 5 }), expected: all("create", targets(4, 5)) },
  {
    name: "one Linux VM alone",
    change: withInputs({ linux_vm_count: 1 }),
    expected: all("delete", targets(2, 3, 4, 5)),
  },
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
    name: "what an organization requires later",
    change: withInputs({
      windows_external_ip: false,
      os_login: true,
      serial_port_logging: false,
      firewall_logging: true,
    }),
    expected: {
      ...all("create", NAT),
      ...all("update", [WINDOWS, ...targets(1), ...DEFAULT_RULES, HTTP_RULE]),
    },
    verify: ({ cloud }) => {
      const rule = cloud.ofType("google_compute_firewall").find(({ id }) => id.endsWith("allow-rdp"));
      if (JSON.stringify(rule?.values.source_ranges) !== '["35.235.240.0/20"]')
        throw new Error("allow-rdp has other sources");
    },
  },
  {
    name: "no key bucket, and remote desktop for an office with a password that nobody knows",
    change: withInputs({
      create_ssh_key_bucket: false,
      rdp_source_ranges: ["203.0.113.0/24"],
      windows_password: "unknown",
    }),
    expected: {
      ...all("delete", [BUCKET, KEY_FILE, "*.lab_apis_storage*"]),
      ...all("update", [WINDOWS, "google_compute_firewall.lab_firewall_allow_rdp[0]"]),
    },
    verify: (deployment) => {
      const [host] = hostsOf(deployment, "winvm01");
      const texts = [JSON.stringify(host), deployment.read("terraform.tfstate")];
      if (texts.some((text) => text === undefined || text.includes(LAB_PASSWORD)))
        throw new Error("the password of every lab is in the metadata or in the state");
    },
  },
  {
    name: "a password that the platform has reset",
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
    name: "no hosts and no firewall rules",
    change: withInputs({ create_default_firewall_rules: false, create_windows_vm: false, linux_vm_count: 0 }),
    expected: all("delete", [...DEFAULT_RULES, WINDOWS, ...targets(1), ...NAT]),
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
  },
];

const IMPORT = "terraform_data.lab_cloudb_import[0]";
const AWS_RESOURCES = ["aws_iam_*", "terraform_data.lab_cloudb_programs[0]", IMPORT];

/** The lab with the AWS inventory, through a stand-in for the AWS CLI. */
const AWS_CHANGES: readonly ChangeScenario[] = [
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
    name: "an edit of the script that imports the inventory",
    change: edited("scripts/import-inventory.sh"),
    expected: { [IMPORT]: "replace" },
    verify: (deployment) => {
      requireImport(deployment, { jobs: 1 });
      if (!deployment.log.includes("This inventory is imported already, by job"))
        throw new Error("the same inventory was imported again");
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
      if (!deployment.log.includes("SOURCE_ID=assess-discovery-client "))
        throw new Error("nothing tells how to remove what the source before has");
    },
  },
  {
    name: "what a cleanup has deleted",
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

/** Deployment ids of existing networks in every project. */
const OTHERS_IDS = ["a", "0a1b2c3d", "office"];
const PROJECTS = ["my-project", "another-project-12345"];

/** A plan refuses an existing network that does not exist, before anything changes. */
const networkThatDoesNotExist: Episode = {
  name: "a network that does not exist",
  play: async (deployment) => {
    const { inputs } = deployment;
    deployment.inputs = { ...inputs, create_vpc: false, deployment_id: "gone" };
    await deployment.refuse(["plan", "-input=false"], "has no network assess-gone-vpc; it must exist");
    deployment.inputs = inputs;
  },
};

/** The assessment lab. */
export const ASSESSMENT_LAB: StackRehearsal = {
  inputs: { project_id: "my-project" },
  faultInputs: { project_id: "my-project", deployment_id: "fixed", windows_external_ip: false, ...BOOTSTRAP_INPUTS },
  nullOutputs: ["cloudb_iam_user_arn"],
  prepare: ({ cloud }) => {
    for (const project of PROJECTS) {
      for (const id of OTHERS_IDS)
        cloud.others.add(`google_compute_network projects/${project}/global/networks/assess-${id}-vpc`);
    }
    cloud.others.add(`google_compute_network ${SHARED}`);
  },
  changes: [...LAB_CHANGES, ...AWS_CHANGES],
  verifyDestroyed: requireSurvivors,
  stage: /^(terraform_data\.lab_apis_|google_project_service\.)/,
  matrix: {
    ...choicesOf({
      project_id: PROJECTS,
      tenant_id: ["demo", "a"],
      labels: [{}, { team: "migration" }],
      create_default_firewall_rules: [true, false],
      internal_traffic_cidr: ["10.128.0.0/9", "192.168.0.0/16"],
      rdp_source_ranges: [["0.0.0.0/0"], ["203.0.113.0/24", "198.51.100.7/32"]],
      create_windows_vm: [true, false],
      windows_password: ["fixed", "unknown"],
      windows_vm_machine_type: ["e2-medium", "n2-standard-4"],
      windows_vm_boot_disk_size_gb: [50, 100],
      linux_vm_count: [0, 1, 12],
      linux_vm_machine_type: ["e2-medium", "e2-small"],
      linux_vm_boot_disk_size_gb: [10, 20],
      create_ssh_key_bucket: [true, false],
      windows_external_ip: [true, false],
      os_login: [false, true],
      serial_port_logging: [true, false],
      firewall_logging: [false, true],
      image_project: [null, "my-images"],
      initialize_assessment_service: [true, false],
      assess_discovery_client_name: ["assess-discovery-client", 'a "b" ${c} %{d} $5 `e` é'],
      cloudb_region: ["us-east-1", "eu-central-1"],
    }),
    aws: [{}, BOOTSTRAP_INPUTS],
    network: [
      {},
      { create_vpc: false, deployment_id: "a" },
      { deployment_id: "0a1b2c3d" },
      // With any place beside it, the region is this one.
      { network: SHARED, subnetwork: "projects/shared/regions/europe-west1/subnetworks/lab", region: "europe-west1" },
    ],
    place: [{}, { region: "europe-west1", zone: "europe-west1-c", kms_key: KMS_KEY }, { region: "europe-west1" }],
  },
  episodes: [anotherRegion(), networkThatDoesNotExist, landingZones("assessment-lab", [], {})],
};
