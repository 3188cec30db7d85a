import { type IngressV1 } from "@cdktf/provider-kubernetes/lib/ingress-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { type ServiceV1 } from "@cdktf/provider-kubernetes/lib/service-v1";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock, countIfSet, ifSet, oneAttribute } from "../../core/conditional";
import { objectName } from "../../core/names";
import { TLS_PORT } from "../../idp/contract";
import { httpsRedirect } from "../edge/https-redirect";
import { type FrontDoor } from "../parts";
import { ANYWHERE, INGRESS_SCHEME, LOAD_BALANCER_RANGES } from "./kubernetes-defaults";
import { loadBalancerSettings } from "./load-balancer-settings";
import { httpsLoadBalancer, passthroughLoadBalancer, type ClusterIngressProps } from "./load-balancers";

/**
 * Ingress to a workload: a passthrough load balancer, or with a domain an HTTPS load balancer, its certificate, and a
 * redirect from port 80.
 *
 * Exactly one of the two load balancers exists. Their names differ, because Kubernetes cannot turn one kind of object
 * into the other.
 */
export class ClusterIngress extends Construct implements FrontDoor {
  readonly url: string;

  readonly ready: ITerraformDependable[];

  /** The passthrough load balancer, created only without a domain. */
  readonly loadBalancer: ServiceV1;

  /** The HTTPS load balancer, created only with a domain. */
  readonly ingress: IngressV1;

  constructor(scope: Construct, id: string, props: ClusterIngressProps) {
    super(scope, id);
    const { address, place } = props;
    this.url = address.url;
    const policy = this.allowIngress(props);
    this.loadBalancer = passthroughLoadBalancer(this, props);
    this.ingress = httpsLoadBalancer(this, props);
    const settings = loadBalancerSettings(this, props, this.ingress);
    // The Ingress leaves port 80 of its address free.
    const redirect = httpsRedirect(this, {
      addressId: oneAttribute(address.global, "id"),
      count: countIfSet(address.domain),
      place,
      scheme: INGRESS_SCHEME,
      dependsOn: address.ready,
    });
    this.ready = [policy, this.loadBalancer, settings, redirect];
  }

  /** Without a domain, connections come from the clients' own addresses; with one, only from the load balancer. */
  private allowIngress({ address, namespace, place, port, workload }: ClusterIngressProps): NetworkPolicyV1 {
    const { domain } = address;
    const policy = new NetworkPolicyV1(this, "AllowIngress", {
      metadata: namespace.metadataOf(objectName(place.deployment, "ingress")),
      spec: {
        podSelector: { matchLabels: { ...workload.podLabels } },
        policyTypes: ["Ingress"],
        ingress: [{}],
      },
    });
    const path = "spec.ingress.0";
    addDynamicBlock(policy, path, "from", {
      forEach: ifSet(domain, JSON.stringify(LOAD_BALANCER_RANGES), JSON.stringify([ANYWHERE])),
      content: { ip_block: { cidr: "${from.value}" } },
    });
    addDynamicBlock(policy, path, "ports", {
      forEach: ifSet(domain, JSON.stringify([port]), JSON.stringify([port, TLS_PORT.port])),
      content: { protocol: "TCP", port: "${ports.value}" },
    });
    return policy;
  }
}
