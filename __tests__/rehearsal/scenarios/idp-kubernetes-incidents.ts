import { APPLY_AT_ONCE, type Deployment } from "../deployment/deployment";
import { type Episode, type StackRehearsal } from "../engine/stack-rehearsal";
import { type Cloud } from "../project/cloud";
import { needObject } from "../project/needs";
import { StepFailure } from "../deployment/steps";

export const CLUSTER = "google_container_cluster.cluster";
const NAMESPACE = "kubernetes_namespace_v1.namespace";

function requireAbsent({ cloud }: Deployment, type: string): void {
  const [found] = cloud.ofType(type);
  if (found !== undefined) throw new Error(`${type} ${found.id} was made nevertheless`);
}

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

/** Incidents that take several commands to resolve. */
export const KUBERNETES_EPISODES: readonly Episode[] = [
  {
    name: "another cluster",
    // The objects in the old cluster must go first: a plan cannot reach a cluster whose address it does not know yet.
    play: async (deployment) => {
      deployment.inputs = { ...deployment.inputs, deletion_protection: false };
      await deployment.applyAtOnce();
      await deployment.refuse(["plan", REPLACE_CLUSTER], "connect: connection refused");
      const emptied = await deployment.plan("-destroy", `-target=${NAMESPACE}`);
      await deployment.apply(emptied);
      await deployment.applyAtOnce(REPLACE_CLUSTER);
    },
  },
  {
    name: "a cluster that somebody has deleted",
    // What was in it is gone too, but Terraform cannot look: its address is not known before there is another one. Only the
    // load balancer remains, because the controller that would delete it is gone as well.
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

/** Faults of the cluster and of what runs in it. */
export const KUBERNETES_FAULTS: NonNullable<StackRehearsal["faults"]> = [
  {
    name: "the initialization fails",
    prepare: ({ cloud }) => {
      cloud.failingJobs = 1;
    },
    refusals: ["is in failed state"],
    verify: (deployment) => {
      requireAbsent(deployment, "kubernetes_deployment_v1");
      requireAbsent(deployment, "kubernetes_service_v1");
    },
  },
  {
    name: "the cluster fails half-way",
    prepare: ({ cloud }) => cloud.failNext("google_container_cluster", "withdrawn", "injected failure"),
    refusals: ["injected failure"],
    verify: (deployment) => requireAbsent(deployment, "kubernetes_namespace_v1"),
  },
];
