import { REFUSED_BY_KUBERNETES } from "../stacks/refused-kubernetes-inputs";
import { APPLY_AT_ONCE, type Deployment, type Inputs } from "./deployment";
import { withoutService } from "./dependency-graph";
import {
  all,
  allowsInstances,
  BUILD,
  closedGates,
  edited,
  FAULTS,
  gibibytesOf,
  GIVEN_PASSWORD_INPUTS,
  KILL,
  LABELLED,
  MATRIX,
  PROTECTED,
  requireGivenPassword,
  requireTwoExecutions,
  STAGES,
  withInputs,
  withSubnetwork,
} from "./identity-provider-rehearsal";
import { type ChangeScenario } from "./journey";
import { type StackRehearsal } from "./stack-rehearsal";
import { StepFailure } from "./steps";

const CLUSTER = "google_container_cluster.cluster";
const DEPLOYMENT = "kubernetes_deployment_v1.workload";
const JOB = "kubernetes_job_v1.db_init";
const NAMESPACE = "kubernetes_namespace_v1.namespace";
const AUTOSCALER = "kubernetes_horizontal_pod_autoscaler_v2.workload_autoscaler";
const SERVICE = "kubernetes_service_v1.front_door_load_balancer[0]";
const ADDRESS = "google_compute_address.front_door_address[0]";

const ROLLOUT = { [BUILD]: "replace", [DEPLOYMENT]: "update" } as const;

const CHANGES: readonly ChangeScenario[] = [
  { name: "edit of the entrypoint", change: edited("image/cloud-entrypoint.sh"), expected: ROLLOUT },
  {
    name: "edit of db-init.sh",
    change: edited("scripts/db-init.sh"),
    expected: all("replace", ["kubernetes_config_map_v1.db_init_script", JOB]),
    verify: requireTwoExecutions,
  },
  { name: "another version", change: withInputs({ application_version: "2026.5.3" }), expected: ROLLOUT },
  {
    name: "a variable",
    change: withInputs({ environment_variables: { IDP_LOG_LEVEL: "debug", IDP_GREETING: "$$ $(DB_NAME) $5" } }),
    expected: { [DEPLOYMENT]: "update" },
    verify: ({ cloud }) => {
      const [pods] = cloud.podEnvironments.values();
      const { IDP_GREETING: greeting } = pods?.environment ?? {};
      if (greeting !== "$$ $(DB_NAME) $5") throw new Error(`the container sees IDP_GREETING as ${String(greeting)}`);
    },
  },
  {
    name: "bootstrap password given",
    change: withInputs(GIVEN_PASSWORD_INPUTS),
    expected: {
      "google_secret_manager_secret_version.secrets_bootstrap_password_version": "replace",
      "kubernetes_secret_v1.workload_secrets": "update",
      [DEPLOYMENT]: "update",
    },
    verify: requireGivenPassword,
  },
  {
    name: "from one to three instances",
    change: withInputs({ min_instance_count: 3 }),
    expected: { [AUTOSCALER]: "update" },
  },
  {
    name: "labels",
    change: withInputs({ labels: { team: "identity" } }),
    expected: all("update", [...LABELLED, CLUSTER, ADDRESS]),
  },
  {
    name: "who may reach the control plane",
    change: withInputs({ authorized_networks: { office: "203.0.113.0/24" } }),
    expected: { [CLUSTER]: "update" },
  },
  {
    name: "a domain",
    change: withInputs({ domain: "sign-in.example.com" }),
    expected: {
      ...all("delete", [ADDRESS, SERVICE]),
      ...all("create", [
        "google_compute_global_address.front_door_global_address[0]",
        "google_compute_managed_ssl_certificate.front_door_certificate[0]",
        "kubernetes_ingress_v1.front_door_ingress[0]",
        "kubernetes_service_v1.front_door_backend[0]",
      ]),
      "kubernetes_network_policy_v1.front_door_visitors": "update",
    },
  },
];

/** What the inputs' own rules about several of them allow; a value that is not chosen yet breaks none. */
function isAllowed(inputs: Inputs): boolean {
  const { container_cpu: cpu, container_memory: memory } = inputs;
  const gibibytes = gibibytesOf(memory);
  const fits =
    cpu === undefined || gibibytes === undefined || (gibibytes >= Number(cpu) && gibibytes <= Number(cpu) * 6.5);
  return fits && allowsInstances(inputs);
}

function requireAbsent({ cloud }: Deployment, type: string): void {
  const [found] = cloud.ofType(type);
  if (found !== undefined) throw new Error(`${type} ${found.id} was made nevertheless`);
}

