import { type IResolvable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { ROLLOUT_SURGE } from "../../lib/platform/kubernetes/contract";
import { domainValidation } from "../../lib/platform/kubernetes/domain";
import { namespaceValidation } from "../../lib/platform/kubernetes/namespace-name";
import {
  DEFAULT_CPU,
  DEFAULT_MEMORY,
  podCpuValidation,
  podMemoryValidation,
} from "../../lib/platform/kubernetes/pod-size";
import { type InstanceInputsProps } from "./instance-inputs";
import { type NetworkInputsProps } from "./network-inputs";

/** What only the Kubernetes platform knows: the namespace, who reaches the control plane, and the name for visitors. */
export class KubernetesInputs extends Construct {
  readonly namespace: string;
  readonly authorizedNetworks: IResolvable;
  readonly domain: string;

  constructor(stack: TerraformStack) {
    super(stack, "kubernetes-inputs");

    this.namespace = new InputVariable(this, "namespace", {
      type: "string",
      default: "identity-provider",
      description:
        "Namespace of the cluster that everything goes into. Changing it later stops the service, replaces all in it and starts it again; the data stays.",
      validation: [namespaceValidation("namespace")],
    }).stringValue;

    this.authorizedNetworks = new InputVariable(this, "authorized_networks", {
      type: "map(string)",
      default: {},
      description:
        "Ranges in CIDR notation, by a name, from which the control plane of the cluster may be reached, the machine that applies among them. Empty lets everybody reach it who can sign in. Changing it later is safe.",
      validation: [
        {
          condition: `\${alltrue([for range in values(var.authorized_networks) : ${IS_RANGE}])}`,
          errorMessage: `authorized_networks has \${join(", ", [for name, range in var.authorized_networks : "\${name} = \${range}" if !(${IS_RANGE})])}; each must be an IPv4 range that is written with its first address, because the platform takes no other; write for example 203.0.113.0/24, or /32 for one address.`,
        },
      ],
    }).value as IResolvable;

    this.domain = new InputVariable(this, "domain", {
      type: "string",
      default: null,
      description:
        "Domain name under which visitors come. It gets a certificate, which becomes valid after the record of the output dns_record is entered. None leaves an address with the server's own certificate, which browsers warn of. Changing it later changes the address.",
      validation: [domainValidation("domain")],
    }).stringValue;
  }
}

/** True for a range whose address is its first one; false on any other text. */
const IS_RANGE = 'try("${cidrhost(range, 0)}/${split("/", range)[1]}" == range && can(cidrnetmask(range)), false)';

/** What this platform says about an existing network. */
export const CLUSTER_NETWORK: NetworkInputsProps = {
  network:
    "to put the cluster into, that already has private services access and a way out for machines without public addresses: the database gets a private address on it and no public one. None makes a network of its own and leaves the database a public address that only authorized proxy connections can use. Once given it cannot be taken back; a change of it replaces the cluster.",
  subnetwork:
    "with room for the ranges of pods and services, which the platform adds to it; in a network of another project they must be there, named pods and services. A change of it replaces the cluster.",
  members: "nodes",
  togetherReason: "the cluster takes its addresses from the subnetwork",
};

/** What this platform says about instances. */
export const PODS: InstanceInputsProps = {
  leastInstances: 1,
  leastMeaning: "",
  surge: ROLLOUT_SURGE,
  cpu: { default: DEFAULT_CPU, choice: "0.5 to 28 in steps of 0.25", validation: podCpuValidation },
  memory: { default: DEFAULT_MEMORY, validation: podMemoryValidation },
};
