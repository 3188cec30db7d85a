import { ComputeBackendService } from "@cdktf/provider-google/lib/compute-backend-service";
import { ComputeGlobalForwardingRule } from "@cdktf/provider-google/lib/compute-global-forwarding-rule";
import { ComputeManagedSslCertificate } from "@cdktf/provider-google/lib/compute-managed-ssl-certificate";
import { ComputeRegionNetworkEndpointGroup } from "@cdktf/provider-google/lib/compute-region-network-endpoint-group";
import { ComputeTargetHttpsProxy } from "@cdktf/provider-google/lib/compute-target-https-proxy";
import { ComputeUrlMap } from "@cdktf/provider-google/lib/compute-url-map";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { attributeOf, attributesOf, idOf } from "../../core/expr/attributes";
import { allOf, type Condition, countIf, isSet, partIf, present } from "../../core/expr/conditions";
import { type Expr, exprOf } from "../../core/expr/expr";
import { hashedName, partName, serviceName } from "../../core/names";
import { strictTransportHeaders } from "../domain/domain";
import { type DomainAddress } from "../domain/domain-address";
import { type DnsCertificate } from "../domain/domain-setup";
import { httpsRedirect } from "../domain/https-redirect";
import { tlsPolicy } from "../domain/tls-policy";
import { type PartProps } from "../parts";
import { type Standby } from "../standby";
import { type ServerlessService } from "./serverless-service";

interface ServerlessLoadBalancerProps extends PartProps {
  /** Address and domain to which clients connect; must be the same as the address of the service. */
  readonly address: DomainAddress;
  /** Certificate; exists only with validation by DNS. */
  readonly certificate: DnsCertificate;
  /** Redirects port 80. */
  readonly httpRedirect: boolean | IResolvable;
  readonly requestLogSampleRate: number;
  /** Id of the security policy; null at plan for none. */
  readonly securityPolicyId: string;
  readonly service: ServerlessService;
  /** A second region. After a takeover, its service of the same name replaces the service of the first region. */
  readonly standby: Standby | undefined;
  readonly strictTransportSecurity: string;
  readonly validation: string;
}

/**
 * A global external Application Load Balancer in front of a Cloud Run service, with a redirect from port 80.
 *
 * Requests may last as long as the service's own limit; web sockets count as requests. Nothing waits for the
 * certificate: until it is valid, browsers refuse the domain.
 *
 * A replacement of the proxy is created before the old proxy is destroyed. Terraform then does the same with everything
 * to which the proxy refers. Replaced resources there therefore get a new name each time, and none of them refers to
 * the service, because its database could not exist twice.
 */
export class ServerlessLoadBalancer extends Construct {
  /** URL of the domain; meaningless if the domain is null at plan. */
  readonly url: string;
  readonly ready: ITerraformDependable[];

  /** The backend, with the security policy and the request log. */
  readonly backendService: ComputeBackendService;

  /** The proxy that terminates TLS, with the certificate. */
  readonly httpsProxy: ComputeTargetHttpsProxy;

  /** Port 443 of the address. */
  readonly forwardingRule: ComputeGlobalForwardingRule;

  /** The certificate, created only if the load balancer validates it. */
  readonly loadBalancerCertificate: ComputeManagedSslCertificate | undefined;

