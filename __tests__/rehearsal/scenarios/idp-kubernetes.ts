import { ACCEPTED_BY_KUBERNETES, ACCEPTED_PROBES } from "../../stacks/accepted-inputs";
import { APPLY_AT_ONCE } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Fault } from "../engine/fault-scenarios";
import { type ChangeScenario } from "../engine/journey";
import { type Episode, type StackRehearsal } from "../engine/stack-rehearsal";
import { type Cloud } from "../project/cloud";
import { needObject } from "../project/needs";
import { AUDIT_LOG } from "./audit-log";
import { blueprintChanges } from "./blueprints";
import { DEPLOYMENT, KUBERNETES_DOMAIN_CHANGES, REGIONAL_ADDRESS } from "./domain";
import { dumpChanges } from "./dump";
import { DUMP_LOCK } from "./dump-lock";
import { anotherDeployment, deletedParts, severalInputs } from "./episodes";
import { all, sideBySide, withInputs } from "./every-stack";
import { EXISTING_CLUSTER } from "./existing-cluster";
import { WITH_EXISTING_PARTS } from "./existing-parts";
import { GRANTS_BY_OTHERS } from "./grants-by-others";
import {
  BUILD,
  DOMAINS,
  FEATURES,
  matrixOf,
  OF_BOTH,
  ownersChanges,
  protection,
  withFeatures,
  WORKERS,
} from "./identity-provider-rehearsal";
import { CONTROL_PLANE, landingZones, ownKeys } from "./landing-zone";
import { DASHBOARD, monitoringChanges } from "./monitoring";
import { DESTROYED_WITH_OUTPOSTS, WITH_OUTPOSTS } from "./outposts";
import { WITH_RECOVERY_ACCESS } from "./recovery-access";
import { DISABLED, KEY_IS_GONE, ROTATIONS, rotationThatFails, secretsOutOfStep } from "./secrets-out-of-step";
import {
  geoipChanges,
  mailChanges,
  settingsChanges,
  WITH_GEOIP,
  WITH_SEPARATE_WORKER,
  workerModeChanges,
} from "./settings";
import { WITH_SIGN_IN_PROBE } from "./sign-in-probe";

/** In a cluster, a probe needs a domain, and so do objectives without the uptime check. */
const DOMAINS_WITH_PROBES = DOMAINS.map((domain, index) =>
  index === 0 ? domain : { ...domain, sign_in_probe: ACCEPTED_PROBES[index - 1], uptime_check: index > 1 },
);

const CLUSTER = "google_container_cluster.cluster[0]";
const NAMESPACE = "kubernetes_namespace_v1.namespace[0]";

/** Leaves the rule of a load balancer that a cluster has made, which uses the address; returns its key. */
function leaveLoadBalancer(cloud: Cloud): string {
  const type = "google_compute_global_forwarding_rule";
  const [address] = cloud.ofType("google_compute_global_address");
  const values = { name: "k8s2-fs-1a2b3c4d-identity-provider-idp-5e6f7a8b", ip_address: address?.id ?? "" };
  const needs = [needObject("google_compute_global_address", values.ip_address)];
  cloud.create({ type, id: values.name, values: { ...values, port_range: "443-443" }, needs, writeOnly: {} });
  return `${type} ${values.name}`;
}

const REPLACE_CLUSTER = `-replace=${CLUSTER}`;

const ANOTHER_CLUSTER: Episode = {
  name: "another cluster",
  // The objects in the old cluster must go first: a plan cannot reach a cluster whose address it does not know yet.
  play: async (deployment) => {
    await deployment.applyWith({ ...deployment.inputs, deletion_protection: false });
    await deployment.refuse(["plan", REPLACE_CLUSTER], "connect: connection refused");
    await deployment.applyAtOnce("-destroy", `-target=${NAMESPACE}`);
    await deployment.applyAtOnce(REPLACE_CLUSTER);
  },
};

