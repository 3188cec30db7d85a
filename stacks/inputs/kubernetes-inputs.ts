import { DEFAULT_NAMESPACE } from "../../lib/kubernetes-identity-provider";
import { DOMAIN } from "../../lib/platform/domain";
import { MIN_INSTANCES } from "../../lib/platform/instance-rules";
import { AUTHORIZED_NETWORKS } from "../../lib/platform/kubernetes/autopilot-cluster";
import { ROLLOUT_SURGE } from "../../lib/platform/kubernetes/kubernetes-defaults";
import { POD_CPU, POD_MEMORY } from "../../lib/platform/kubernetes/pod-size";
import { NAMESPACE_NAME } from "../../lib/platform/kubernetes/workload-namespace";
import { identityProviderInputs } from "./identity-provider-inputs";
import { type Input } from "./input-table";

/** Inputs of the Kubernetes variant. */
export const KUBERNETES_INPUTS = {
  ...identityProviderInputs({
    alsoProtected: "cluster, ",
    network:
      "to put the cluster into, that already has private services access and a NAT for VMs without public addresses: the database gets a private address on it and no public one. None makes a network of its own and leaves the database a public address that only authorized proxy connections can use. Once given it cannot be taken back; a change of it replaces the cluster.",
    subnetwork:
      "with room for the ranges of pods and services, which GKE adds to it; in a network of another project they must be there, named pods and services. A change of it replaces the cluster.",
    minInstances: MIN_INSTANCES,
    leastMeaning: "",
    surge: ROLLOUT_SURGE,
    cpu: POD_CPU,
    cpuChoice: "0.5 to 28 in steps of 0.25",
    memory: POD_MEMORY,
  }),
  namespace: {
    type: "string",
    default: DEFAULT_NAMESPACE,
    description:
      "Namespace of the cluster that everything goes into. Changing it later stops the service, replaces everything in it and starts it again; the data stays.",
    must: NAMESPACE_NAME,
  },
  authorized_networks: {
    type: "map(string)",
    default: {},
    description:
      "Ranges in CIDR notation, by a name, from which the control plane of the cluster may be reached, the machine that applies among them. Empty allows any source address; sign-in is still required. Changing it later is safe.",
    must: [AUTHORIZED_NETWORKS],
  },
  domain: {
    type: "string",
    default: null,
    description:
      "Domain name under which clients come. It gets a certificate, which becomes valid after the record of the output dns_record is created. None leaves an address with the server's own certificate, which browsers warn of. Changing it later changes the address.",
    must: DOMAIN,
  },
} as const satisfies Record<string, Input>;
