import { type IResolvable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { domainValidation } from "../../lib/platform/kubernetes/domain";

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
      validation: [
        {
          condition:
            '${can(regex("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", var.namespace)) && !startswith(var.namespace, "kube-") && var.namespace != "default"}',
          errorMessage:
            'namespace is "${var.namespace}"; it must be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither default nor start with kube-, because it is made for this deployment alone and the cluster has those already; rename it.',
        },
      ],
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