/** A cluster that is not there, or not whole, takes several commands. */
const HALF_CLUSTERS: readonly Episode[] = [
  {
    name: "a cluster that somebody has deleted",
    // What was in it is gone too, but Terraform cannot look: its address is not known before there is another one. Only
    // the load balancer remains, because the controller that would delete it is gone as well.
    play: async (deployment) => {
      const { cloud } = deployment;
      const data = cloud.ofType("google_sql_database_instance").map(({ values }) => JSON.stringify(values));
      for (const { id, type } of [...cloud.objects.values()])
        if (type.startsWith("kubernetes_") || type === "google_container_cluster") cloud.forget(`${type} ${id}`);
      const left = leaveLoadBalancer(cloud);
      await deployment.refuse(["plan"], "connect: connection refused");
      const inCluster = deployment.stateAddresses().filter((address) => address.startsWith("kubernetes_"));
      await deployment.terraform(["state", "rm", ...inCluster]);
      await deployment.refuse(APPLY_AT_ONCE, "an address that no other load balancer uses");
      cloud.forget(left);
      await deployment.applyAtOnce();
      const after = cloud.ofType("google_sql_database_instance").map(({ values }) => JSON.stringify(values));
      if (after.join() !== data.join()) throw new StepFailure("apply", "the database is not what it was");
    },
  },
  {
    name: "a cluster that was left half-made",
    fromNothing: true,
    // The cluster is tainted and protected, so it can neither be replaced nor used.
    play: async (deployment) => {
      deployment.cloud.failNext("google_container_cluster", "broken");
      await deployment.refuse(APPLY_AT_ONCE);
      await deployment.refuse(APPLY_AT_ONCE, "deletion_protection is set to true");
      await deployment.terraform(["untaint", CLUSTER]);
      await deployment.applyAtOnce();
    },
  },
];

const FAILING_INITIALIZATION: Fault = {
  name: "the initialization fails",
  prepare: ({ cloud }) => cloud.failNext("kubernetes_job_v1", "broken"),
  refusals: ["injected failure"],
};

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
    name: "a later version of PostgreSQL",
    change: withInputs({ database_version: 17 }),
    expected: { "google_sql_database_instance.database[0]": "update", [JOB]: "replace" },
  },
  {
    name: "from one to three instances, and others who may reach the control plane",
    change: withInputs({ min_instance_count: 3, authorized_networks: { office: "203.0.113.0/24" } }),
    // That there are as many as there may be says nothing any more.
    expected: all("update", [AUTOSCALER, CLUSTER, DASHBOARD]),
  },
];

const WORKER_MODE_CHANGES = workerModeChanges({ [DEPLOYMENT]: "update" }, ["kubernetes_*.worker*"]);

const DUMP_CHANGES = dumpChanges("kubernetes_cron_job_v1.dump_job[0]");

const MONITORING_CHANGES = monitoringChanges(["kubernetes_cron_job_v1.check_up_job[0]"]);

const OWN_FEATURES = {
  ...FEATURES,
  domain: { ...FEATURES.domain, certificate_validation: "dns" },
  geoip: WITH_GEOIP,
};

/** The identity provider on GKE Autopilot. */
export const IDP_KUBERNETES: StackRehearsal = {
  ...OF_BOTH,
  faultInputs: withFeatures(OWN_FEATURES),
  nullOutputs: [
    "bootstrap_token_command",
    "dump_bucket",
    "dump_lock_bucket",
    "dump_command",
    "recovery_command",
    "recovery_link_command",
    "test_mail_command",
  ],
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
    container: [
      { container_cpu: 0.5, container_memory: "1024Mi" },
      { container_cpu: 2, container_memory: "8Gi" },
      { container_cpu: 4, container_memory: "4Gi" },
    ],
    domain: DOMAINS_WITH_PROBES,
    worker: [...WORKERS, { ...WITH_SEPARATE_WORKER, worker: { count: 2, max_count: 3 } }],
  }),
  episodes: [
    landingZones("idp-kubernetes", [
      "compute.restrictLoadBalancerCreationForTypes",
      "custom.cloudsqlEnforcePasswordComplexity",
      "custom.cloudsqlRequireRootPassword",
    ]),
  ],
  furtherEpisodes: [
    ...HALF_CLUSTERS,
    ANOTHER_CLUSTER,
    CONTROL_PLANE,
    EXISTING_CLUSTER,
    WITH_OUTPOSTS,
    WITH_SIGN_IN_PROBE,
    WITH_RECOVERY_ACCESS,
    DESTROYED_WITH_OUTPOSTS,
    ownKeys("cluster", 6),
    ROTATIONS,
    rotationThatFails("kubernetes_deployment_v1"),
    ...secretsOutOfStep({
      kubernetes_deployment_v1: "database_password",
      kubernetes_job_v1: "database_administrator_password",
      kubernetes_secret_v1: "database_password",
    }),
    KEY_IS_GONE,
    // Told by what both platforms share, so the one with copies of the values stands for both.
    DISABLED,
    anotherDeployment(
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
      dumps: { schedule: null },
      labels: { team: "identity" },
    }),
    WITH_EXISTING_PARTS,
    AUDIT_LOG,
    DUMP_LOCK,
    GRANTS_BY_OTHERS,
    deletedParts([
      "kubernetes_deployment_v1",
      "kubernetes_horizontal_pod_autoscaler_v2",
      "kubernetes_ingress_v1",
      "kubernetes_job_v1",
      "kubernetes_service_v1",
    ]),
  ],
  faults: [FAILING_INITIALIZATION],
};
