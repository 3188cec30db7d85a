import { ComputeAddress } from "@cdktf/provider-google/lib/compute-address";
import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { ComputeManagedSslCertificate } from "@cdktf/provider-google/lib/compute-managed-ssl-certificate";
import { IngressV1 } from "@cdktf/provider-kubernetes/lib/ingress-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { ServiceV1 } from "@cdktf/provider-kubernetes/lib/service-v1";
import { Fn, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock } from "../../core/dynamic-block";
import { expression } from "../../core/expression";
import { networkName, objectName, type DeploymentName } from "../../core/names";
import { countWith, countWithout, onlyAttribute, orElse, whether } from "../../core/optional-value";
import { requireProvider } from "../../core/provider-requirements";
import { ifKnown, requireAll, type Rule } from "../../core/rules";
import {
  ANYWHERE,
  FRONT_END_RANGES,
  LOAD_BALANCER_TIMEOUT,
  NETWORK_ENDPOINT_GROUPS,
  SERVER_HTTPS_PORT,
} from "./contract";
import { DOMAIN_RULE, isDomain } from "./domain";
import { type KubernetesWorkload } from "./kubernetes-workload";
import { type WorkloadNamespace } from "./workload-namespace";

export interface FrontDoorProps {
  /** What the names are made of. */
  readonly deployment: DeploymentName;

  readonly namespace: WorkloadNamespace;

  /** Port on which the server answers plain HTTP. */
  readonly port: number;

  /** Project of address and certificate. */
  readonly projectId: string;

  /** Region of the address without a domain. */
  readonly region: string;

  /** Where visitors are sent. */
  readonly workload: KubernetesWorkload;

  /**
   * Things that must exist first for addresses: the gate of the network API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Name under which visitors come, with a certificate of the platform; their browsers are sent nothing in plain HTTP.
   *
   * @default - none, visitors come to an address, encrypted by the server's own certificate that no browser knows
   */
  readonly domain?: string;

  /**
   * Labels of the addresses.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;
}

/**
 * The way in: a static address that passes connections on, or a domain with a certificate and a load balancer that speaks
 * HTTPS.
 *
 * Two objects of different names, of which there is always one: the platform cannot turn one kind into the other.
 */
export class FrontDoor extends Construct {
  /** Address that visitors connect to. */
  readonly address: string;

  /** Where the application answers. */
  readonly url: string;

  /** Everything that belongs to it. */
  readonly opened: ITerraformDependable[];

  private readonly domain: string | undefined;

  constructor(scope: Construct, id: string, props: FrontDoorProps) {
    super(scope, id);
    requireAll(this, props, RULES);
    requireProvider(this, "kubernetes");
    requireProvider(this, "google");
    const { domain } = props;
    this.domain = domain;

    const visitors = this.letVisitorsIn(props);
    const withoutDomain = this.passConnectionsOn(props);
    const withDomain = this.speakHttps(props);

    this.address = whether(domain, withDomain.address, withoutDomain.address);
    this.url = `https://${orElse(domain, withoutDomain.address)}`;
    this.opened = [visitors, ...withoutDomain.opened, ...withDomain.opened];
  }

  /** What to enter at whoever manages the domain; null without one. */
  get dnsRecord(): unknown {
    const { address, domain } = this;
    if (domain === undefined) return null;
    if (!Token.isUnresolved(domain)) return { name: domain, type: "A", value: address };
    return expression(`(${domain} != null ? { name = ${domain}, type = "A", value = ${address} } : null)`);
  }

  /** Visitors' own addresses arrive without a domain; with one, only the platform's front ends connect. */
  private letVisitorsIn({ deployment, domain, namespace, port, workload }: FrontDoorProps): NetworkPolicyV1 {
    const policy = new NetworkPolicyV1(this, "Visitors", {
      metadata: { name: objectName(deployment, "visitors"), namespace: namespace.namespaceName },
      spec: {
        podSelector: { matchLabels: { ...workload.podLabels } },
        policyTypes: ["Ingress"],
        ingress: [{}],
      },
    });
    const path = "spec.ingress.0";
    addDynamicBlock(policy, path, "from", {
      forEach: whether(domain, JSON.stringify(FRONT_END_RANGES), JSON.stringify([ANYWHERE])),
      content: { ip_block: { cidr: "${from.value}" } },
    });
    addDynamicBlock(policy, path, "ports", {
      forEach: whether(domain, JSON.stringify([port]), JSON.stringify([port, SERVER_HTTPS_PORT])),
      content: { protocol: "TCP", port: "${ports.value}" },
    });
    return policy;
  }

