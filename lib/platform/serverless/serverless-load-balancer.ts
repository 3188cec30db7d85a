import { ComputeBackendService } from "@cdktf/provider-google/lib/compute-backend-service";
import { ComputeGlobalForwardingRule } from "@cdktf/provider-google/lib/compute-global-forwarding-rule";
import { ComputeManagedSslCertificate } from "@cdktf/provider-google/lib/compute-managed-ssl-certificate";
import { ComputeRegionNetworkEndpointGroup } from "@cdktf/provider-google/lib/compute-region-network-endpoint-group";
import { ComputeTargetHttpsProxy } from "@cdktf/provider-google/lib/compute-target-https-proxy";
import { ComputeUrlMap } from "@cdktf/provider-google/lib/compute-url-map";
import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { exprOf } from "../../core/expr";
import {
  allOf,
  attributeOf,
  attributesOf,
  type Condition,
  countIf,
  idOf,
  partIf,
  present,
} from "../../core/conditional";
import { hashedName, partName, serviceName } from "../../core/names";
import { type DeploymentContext } from "../../core/deployment-context";
import { type DomainAddress } from "../domain/domain-address";
import { strictTransportHeaders } from "../domain/domain";
import { type DnsCertificate } from "../domain/domain-setup";
import { httpsRedirect } from "../domain/https-redirect";
import { tlsPolicy } from "../domain/tls-policy";
import { type PartProps } from "../parts";
import { type Standby } from "../standby";
import { type ServerlessService } from "./serverless-service";

interface ServerlessLoadBalancerProps extends PartProps {
  /** Address and domain that clients connect to; it must be the service's address too. */
  readonly address: DomainAddress;
  /** It exists only if it is validated by DNS. */
  readonly certificate: DnsCertificate;
  /** Redirects port 80. */
  readonly httpRedirect: boolean | IResolvable;
  readonly requestLogSampleRate: number;
  /** One that is null at plan means none. */
  readonly securityPolicyId: string;
  readonly service: ServerlessService;
  /** A second region, whose service of the same name takes the place of the first once it has taken over. */
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
 * The proxy is created before the one that it replaces is destroyed. Terraform does the same with everything that the
 * proxy refers to, so resources that are replaced there get a new name each time, and nothing there refers to the
 * service, whose database could not exist twice.
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

  /** The certificate that the load balancer validates, created only with that kind of validation. */
  readonly loadBalancerCertificate: ComputeManagedSslCertificate | undefined;

  /** @internal */
  constructor(scope: Construct, id: string, props: ServerlessLoadBalancerProps) {
    super(scope, id);
    const { address, certificate, dependsOn, context, service, standby, validation } = props;
    const { deployment, projectId: project } = context;
    const { addressId, domain, ipv6 } = address;
    const hasDomain = exprOf(domain).isSet();
    const count = countIf(hasDomain);
    const common = (part: string) => ({ project, name: partName(deployment, part), count });

    const groupIn = (groupId: string, of: Pick<DeploymentContext, "region">, condition: Condition) =>
      new ComputeRegionNetworkEndpointGroup(this, groupId, {
        project,
        region: of.region,
        name: endpointGroupName({ ...context, ...of }),
        networkEndpointType: "SERVERLESS",
        // By its name, because a reference would make Terraform create a second service before it destroys the first.
        cloudRun: { service: serviceName(deployment) },
        count: countIf(condition),
        dependsOn,
      });
    const home = attributeOf(groupIn("EndpointGroup", context, hasDomain), "id");
    const group =
      standby === undefined
        ? home
        : standby.isPromoted.choose(
            attributeOf(
              groupIn("StandbyGroup", { region: standby.region.text }, allOf(hasDomain, standby.condition)),
              "id",
            ),
            home,
          );
    // Neither a timeout nor a port: a serverless backend refuses them and uses the service's timeout.
    this.backendService = new ComputeBackendService(this, "Backend", {
      ...common(BACKEND),
      loadBalancingScheme: SCHEME,
      protocol: "HTTPS",
      securityPolicy: props.securityPolicyId,
      // One group alone: a load balancer does not find out which of them answers.
      backend: [{ group: group.text }],
      customResponseHeaders: strictTransportHeaders(exprOf(props.strictTransportSecurity)).list,
      logConfig: logConfig(props.requestLogSampleRate),
    });
    const isByLoadBalancer = exprOf(validation).eq("load-balancer");
    const isOwn = hasDomain.and(isByLoadBalancer);
    this.loadBalancerCertificate = partIf(isOwn, () => {
      const name = hashedName(deployment, domain);
      const count = countIf(isOwn);
      return new ComputeManagedSslCertificate(this, "Certificate", {
        project,
        name,
        managed: { domains: [domain] },
        dependsOn,
        count,
      });
    });
    const urlMap = new ComputeUrlMap(this, "UrlMap", { ...common(URL_MAP), defaultService: idOf(this.backendService) });
    const own = this.loadBalancerCertificate && attributesOf(this.loadBalancerCertificate, "id");
    this.httpsProxy = new ComputeTargetHttpsProxy(this, "HttpsProxy", {
      // Another kind of certificate needs another proxy, because a proxy cannot change from certificates of its own to
      // a map.
      ...common(validation),
      urlMap: idOf(urlMap),
      sslPolicy: idOf(tlsPolicy(this, { count, dependsOn, context })),
      certificateMap: certificate.map && certificate.mapUrl,
      sslCertificates: own && isByLoadBalancer.choose(own, null).list,
      lifecycle: { createBeforeDestroy: true },
      dependsOn: certificate.ready,
    });
    this.forwardingRule = new ComputeGlobalForwardingRule(this, "HttpsRule", {
      ...common("https"),
      labels: context.labels,
      loadBalancingScheme: SCHEME,
      ipAddress: addressId,
      ipProtocol: "TCP",
      portRange: "443",
      target: idOf(this.httpsProxy),
      // Ingress is allowed only after the service exists.
      dependsOn: service.ready,
    });
    const alsoIpv6 = ipv6.forward("HttpsRule", 443, idOf(this.httpsProxy), SCHEME, { dependsOn: service.ready });
    const redirect = { condition: hasDomain, enabled: props.httpRedirect };
    const redirects = httpsRedirect(this, { ...redirect, addressId, dependsOn, ipv6, context, scheme: SCHEME });

    this.url = `https://${domain}`;
    this.ready = present(this.forwardingRule, alsoIpv6, ...redirects);
  }
}

/** The provider does not send a rate of 0, and the load balancer would log everything. */
export function logConfig(sampleRate: number) {
  const isOn = exprOf(sampleRate).gt(0);
  return { enable: isOn.flag, sampleRate: isOn.choose(sampleRate, null).number };
}

/** End of the backend service's name. */
const BACKEND = "backend";

/** Names by which a script finds what sends users to a region. */
export const backendServiceName = ({ deployment }: DeploymentContext): string => partName(deployment, BACKEND);
export const endpointGroupName = ({ deployment, region }: Pick<DeploymentContext, "deployment" | "region">): string =>
  hashedName(deployment, region);

/** End of the URL map's name. */
const URL_MAP = "https";

/** Name of the URL map, by which metrics and logs identify a load balancer. */
export function urlMapName({ deployment }: DeploymentContext): string {
  return partName(deployment, URL_MAP);
}

/** The managed scheme; other releases of the provider have other defaults. */
const SCHEME = "EXTERNAL_MANAGED";
