import { EARLY_FAULTS } from "./early-faults";
import { REFUSED_ALONE, REFUSED_TOGETHER } from "../stacks/refused-inputs";
import { type Inputs } from "./deployment";
import {
  all,
  allowsInstances,
  BUILD,
  closedGates,
  edited,
  FAILING_BUILD,
  gibibytesOf,
  GIVEN_PASSWORD_INPUTS,
  KILL,
  LABELLED,
  MATRIX,
  PROTECTED,
  requireGivenPassword,
  requireTwoExecutions,
  scriptsOf,
  STAGES,
  withInputs,
  withSubnetwork,
} from "./identity-provider-rehearsal";
import { type ChangeScenario } from "./journey";
import { type StackRehearsal } from "./stack-rehearsal";

/** Services of the project that have a gate. */
const APIS = ["artifactregistry", "cloudbuild", "iam", "logging", "run", "secretmanager", "sqladmin", "storage"];

const SERVICE = "google_cloud_run_v2_service.service";
const JOB = "google_cloud_run_v2_job.db_init";

const ROLLOUT = { [BUILD]: "replace", [SERVICE]: "update" } as const;

const CHANGES: readonly ChangeScenario[] = [
  { name: "edit of the entrypoint", change: edited("image/cloud-entrypoint.sh"), expected: ROLLOUT },
  {
    name: "edit of db-init.sh",
    change: edited("scripts/db-init.sh"),
    expected: {
      "google_secret_manager_secret_version.db_init_script_version": "replace",
      [JOB]: "replace",
      "terraform_data.db_init_trigger": "update",
    },
    verify: requireTwoExecutions,
  },
  { name: "another version", change: withInputs({ application_version: "2026.5.3" }), expected: ROLLOUT },
  {
    name: "a variable",
    change: withInputs({ environment_variables: { IDP_LOG_LEVEL: "debug" } }),
    expected: { [SERVICE]: "update" },
  },
  {
    name: "bootstrap password given",
    change: withInputs(GIVEN_PASSWORD_INPUTS),
    expected: {
      "google_secret_manager_secret_version.secrets_bootstrap_password_version": "replace",
      [SERVICE]: "update",
    },
    verify: requireGivenPassword,
  },
  { name: "more instances", change: withInputs({ max_instance_count: 4 }), expected: { [SERVICE]: "update" } },
  {
    name: "labels",
    change: withInputs({ labels: { team: "identity" } }),
    expected: all("update", [...LABELLED, SERVICE, JOB, "google_secret_manager_secret.db_init_script"]),
  },
];

const LEAST_GI: Readonly<Record<number, number>> = { 1: 0.5, 2: 0.5, 4: 2, 8: 4 };

/** What the inputs' own rules about several of them allow; a value that is not chosen yet breaks none. */
function isAllowed(inputs: Inputs): boolean {
  const { container_cpu: cpu, container_memory: memory } = inputs;
  const gibibytes = gibibytesOf(memory);
  const fits =
    cpu === undefined ||
    gibibytes === undefined ||
    (gibibytes <= Number(cpu) * 4 && gibibytes >= (LEAST_GI[Number(cpu)] ?? 0));
  return fits && allowsInstances(inputs, 0);
}

/** The identity provider on Cloud Run. */
export const IDP_SERVERLESS: StackRehearsal = {
  inputs: { project_id: "my-project" },
  nullOutputs: [],
  changes: CHANGES,
  protection: {
    off: { deletion_protection: false },
    expected: all("update", PROTECTED),
    refusal: "deletion_protection is true; nothing is deleted",
  },
  stages: STAGES,
  matrix: {
    ...MATRIX,
    container_cpu: [1, 2, 4, 8],
    container_memory: ["512Mi", "4Gi", "8Gi", "16Gi"],
    cpu_always_allocated: [true, false],
    min_instance_count: [0, 1, 2],
    public_access: [true, false],
  },
  isAllowed,
  refused: [...REFUSED_ALONE, ...REFUSED_TOGETHER],
  completed: withSubnetwork,
  kill: KILL,
  scripts: scriptsOf(APIS),
  faults: [...closedGates(APIS), ...EARLY_FAULTS, FAILING_BUILD],
};
