import { ComputeAddress } from "@cdktf/provider-google/lib/compute-address";
import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { ComputeManagedSslCertificate } from "@cdktf/provider-google/lib/compute-managed-ssl-certificate";
import { IngressV1 } from "@cdktf/provider-kubernetes/lib/ingress-v1";
import { ServiceV1 } from "@cdktf/provider-kubernetes/lib/service-v1";
import { type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { expression } from "../../core/expression";
import { certificateName, networkName, objectName, type DeploymentName } from "../../core/names";
import { countWith, countWithout, onlyAttribute } from "../../core/optional-value";
import { LOAD_BALANCER_TIMEOUT, NETWORK_ENDPOINT_GROUPS, SERVER_HTTPS_PORT } from "./contract";
import { type KubernetesWorkload } from "./kubernetes-workload";
import { type WorkloadNamespace } from "./workload-namespace";

export interface EntranceProps {
  /** What the names are made of. */
  readonly deployment: DeploymentName;

  readonly namespace: WorkloadNamespace;

  /** Port on which the server answers plain HTTP. */
  readonly port: number;

  /** Project of address and certificate. */
  readonly projectId: string;

  /** Region of the address without a domain. */
  readonly region: string;

  /**
   * Things that must exist first for addresses: the gate of the network API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Things that must exist before visitors are let in: the completed initialization.
   *
   * @default - nothing
   */
  readonly opensAfter?: ITerraformDependable[];

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

/** One of the two ways in, which exists with or without a domain. */
export interface Entrance {
  /** Address that visitors connect to, in Terraform's language. */
  readonly address: string;

  /** Sends visitors to a workload; returns what must exist before they get there. */
  readonly open: (workload: KubernetesWorkload) => ITerraformDependable;
}

/** A static address and a load balancer that passes connections on as they came. */
export function passConnectionsOn(scope: Construct, props: EntranceProps): Entrance {
  const { deployment, domain, labels, namespace, port, projectId, region } = props;
  const count = countWithout(domain);
  const address = new ComputeAddress(scope, "Address", {
    project: projectId,
    region,
    name: networkName(deployment, "address"),
    labels,
    count,
    dependsOn: props.dependsOn,
  });
  const ip = onlyAttribute(address, "address");
  const open = (workload: KubernetesWorkload) =>
    new ServiceV1(scope, "LoadBalancer", {
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
      dependsOn: props.opensAfter,
    });
  return { address: ip, open };
}

/** A static address, a certificate, and a load balancer that speaks HTTPS. */
export function speakHttps(scope: Construct, props: EntranceProps): Entrance {
  const { deployment, domain, labels, namespace, port, projectId } = props;
  const count = countWith(domain);
  const address = new ComputeGlobalAddress(scope, "GlobalAddress", {
    project: projectId,
    name: networkName(deployment, "address"),
    labels,
    count,
    dependsOn: props.dependsOn,
  });
  const certificate = new ComputeManagedSslCertificate(scope, "Certificate", {
    project: projectId,
    // Another domain is another certificate, and the load balancer lets the old one go only when it has the new one.
    name: certificateName(deployment, domain ?? ""),
    managed: { domains: [domain ?? ""] },
    count,
    lifecycle: { createBeforeDestroy: true },
    dependsOn: props.dependsOn,
  });
  const open = (workload: KubernetesWorkload) => {
    const service = new ServiceV1(scope, "Backend", {
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
      dependsOn: props.opensAfter,
    });
    return new IngressV1(scope, "Ingress", {
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
  };
  return { address: onlyAttribute(address, "address"), open };
}
