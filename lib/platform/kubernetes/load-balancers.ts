import { ComputeManagedSslCertificate } from "@cdktf/provider-google/lib/compute-managed-ssl-certificate";
import { IngressV1 } from "@cdktf/provider-kubernetes/lib/ingress-v1";
import { ServiceV1 } from "@cdktf/provider-kubernetes/lib/service-v1";
import { Fn, Token, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { countIfSet, countIfUnset, oneAttribute } from "../../core/conditional";
import { expression } from "../../core/expression";
import { certificateName, objectName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { TLS_PORT } from "../../idp/contract";
import { type Workload } from "../parts";
import { LOAD_BALANCER_TIMEOUT, NETWORK_ENDPOINT_GROUPS } from "./kubernetes-defaults";
import { type PublicAddress } from "./public-address";
import { type WorkloadNamespace } from "./workload-namespace";

export interface ClusterIngressProps {
  /** Address that clients connect to; it must be the workload's address too. */
  readonly address: PublicAddress;

  /** Namespace that the workload is in. */
  readonly namespace: WorkloadNamespace;

  /** Determines the names, and the project of the certificate. */
  readonly place: DeploymentContext;

  /** Port on which the server answers plain HTTP. */
  readonly port: number;

  /** Workload that receives the requests. */
  readonly workload: Workload;

  /**
   * Id of a certificate map of Certificate Manager that replaces the load balancer's own certificate; one that is null
   * at plan means none. With a domain only. Default: none.
   */
  readonly certificateMapId?: string;

  /**
   * Resources that the load balancer uses without a reference in the Ingress, and that are therefore destroyed after
   * it: the security policy and the certificate map. Default: nothing.
   */
  readonly outlivedBy?: ITerraformDependable[];

  /** Share of the requests that the load balancer of a domain logs, from 0 to 1. Logs are billed. Default: 0. */
  readonly requestLogSampleRate?: number;

  /**
   * Time limit of a request to the load balancer of a domain, and of a web socket, in seconds: 1 to 3600. Default:
   * 3600.
   */
  readonly requestTimeoutSeconds?: number;

  /**
   * Id of the security policy that all requests go through; one that is null at plan means none. With a domain only.
   * Default: none.
   */
  readonly securityPolicyId?: string;

  /** What must exist before ingress is allowed, for example the job that prepares the database. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];
}

/** End of the name of the service behind the Ingress. */
export const BACKEND = "backend";

/**
 * Regular expression for the name of the URL map that GKE creates for the Ingress: its own prefix, the cluster, the
 * namespace, the Ingress and a hash. Namespace and Ingress are cut if they are longer than 36 characters together, but
 * with a name as short as this Ingress has, the first 18 characters of a namespace always remain.
 */
export function urlMapPattern(namespace: string): string {
  const kept = Token.isUnresolved(namespace) ? Fn.substr(namespace, 0, 18) : namespace.slice(0, 18);
  return `k8s2-um-[0-9a-z]+-${kept}.*`;
}

/** A passthrough load balancer, for a deployment without a domain. */
export function passthroughLoadBalancer(scope: Construct, props: ClusterIngressProps): ServiceV1 {
  const { address, dependsOn = [], namespace, place, port, workload } = props;
  const { deployment } = place;
  const count = countIfUnset(address.domain);
  return new ServiceV1(scope, "LoadBalancer", {
    metadata: {
      ...namespace.metadataOf(objectName(deployment, "load-balancer")),
      annotations: { ...NETWORK_ENDPOINT_GROUPS, "cloud.google.com/l4-rbs": "enabled" },
    },
    spec: {
      type: "LoadBalancer",
      loadBalancerIp: expression(address.regionalAddress),
      // Preserves the clients' addresses, which the application logs and bases limits on.
      externalTrafficPolicy: "Local",
      selector: { ...workload.podLabels },
      port: [
        { name: "http", protocol: "TCP", port: 80, targetPort: String(port) },
        { name: "https", protocol: "TCP", port: 443, targetPort: String(TLS_PORT.port) },
      ],
    },
    waitForLoadBalancer: true,
    timeouts: { create: LOAD_BALANCER_TIMEOUT },
    count,
    dependsOn: [...namespace.ready, ...dependsOn],
  });
}

/** A certificate and an HTTPS load balancer, for a deployment with a domain. */
export function httpsLoadBalancer(scope: Construct, props: ClusterIngressProps): IngressV1 {
  const { address, dependsOn = [], namespace, outlivedBy = [], place, port, workload } = props;
  const { deployment, projectId } = place;
  const { domain } = address;
  const count = countIfSet(domain);
  const certificate = new ComputeManagedSslCertificate(scope, "Certificate", {
    project: projectId,
    // Another domain needs another certificate; the load balancer releases the old one once it has the new one.
    name: certificateName(deployment, domain ?? ""),
    managed: { domains: [domain ?? ""] },
    count,
    lifecycle: { createBeforeDestroy: true },
    // No other dependencies: Terraform would apply create_before_destroy to them as well.
    dependsOn: address.ready,
  });
  const service = new ServiceV1(scope, "Backend", {
    metadata: {
      ...namespace.metadataOf(objectName(deployment, BACKEND)),
      annotations: { ...NETWORK_ENDPOINT_GROUPS },
    },
    spec: {
      type: "ClusterIP",
      selector: { ...workload.podLabels },
      port: [{ name: "http", protocol: "TCP", port: 80, targetPort: String(port) }],
    },
    count,
    dependsOn: [...namespace.ready, ...dependsOn],
  });
  return new IngressV1(scope, "Ingress", {
    metadata: {
      ...namespace.metadataOf(objectName(deployment)),
      annotations: {
        "kubernetes.io/ingress.class": "gce",
        "kubernetes.io/ingress.allow-http": "false",
        "kubernetes.io/ingress.global-static-ip-name": expression(address.globalAddressName),
        "ingress.gcp.kubernetes.io/pre-shared-cert": expression(oneAttribute(certificate, "name")),
      },
    },
    spec: {
      defaultBackend: {
        service: {
          name: expression(oneAttribute(service, "metadata[0].name")),
          port: { number: 80 },
        },
      },
    },
    waitForLoadBalancer: true,
    timeouts: { create: LOAD_BALANCER_TIMEOUT, delete: LOAD_BALANCER_TIMEOUT },
    count,
    // Its health check is derived from the readiness probe of existing pods.
    dependsOn: [...workload.ready, ...outlivedBy],
  });
}
