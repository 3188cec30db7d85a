import { anotherRegion } from "./another-region";
import { choicesOf } from "../engine/input-matrix";
import { type Episode, type StackRehearsal } from "../engine/stack-rehearsal";
import { AWS_CHANGES, LAB_CHANGES } from "./assessment-lab-changes";
import { BOOTSTRAP_INPUTS, requireSurvivors } from "./aws-inventory";
import { EARLY_FAULTS } from "./every-stack";

/** Deployment ids of existing networks in every project. */
const OTHERS_IDS = ["a", "0a1b2c3d", "office"];
const PROJECTS = ["my-project", "another-project-12345"];

/** An existing network is looked up by a plan, so that nothing is created without it. */
const networkThatDoesNotExist: Episode = {
  name: "a network that does not exist",
  fromNothing: true,
  play: async (deployment) => {
    const { inputs } = deployment;
    deployment.inputs = { ...inputs, create_vpc: false, deployment_id: "gone" };
    await deployment.refuse(["plan", "-input=false"], "has no network assess-gone-vpc; it must exist");
    deployment.inputs = inputs;
    await deployment.applyAtOnce();
  },
};

/** The assessment lab. */
export const ASSESSMENT_LAB: StackRehearsal = {
  inputs: { project_id: "my-project" },
  faultInputs: { project_id: "my-project", deployment_id: "fixed", ...BOOTSTRAP_INPUTS },
  nullOutputs: ["cloudb_iam_user_arn"],
  prepare: ({ cloud }) => {
    for (const project of PROJECTS) {
      for (const id of OTHERS_IDS)
        cloud.others.add(`google_compute_network projects/${project}/global/networks/assess-${id}-vpc`);
    }
  },
  changes: [...LAB_CHANGES, ...AWS_CHANGES],
  verifyDestroyed: requireSurvivors,
  // Such a plan looks up an existing network or uses the AWS credentials.
  plansOffline: ({ cloudb_access_key_id: keyId = "", create_vpc: createVpc = true }) =>
    createVpc === true && keyId === "",
  stages: [
    /^terraform_data\.lab_apis_resource_manager$/,
    /^google_project_service\./,
    /^terraform_data\.lab_apis_\w+_answers/,
  ],
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
      initialize_assessment_service: [true, false],
      assess_discovery_client_name: ["assess-discovery-client", 'a "b" ${c} %{d} $5 `e` é'],
      cloudb_region: ["us-east-1", "eu-central-1"],
    }),
    aws: [{}, BOOTSTRAP_INPUTS],
    network: [{}, { create_vpc: false, deployment_id: "a" }, { deployment_id: "0a1b2c3d" }],
    place: [
      {},
      { region: "europe-west1", zone: "europe-west1-c" },
      { region: "europe-west1" },
      { zone: "us-central1-c" },
    ],
  },
  kill: {
    prepare: ({ web }) => {
      web.migration.callsPerPhase = 100_000;
    },
    waiting: ": VALIDATING",
    meanwhile: ({ web }) => {
      web.migration.callsPerPhase = 2;
      for (const job of web.migration.jobs.values()) job.phaseEndsAt = 0;
    },
  },
  episodes: [anotherRegion(), networkThatDoesNotExist],
  faults: EARLY_FAULTS,
};