  private passConnectionsOn(props: FrontDoorProps) {
    const { deployment, domain, labels, namespace, port, projectId, region, workload } = props;
    const count = countWithout(domain);
    const address = new ComputeAddress(this, "Address", {
      project: projectId,
      region,
      name: networkName(deployment, "address"),
      labels,
      count,
      dependsOn: props.dependsOn,
    });
    const ip = onlyAttribute(address, "address");
    const service = new ServiceV1(this, "LoadBalancer", {
      metadata: {
        name: objectName(deployment, "load-balancer"),
        namespace: namespace.namespaceName,
        annotations: { ...NETWORK_ENDPOINT_GROUPS, "cloud.google.com/l4-rbs": "enabled" },
      },
      spec: {
        type: "LoadBalancer",
        loadBalancerIp: expression(ip),
        // Keeps the visitors' addresses, which the application logs and limits by.
        externalTrafficPolicy: "Local",
        selector: { ...workload.podLabels },
        port: [
          { name: "http", protocol: "TCP", port: 80, targetPort: String(port) },
          { name: "https", protocol: "TCP", port: 443, targetPort: String(SERVER_HTTPS_PORT) },
        ],
      },
      waitForLoadBalancer: true,
      timeouts: { create: LOAD_BALANCER_TIMEOUT },
      count,
    });
    return { address: ip, opened: [service] };
  }

  private speakHttps(props: FrontDoorProps) {
    const { deployment, domain, labels, namespace, port, projectId, workload } = props;
    const count = countWith(domain);
    const address = new ComputeGlobalAddress(this, "GlobalAddress", {
      project: projectId,
      name: networkName(deployment, "address"),
      labels,
      count,
      dependsOn: props.dependsOn,
    });
    const certificate = new ComputeManagedSslCertificate(this, "Certificate", {
      project: projectId,
      // Another domain is another certificate, and the load balancer lets the old one go only when it has the new one.
      name: networkName(deployment, Fn.substr(Fn.sha256(domain ?? ""), 0, DOMAIN_HASH_LENGTH)),
      managed: { domains: [domain ?? ""] },
      count,
      lifecycle: { createBeforeDestroy: true },
      dependsOn: props.dependsOn,
    });
    const service = new ServiceV1(this, "Backend", {
      metadata: {
        name: objectName(deployment, "backend"),
        namespace: namespace.namespaceName,
        annotations: { ...NETWORK_ENDPOINT_GROUPS },
      },
      spec: {
        type: "ClusterIP",
        selector: { ...workload.podLabels },
        port: [{ name: "http", protocol: "TCP", port: 80, targetPort: String(port) }],
      },
      count,
    });
    const ingress = new IngressV1(this, "Ingress", {
      metadata: {
        name: objectName(deployment),
        namespace: namespace.namespaceName,
        annotations: {
          "kubernetes.io/ingress.class": "gce",
          "kubernetes.io/ingress.allow-http": "false",
          "kubernetes.io/ingress.global-static-ip-name": expression(onlyAttribute(address, "name")),
          "ingress.gcp.kubernetes.io/pre-shared-cert": expression(onlyAttribute(certificate, "name")),
        },
      },
      spec: {
        defaultBackend: {
          service: {
            name: expression(`one(${service.fqn}[*].metadata[0].name)`),
            port: { number: 80 },
          },
        },
      },
      waitForLoadBalancer: true,
      timeouts: { create: LOAD_BALANCER_TIMEOUT, delete: LOAD_BALANCER_TIMEOUT },
      count,
      // Its health check is made from the readiness probe of pods that exist.
      dependsOn: [workload.rolledOut],
    });
    return { address: onlyAttribute(address, "address"), opened: [ingress] };
  }
}

/** Hexadecimal digits of the domain's hash in the certificate's name. */
const DOMAIN_HASH_LENGTH = 8;

const RULES: readonly Rule<FrontDoorProps>[] = [
  {
    holds: ({ domain }) => ifKnown(domain, isDomain),
    message: ({ domain }) => `domain is ${JSON.stringify(domain)}; ${DOMAIN_RULE}`,
  },
];