/** A plan that must fail, and with what. */
async function requireRefused(deployment: Deployment, command: readonly string[], text: string): Promise<void> {
  const { output } = await deployment.refuse(command.join(" "), command);
  if (!output.includes(text)) throw new StepFailure(command.join(" "), `expected "${text}" in:\n${output}`);
}

const REPLACE_CLUSTER = `-replace=${CLUSTER}`;

/** The identity provider on GKE Autopilot. */
export const IDP_KUBERNETES: StackRehearsal = {
  inputs: { project_id: "my-project" },
  nullOutputs: ["dns_record"],
  changes: CHANGES,
  protection: {
    off: { deletion_protection: false },
    expected: all("update", [...PROTECTED, CLUSTER]),
    refusal: "deletion_protection is true; nothing is deleted",
  },
  stages: STAGES,
  matrix: {
    ...MATRIX,
    container_cpu: [0.5, 1, 2, 4],
    container_memory: ["1024Mi", "2Gi", "4Gi", "8Gi"],
    min_instance_count: [1, 2],
    authorized_networks: [{}, { office: "203.0.113.0/24", home: "198.51.100.7/32" }],
    domain: [null, "sign-in.example.com"],
    namespace: ["identity-provider", "a"],
  },
  isAllowed,
  refused: REFUSED_BY_KUBERNETES,
  completed: withSubnetwork,
  kill: KILL,
  // Of the foundation that both variants stand on.
  failTogether: /^google_(artifact|project|secret|service_account |sql|storage)/,
  scripts: {
    "terraform_data.apis_resource_manager": {
      needs: [],
      before: (surroundings) => withoutService(surroundings, "cloudresourcemanager.googleapis.com"),
    },
    "terraform_data.image_build": {
      needs: [
        "google_artifact_registry_repository_iam_member.registry_builder_pushes",
        "google_project_iam_member.registry_builder_logs",
        "terraform_data.apis_cloudbuild_answers",
        "terraform_data.apis_logging_answers",
      ],
      before: (surroundings) => ({ ...surroundings, hasImage: () => false }),
    },
    ...Object.fromEntries(
      [
        ...["artifactregistry", "cloudbuild", "compute", "container", "iam", "logging", "secretmanager", "sqladmin"],
        "storage",
      ].map((api) => [
        `terraform_data.apis_${api}_answers`,
        {
          needs: [`google_project_service.apis_${api}`],
          before: (surroundings) => ({
            ...surroundings,
            hasAnswered: (name: string) => name !== api && surroundings.hasAnswered(name),
          }),
        },
      ]),
    ),
  },
  episodes: [
    {
      name: "another cluster",
      // What is in the old cluster must go first: a plan cannot ask a cluster whose address it does not know yet.
      play: async (deployment) => {
        deployment.inputs = { ...deployment.inputs, deletion_protection: false };
        await deployment.applyAtOnce();
        await requireRefused(deployment, ["plan", REPLACE_CLUSTER], "connect: connection refused");
        const emptied = await deployment.plan("-destroy", `-target=${NAMESPACE}`);
        await deployment.apply(emptied);
        await deployment.applyAtOnce(REPLACE_CLUSTER);
      },
    },
    {
      name: "a cluster that was left half-made",
      fromNothing: true,
      // It is tainted and protected: neither may it be replaced, nor is it used.
      play: async (deployment) => {
        deployment.cloud.failNext("google_container_cluster", "broken", "injected failure");
        await requireRefused(deployment, APPLY_AT_ONCE, "injected failure");
        await requireRefused(deployment, APPLY_AT_ONCE, "deletion_protection is set to true");
        await deployment.terraform(["untaint", CLUSTER]);
        await deployment.applyAtOnce();
      },
    },
  ],
  faults: [
    ...closedGates([
      ...["artifactregistry", "cloudbuild", "compute", "container", "iam", "logging", "secretmanager", "sqladmin"],
      "storage",
    ]),
    ...FAULTS,
    {
      name: "the initialization fails",
      afterStage: 3,
      prepare: ({ cloud }) => {
        cloud.failingJobs = 1;
      },
      refusal: "is in failed state",
      verify: (deployment) => {
        requireAbsent(deployment, "kubernetes_deployment_v1");
      },
    },
    {
      name: "the cluster fails half-way",
      afterStage: 3,
      prepare: ({ cloud }) => {
        cloud.failNext("google_container_cluster", "withdrawn", "injected failure");
      },
      refusal: "injected failure",
      verify: (deployment) => {
        requireAbsent(deployment, "kubernetes_namespace_v1");
      },
    },
    {
      name: "the load balancer's address comes too late",
      afterStage: 3,
      prepare: ({ cloud }) => {
        cloud.failNext("kubernetes_service_v1", "broken", "to assign IP/hostname for a load balancer");
      },
      refusal: "to assign IP/hostname for a load balancer",
    },
  ],
};