  private readonly hasDomain: Expr<boolean>;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServerlessLoadBalancerProps,
  ) {
    super(scope, id);
    const { address, context, dependsOn, httpRedirect, service } = props;
    const { addressId, domain, ipv6 } = address;
    this.hasDomain = isSet(domain);
    this.backendService = this.addBackend(this.addGroup());
    this.loadBalancerCertificate = this.addCertificate();
    this.httpsProxy = this.addProxy();
    this.forwardingRule = this.addForwardingRule();
    const alsoIpv6 = ipv6.forward("HttpsRule", 443, idOf(this.httpsProxy), SCHEME, { dependsOn: service.ready });
    const redirect = { condition: this.hasDomain, enabled: httpRedirect };
    const redirects = httpsRedirect(this, { ...redirect, addressId, dependsOn, ipv6, context, scheme: SCHEME });

    this.url = `https://${domain}`;
    this.ready = present(this.forwardingRule, alsoIpv6, ...redirects);
  }

  /** Arguments that all resources share. */
  private globalProps(part: string) {
    const { deployment, projectId: project } = this.props.context;
    return { project, name: partName(deployment, part), count: countIf(this.hasDomain) };
  }

  /** The service of the region in use, by the id of its group. */
  private addGroup(): Expr<string | null> {
    const { context, standby } = this.props;
    const home = attributeOf(this.addGroupIn("EndpointGroup", context.region, this.hasDomain), "id");
    if (standby === undefined) return home;
    const condition = allOf(this.hasDomain, standby.condition);
    const away = attributeOf(this.addGroupIn("StandbyGroup", standby.region.text, condition), "id");
    return standby.isPromoted.choose(away, home);
  }

  private addGroupIn(id: string, region: string, condition: Condition): ComputeRegionNetworkEndpointGroup {
    const { context, dependsOn } = this.props;
    const { deployment, projectId: project } = context;
    return new ComputeRegionNetworkEndpointGroup(this, id, {
      project,
      region,
      name: endpointGroupName({ deployment, region }),
      networkEndpointType: "SERVERLESS",
      // Given by name, because a reference would make Terraform create a second service before it destroys the first.
      cloudRun: { service: serviceName(deployment) },
      count: countIf(condition),
      dependsOn,
    });
  }

  /** Neither a timeout nor a port: a serverless backend refuses them and uses the service's timeout. */
  private addBackend(group: Expr<string | null>): ComputeBackendService {
    const { requestLogSampleRate, securityPolicyId, strictTransportSecurity } = this.props;
    return new ComputeBackendService(this, "Backend", {
      ...this.globalProps(BACKEND),
      loadBalancingScheme: SCHEME,
      protocol: "HTTPS",
      securityPolicy: securityPolicyId,
      // A single group, because the load balancer does not detect which of several groups is available.
      backend: [{ group: group.text }],
      customResponseHeaders: strictTransportHeaders(exprOf(strictTransportSecurity)).list,
      logConfig: logConfig(requestLogSampleRate),
    });
  }

  /** Whether the load balancer validates the certificate. */
  private get isValidatedHere(): Expr<boolean> {
    return exprOf(this.props.validation).eq("load-balancer");
  }

  private addCertificate(): ComputeManagedSslCertificate | undefined {
    const { address, context, dependsOn } = this.props;
    const condition = allOf(this.hasDomain, this.isValidatedHere);
    return partIf(
      condition,
      () =>
        new ComputeManagedSslCertificate(this, "Certificate", {
          project: context.projectId,
          name: hashedName(context.deployment, address.domain),
          managed: { domains: [address.domain] },
          dependsOn,
          count: countIf(condition),
        }),
    );
  }

  private addProxy(): ComputeTargetHttpsProxy {
    const { certificate, context, dependsOn, validation } = this.props;
    const backend = idOf(this.backendService);
    const urlMap = new ComputeUrlMap(this, "UrlMap", { ...this.globalProps(URL_MAP), defaultService: backend });
    const ownCertificateIds = this.loadBalancerCertificate && attributesOf(this.loadBalancerCertificate, "id");
    return new ComputeTargetHttpsProxy(this, "HttpsProxy", {
      // Another kind of certificate needs another proxy, because a proxy cannot change from certificates of its own to
      // a map.
      ...this.globalProps(validation),
      urlMap: idOf(urlMap),
      sslPolicy: idOf(tlsPolicy(this, { count: countIf(this.hasDomain), dependsOn, context })),
      certificateMap: certificate.map && certificate.mapUrl,
      sslCertificates: ownCertificateIds && this.isValidatedHere.choose(ownCertificateIds, null).list,
      lifecycle: { createBeforeDestroy: true },
      dependsOn: certificate.ready,
    });
  }

  private addForwardingRule(): ComputeGlobalForwardingRule {
    const { address, context, service } = this.props;
    return new ComputeGlobalForwardingRule(this, "HttpsRule", {
      ...this.globalProps("https"),
      labels: context.labels,
      loadBalancingScheme: SCHEME,
      ipAddress: address.addressId,
      ipProtocol: "TCP",
      portRange: "443",
      target: idOf(this.httpsProxy),
      // Ingress is allowed only after the service exists.
      dependsOn: service.ready,
    });
  }
}

/**
 * Disables the log for a rate of 0, because the provider does not send a 0 and the load balancer would log everything.
 */
export function logConfig(sampleRate: number) {
  const isOn = exprOf(sampleRate).gt(0);
  return { enable: isOn.flag, sampleRate: isOn.choose(sampleRate, null).number };
}

/** End of the backend service's name. */
const BACKEND = "backend";

/** Names by which a script finds the resources that route users to a region. */
export const backendServiceName = ({ deployment }: DeploymentContext): string => partName(deployment, BACKEND);
export const endpointGroupName = ({ deployment, region }: Pick<DeploymentContext, "deployment" | "region">): string =>
  hashedName(deployment, region);

/** End of the URL map's name. */
const URL_MAP = "https";

/** Name of the URL map, by which metrics and logs identify a load balancer. */
export function urlMapName({ deployment }: DeploymentContext): string {
  return partName(deployment, URL_MAP);
}

/** The managed scheme. Set because the default differs between releases of the provider. */
const SCHEME = "EXTERNAL_MANAGED";
