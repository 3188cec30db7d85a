import { type ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { ComputeManagedSslCertificate } from "@cdktf/provider-google/lib/compute-managed-ssl-certificate";
import { type ComputeSslPolicy } from "@cdktf/provider-google/lib/compute-ssl-policy";
import { IngressV1 } from "@cdktf/provider-kubernetes/lib/ingress-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { ServiceV1 } from "@cdktf/provider-kubernetes/lib/service-v1";
import { Fn, type IResolvable, type ITerraformDependable, type TerraformCount, Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, idOf } from "../../core/expr/attributes";
import { addDynamicBlock } from "../../core/expr/blocks";
import { countIf, partIf, present } from "../../core/expr/conditions";
import { type Expr, exprOf } from "../../core/expr/expr";
import { explain } from "../../core/hcl/stack-origin";
import { hashedName, objectName, serviceName } from "../../core/names";
import { addRestLibraries, runsScript } from "../../core/project-apis";
import { addScript, hashOf } from "../../core/stack-file";
import { TerraformData } from "../../core/terraform-data";
import { CONTAINER_PORT, TLS_PORT } from "../../idp/contract";
import { type DomainSetup } from "../domain/domain-setup";
import { httpsRedirect } from "../domain/https-redirect";
import { tlsPolicy } from "../domain/tls-policy";
import { type PartProps } from "../parts";
import { ANYWHERE } from "./control-plane";
import { type KubernetesWorkload } from "./kubernetes-workload";
import { LOAD_BALANCER_RANGES } from "./pod-template";
import { type PublicAddress } from "./public-address";
import { type WorkloadNamespace } from "./workload-namespace";

interface ClusterLoadBalancerProps extends PartProps {
  /** Address to which clients connect; must be the same as the address of the workload. */
  readonly address: PublicAddress;
  readonly domainSetup: DomainSetup | undefined;
  readonly namespace: WorkloadNamespace;
  /** Redirects port 80. */
  readonly httpRedirect: boolean | IResolvable;
  readonly requestLogSampleRate: number;
  readonly requestTimeoutSeconds: number;
  readonly strictTransportSecurity: string;
  readonly workload: Pick<KubernetesWorkload, "podLabels" | "ready">;
}

/**
 * One address of the HTTPS load balancer. Each address has a separate Ingress, because an Ingress has only one address.
 */
interface IngressSpec {
  readonly address: ComputeGlobalAddress;
  readonly certificate: ComputeManagedSslCertificate;
  readonly count: TerraformCount | undefined;
  /** Suffix of the name. */
  readonly part?: string;
  readonly service: ServiceV1;
  /** Versions and ciphers of TLS. */
  readonly tls: ComputeSslPolicy;
}

/**
 * Ingress to a workload: a passthrough load balancer, or with a domain an HTTPS load balancer, its certificate, and a
 * redirect from port 80.
 *
 * Exactly one of the two load balancers exists. Their names differ, because Kubernetes cannot convert one kind of
 * object into the other.
 */
export class ClusterLoadBalancer extends Construct {
  readonly url: string;
  readonly ready: ITerraformDependable[];

  /** The passthrough load balancer, created only without a domain. */
  readonly loadBalancer: ServiceV1 | undefined;

  /** The HTTPS load balancer, created only with a domain. */
  readonly ingress: IngressV1 | undefined;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ClusterLoadBalancerProps,
  ) {
    super(scope, id);
    const { address, context } = props;
    const { hasDomain } = this;
    this.url = address.url;
    const policy = this.allowIngress();
    this.loadBalancer = partIf(hasDomain.not(), () => this.passthrough());
    if (address.global === undefined) {
      this.ready = present<ITerraformDependable>(policy, this.loadBalancer);
      return;
    }
    const tls = tlsPolicy(this, { count: countIf(hasDomain), context, dependsOn: address.ready });
    const backend = { ...this.backend(), tls };
    this.ingress = this.ingressAt(this, { ...backend, address: address.global });
    explain(this.ingress, "GKE makes an HTTPS load balancer of it, which opens port 443 at the static address.");
    const settings = [this.configure(this, this.ingress, { address: address.global, tls })];
    if (address.ipv6?.globalAddress !== undefined) {
      const { count, globalAddress } = address.ipv6;
      const ingress = this.ingressAt(address.ipv6, { ...backend, address: globalAddress, count, part: "ipv6" });
      // One Ingress after the other, because both share one backend service.
      const dependsOn = settings.slice();
      settings.push(this.configure(address.ipv6, ingress, { address: globalAddress, dependsOn, tls }));
    }
    // The Ingress leaves port 80 of its address free.
    const redirects = httpsRedirect(this, {
      addressId: idOf(address.global),
      condition: hasDomain,
      enabled: props.httpRedirect,
      ipv6: address.ipv6,
      context,
      // The scheme of the load balancers that the Ingress controller creates.
      scheme: "EXTERNAL",
      dependsOn: address.ready,
    });
    this.ready = present<ITerraformDependable>(policy, this.loadBalancer, ...settings, ...redirects);
  }

  private get hasDomain(): Expr<boolean> {
    return exprOf(this.props.address.domain ?? null).isSet();
  }

  /** Without a domain, connections come from the clients' own addresses; with one, only from the load balancer. */
  private allowIngress(): NetworkPolicyV1 {
    const { workload } = this.props;
    const policy = new NetworkPolicyV1(this, "AllowIngress", {
      metadata: this.metadataOf("ingress"),
      spec: { podSelector: { matchLabels: { ...workload.podLabels } }, policyTypes: ["Ingress"], ingress: [{}] },
    });
    const either = <T>(set: readonly T[], unset: readonly T[]) => Token.asString(this.hasDomain.choose(set, unset));
    addDynamicBlock(policy, "spec.ingress.0", "from", {
      forEach: either(LOAD_BALANCER_RANGES, [ANYWHERE]),
      content: { ip_block: { cidr: "${from.value}" } },
    });
    addDynamicBlock(policy, "spec.ingress.0", "ports", {
      forEach: either([CONTAINER_PORT], [CONTAINER_PORT, TLS_PORT.port]),
      content: { protocol: "TCP", port: "${ports.value}" },
    });
    return policy;
  }

  private passthrough(): ServiceV1 {
    const { address, dependsOn = [], namespace, workload } = this.props;
    return new ServiceV1(this, "LoadBalancer", {
      metadata: {
        ...this.metadataOf("load-balancer"),
        annotations: { ...NETWORK_ENDPOINT_GROUPS, "cloud.google.com/l4-rbs": "enabled" },
      },
      spec: {
        type: "LoadBalancer",
        loadBalancerIp: address.regionalAddress,
        // Preserves the clients' addresses, because the application logs them and uses them for limits.
        externalTrafficPolicy: "Local",
        selector: { ...workload.podLabels },
        port: [HTTP, { name: "https", protocol: "TCP", port: 443, targetPort: String(TLS_PORT.port) }],
      },
      waitForLoadBalancer: true,
      timeouts: { create: LOAD_BALANCER_TIMEOUT },
      count: countIf(this.hasDomain.not()),
      dependsOn: [...namespace.ready, ...dependsOn],
    });
  }

  /** The certificate of a domain, and the service behind its load balancers. */
  private backend(): Pick<IngressSpec, "certificate" | "count" | "service"> {
    const { address, dependsOn = [], namespace, context, workload } = this.props;
    const { deployment, projectId } = context;
    const { domain = "" } = address;
    const count = countIf(this.hasDomain);
    const certificate = new ComputeManagedSslCertificate(this, "Certificate", {
      project: projectId,
      // Another domain needs another certificate; the load balancer releases the old one once it has the new one.
      name: hashedName(deployment, domain),
      managed: { domains: [domain] },
      count,
      lifecycle: { createBeforeDestroy: true },
      // No other dependencies: Terraform would apply create_before_destroy to them as well.
      dependsOn: address.ready,
    });
    const service = new ServiceV1(this, "Backend", {
      metadata: { ...this.metadataOf(BACKEND), annotations: { ...NETWORK_ENDPOINT_GROUPS } },
      spec: { type: "ClusterIP", selector: { ...workload.podLabels }, port: [HTTP] },
      count,
      dependsOn: [...namespace.ready, ...dependsOn],
    });
    return { certificate, count, service };
  }

  private ingressAt(scope: Construct, spec: IngressSpec): IngressV1 {
    const { domainSetup, workload } = this.props;
    const { address, certificate, count, part, service, tls } = spec;
    return new IngressV1(scope, "Ingress", {
      metadata: {
        ...this.metadataOf(part),
        annotations: {
          "kubernetes.io/ingress.class": "gce",
          "kubernetes.io/ingress.allow-http": "false",
          "kubernetes.io/ingress.global-static-ip-name": attributeOf(address, "name").text,
          "ingress.gcp.kubernetes.io/pre-shared-cert": attributeOf(certificate, "name").text,
        },
      },
      spec: {
        defaultBackend: {
          service: { name: attributeOf(service, "metadata[0].name").text, port: { number: HTTP.port } },
        },
      },
      waitForLoadBalancer: true,
      timeouts: { create: LOAD_BALANCER_TIMEOUT, delete: LOAD_BALANCER_TIMEOUT },
      count,
      // Its health check is derived from the readiness probe of existing pods. Without a reference to the certificate
      // map and the policies, these would be destroyed before it.
      dependsOn: [
        ...workload.ready,
        tls,
        ...(domainSetup ? [...domainSetup.certificate.ready, ...domainSetup.securityPolicy.ready] : []),
      ],
    });
  }

  /**
   * A script sets the properties of the load balancer that an Ingress can express only with custom resources, which
   * cannot be planned before the cluster exists. The Ingress controller keeps them.
   *
   * The script runs again for a new Ingress, and when any of the properties changes.
   */
  private configure(
    scope: Construct,
    ingress: IngressV1,
    { address, dependsOn = [], tls }: Pick<IngressSpec, "address" | "tls"> & Pick<PartProps, "dependsOn">,
  ): TerraformData {
    const { domainSetup, namespace, context, strictTransportSecurity } = this.props;
    const libraries = addRestLibraries(this);
    const script = addScript(this, "lib/platform/kubernetes/scripts/configure-load-balancer.sh");
    const environment = {
      ADDRESS_NAME: attributeOf(address, "name").text,
      BACKEND: `${namespace.namespaceName}/${objectName(context.deployment, BACKEND)}`,
      // Empty rather than absent, so that the script does not inherit them from the environment in which Terraform
      // runs.
      CERTIFICATE_MAP: emptyIfNull(domainSetup?.certificate.mapId),
      OWNER: serviceName(context.deployment),
      PROJECT_ID: context.projectId,
      REQUEST_LOG_SAMPLE_RATE: exprOf(this.props.requestLogSampleRate).text,
      REQUEST_TIMEOUT_SECONDS: exprOf(this.props.requestTimeoutSeconds).text,
      SECURITY_POLICY: emptyIfNull(domainSetup?.securityPolicy.policyId),
      STRICT_TRANSPORT_SECURITY: strictTransportSecurity,
      TLS_POLICY: idOf(tls),
    };
    return new TerraformData(scope, "LoadBalancerSettings", {
      triggersReplace: {
        ...environment,
        ingress_uid: attributeOf(ingress, "metadata[0].uid").text,
        scripts: hashOf([...libraries, script]),
      },
      provisioners: runsScript(script, environment),
      count: ingress.count,
      dependsOn: [ingress, ...dependsOn],
    });
  }

  private metadataOf(part?: string) {
    const { namespace, context } = this.props;
    return namespace.metadataOf(objectName(context.deployment, part));
  }
}

const emptyIfNull = (value: string | undefined) => exprOf(value ?? null).ifNull("").text;

/** Suffix of the name of the service behind the Ingress. */
const BACKEND = "backend";

const HTTP = { name: "http", protocol: "TCP", port: 80, targetPort: String(CONTAINER_PORT) };

/** Set from the start: if the first annotation were added later, the annotation that GKE adds would be removed. */
const NETWORK_ENDPOINT_GROUPS = { "cloud.google.com/neg": '{"ingress":true}' };

/** Creating or deleting a load balancer takes minutes. */
const LOAD_BALANCER_TIMEOUT = "20m";

/**
 * Regular expression for the name of the URL map that GKE creates for the Ingress: its own prefix, the cluster, the
 * namespace, the Ingress and a hash. Namespace and Ingress are cut if they are longer than 36 characters together, but
 * with a name as short as this Ingress has, the first 18 characters of a namespace always remain.
 */
export function urlMapPattern(namespace: string): string {
  const shortNamespace = Token.isUnresolved(namespace) ? Fn.substr(namespace, 0, 18) : namespace.slice(0, 18);
  return `k8s2-um-[0-9a-z]+-${shortNamespace}.*`;
}
