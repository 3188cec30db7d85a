import { DEFAULT_NAMESPACE } from "../../lib/kubernetes-identity-provider-props";
import { MIN_INSTANCES } from "../../lib/platform/instance-rules";
import { AUTHORIZED_NETWORKS } from "../../lib/platform/kubernetes/autopilot-cluster";
import { REQUESTS_PER_INSTANCE } from "../../lib/idp/contract";
import { ROLLOUT_INSTANCES, ROLLOUT_SURGE } from "../../lib/platform/kubernetes/kubernetes-defaults";
import { POD_CPU, POD_MEMORY, WORKER_POD_CPU } from "../../lib/platform/kubernetes/pod-size";
import { NAMESPACE_NAME } from "../../lib/platform/kubernetes/workload-namespace";
import { CERTIFICATE_VALIDATION_DEFAULTS } from "../../lib/platform/edge/edge-rules";
import { frontDoorInputs } from "./front-door-inputs";
import { GEOIP_INPUTS } from "./geoip-inputs";
import { identityProviderInputs } from "./identity-provider-inputs";
import { monitoringInputs } from "./monitoring-inputs";
import { type Input } from "./input-table";
import { KUBERNETES_WORKER_INPUTS, WORKER_MAX_COUNT_EXPRESSION } from "./worker-inputs";

/** Inputs of the variant on GKE. */
export const KUBERNETES_INPUTS = {
  ...identityProviderInputs({
    alsoProtected: "cluster, ",
    identity: "project_id, region, tenant_id, application_name, namespace, network or subnetwork",
    changedLabels: "; on objects in the cluster, without hyphens and underscores at their ends",
    requestTimeout: {
      limit: "Time limit of a request to the load balancer of domain",
      change: "Changing it later takes effect within minutes.",
    },
    network:
      "for the cluster, with private services access and NAT for VMs without public addresses: the database gets a private address on it and no public one. Without a network, one is created, and the database has a public address that only authorized proxy connections can use. A network cannot be removed later; changing it replaces the cluster.",
    subnetwork:
      "with room for the ranges of pods and services, which GKE adds; in the network of another project, they must exist, named pods and services. A change replaces the cluster.",
    minInstances: MIN_INSTANCES,
    leastMeaning: "",
    rollout: ROLLOUT_INSTANCES,
    requests: String(REQUESTS_PER_INSTANCE),
    workerPlace: "a deployment of its own",
    workerCountMeaning: "Number of separate workers that always run.",
    workerCpu: WORKER_POD_CPU,
    mostWorkers: `(${WORKER_MAX_COUNT_EXPRESSION} + ${ROLLOUT_SURGE})`,
    cpu: POD_CPU,
    cpuChoice: "0.5 to 28 in steps of 0.25",
    memory: POD_MEMORY,
  }),
  ...KUBERNETES_WORKER_INPUTS,
  namespace: {
    type: "string",
    default: DEFAULT_NAMESPACE,
    description:
      "Namespace of all objects in the cluster. Changing it later stops the service, replaces everything in the namespace and starts the service again; the data stays.",
    must: NAMESPACE_NAME,
  },
  authorized_networks: {
    type: "map(string)",
    default: {},
    description:
      "CIDR ranges that may reach the control plane of the cluster, by name; include that of the machine that applies. Empty allows any source address; sign-in is still required. Changing it later is safe.",
    must: [AUTHORIZED_NETWORKS],
  },
  ...GEOIP_INPUTS,
  ...frontDoorInputs({
    detached: "Removing it leaves it attached: detach it by hand, or set protection.",
    withoutDomain:
      "Without a domain, clients use an IP address with a self-signed certificate, which browsers warn of.",
    certificateValidation: CERTIFICATE_VALIDATION_DEFAULTS.kubernetes,
  }),
  ...monitoringInputs("kubernetes"),
} as const satisfies Record<string, Input>;
