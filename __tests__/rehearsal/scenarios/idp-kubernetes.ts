import { ACCEPTED_BY_KUBERNETES } from "../../stacks/accepted-inputs";
import { DEPLOYMENT, KUBERNETES_DOMAIN_CHANGES, REGIONAL_ADDRESS } from "./domain";
import { anotherIdentity, deletedParts, severalInputs } from "./episodes";
import { CLUSTER, KUBERNETES_EPISODES, KUBERNETES_FAULTS } from "./idp-kubernetes-incidents";
import { dumpChanges } from "./dump";
import { all, sideBySide, withInputs } from "./every-stack";
import { blueprintChanges } from "./blueprints";
import {
  BUILD,
  FAILING_BUILD,
  FEATURES,
  matrixOf,
  OF_BOTH,
  ownersChanges,
  protection,
  withFeatures,
  WORKERS,
} from "./identity-provider-rehearsal";
import { DASHBOARD, MONITORING_CHANGES } from "./monitoring";
import { geoipChanges, mailChanges, settingsChanges, WITH_GEOIP } from "./settings";
import { secretsOutOfStep } from "./secrets-out-of-step";
import { WITH_SEPARATE_WORKER, workerModeChanges } from "./worker-modes";
import { type ChangeScenario } from "../engine/journey";
import { type StackRehearsal } from "../engine/stack-rehearsal";

/** Copies of the secrets for the pods. */
const COPIES = "kubernetes_secret_v1.workload_secrets";
const JOB = "kubernetes_job_v1.db_init";
const AUTOSCALER = "kubernetes_horizontal_pod_autoscaler_v2.workload_autoscaler";

/** Changes by an owner of the Kubernetes variant, with all the actions that each may cause. */
const CHANGES: readonly ChangeScenario[] = [
  ...ownersChanges({
    workload: DEPLOYMENT,
    job: ["kubernetes_config_map_v1.db_init_script", JOB],
    copies: [COPIES],
    labelled: ["kubernetes_*", CLUSTER, REGIONAL_ADDRESS],
    grants: [],
  }),
  {
    name: "from one to three instances, and others who may reach the control plane",
    change: withInputs({ min_instance_count: 3, authorized_networks: { office: "203.0.113.0/24" } }),
    // That there are as many as there may be says nothing any more.
    expected: all("update", [AUTOSCALER, CLUSTER, DASHBOARD]),
  },
];

const WORKER_MODE_CHANGES = workerModeChanges({
  isSeparate: (workload) => workload.endsWith("/idp-worker"),
  rollout: { [DEPLOYMENT]: "update" },
  separateWorker: ["kubernetes_*.worker*"],
});

const DUMP_CHANGES = dumpChanges("kubernetes_cron_job_v1.dump_job[0]");

const OWN_FEATURES = {
  ...FEATURES,
  domain: { ...FEATURES.domain, certificate_validation: "dns" },
  geoip: WITH_GEOIP,
};

const CONTAINERS = [
  [0.5, "1024Mi"],
  [2, "8Gi"],
  [4, "4Gi"],
] as const;

/** The identity provider on GKE Autopilot. */
export const IDP_KUBERNETES: StackRehearsal = {
  ...OF_BOTH,
  faultInputs: withFeatures(OWN_FEATURES),
  nullOutputs: ["bootstrap_token_command", "dump_bucket", "dump_command", "test_mail_command"],
  changes: [
    ...CHANGES,
    ...sideBySide(
      blueprintChanges({ [BUILD]: "replace", [DEPLOYMENT]: "update" }),
      settingsChanges({ [DEPLOYMENT]: "update", [COPIES]: "replace" }, { granted: false }),
      mailChanges({
        rollout: {
          ...all("update", [DEPLOYMENT, "kubernetes_network_policy_v1.namespace_outbound"]),
          [COPIES]: "replace",
        },
        parts: [],
        changing: [],
      }),
      geoipChanges(DEPLOYMENT),
    ),
    ...KUBERNETES_DOMAIN_CHANGES.slice(0, 1),
  ],
  furtherChanges: [...sideBySide(WORKER_MODE_CHANGES, KUBERNETES_DOMAIN_CHANGES, DUMP_CHANGES), ...MONITORING_CHANGES],
  protection: protection(CLUSTER),
  matrix: matrixOf(ACCEPTED_BY_KUBERNETES, {
    container: CONTAINERS.map(([cpu, memory]) => ({ container_cpu: cpu, container_memory: memory })),
    worker: [...WORKERS, { ...WITH_SEPARATE_WORKER, worker_count: 2, worker_max_count: 3 }],
  }),
  episodes: [
    ...KUBERNETES_EPISODES,
    ...secretsOutOfStep({
      kubernetes_deployment_v1: "database_password",
      kubernetes_job_v1: "database_administrator_password",
      kubernetes_secret_v1: "database_password",
    }),
    anotherIdentity(
      {
        project_id: "other-project",
        region: "europe-west1",
        tenant_id: "other",
        application_name: "other",
        namespace: "other",
        network: "projects/shared/global/networks/other",
        subnetwork: "projects/shared/regions/europe-west1/subnetworks/other",
      },
      // With another cluster, the plan fails by itself.
      { namespace: "other" },
    ),
    severalInputs(OWN_FEATURES, {
      authorized_networks: { office: "203.0.113.0/24" },
      deletion_protection: false,
      keep_dumps: true,
      labels: { team: "identity" },
    }),
    deletedParts([
      "kubernetes_deployment_v1",
      "kubernetes_horizontal_pod_autoscaler_v2",
      "kubernetes_ingress_v1",
      "kubernetes_job_v1",
      "kubernetes_service_v1",
    ]),
  ],
  faults: [FAILING_BUILD, ...KUBERNETES_FAULTS],
};
