import { CertificateManagerCertificate } from "@cdktf/provider-google/lib/certificate-manager-certificate";
import { CertificateManagerDnsAuthorization } from "@cdktf/provider-google/lib/certificate-manager-dns-authorization";
import { ComputeAddress } from "@cdktf/provider-google/lib/compute-address";
import { ComputeForwardingRule } from "@cdktf/provider-google/lib/compute-forwarding-rule";
import { ComputeRegionBackendService } from "@cdktf/provider-google/lib/compute-region-backend-service";
import { ComputeRegionNetworkEndpointGroup } from "@cdktf/provider-google/lib/compute-region-network-endpoint-group";
import { ComputeRegionSslPolicy } from "@cdktf/provider-google/lib/compute-region-ssl-policy";
import { ComputeRegionTargetHttpProxy } from "@cdktf/provider-google/lib/compute-region-target-http-proxy";
import { ComputeRegionTargetHttpsProxy } from "@cdktf/provider-google/lib/compute-region-target-https-proxy";
import { ComputeRegionUrlMap } from "@cdktf/provider-google/lib/compute-region-url-map";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { type IResolvable, type ITerraformDependable, type TerraformResource } from "cdktf";
import { Construct } from "constructs";

import { compact, concat, element, flatten, split } from "../../core/expr-functions";
import {
  addDynamicBlock,
  allOf,
  attributeOf,
  attributesOf,
  countIf,
  idOf,
  isSet,
  partIf,
  present,
  type Condition,
} from "../../core/conditional";
import { hcl, type Expr } from "../../core/expr";
import { type networkInputs } from "../../core/network-inputs";
import { choice, text, type Relation, type ValuesOf } from "../../core/inputs";
import { hashedName, partName, serviceName } from "../../core/names";
import { needs } from "../../core/needs";
import { type ProjectApis } from "../../core/project-apis";
import { type DEFAULT_ADDRESS, type DnsZone, type DomainInputs } from "../domain/domain";
import { domainSteps, entriesOf, validationRecord, zoneRecord } from "../domain/dns-records";
import { type IPV6 } from "../domain/ipv6";
import { type ProtectionInputs } from "../domain/protection";
import { type MonitoringInputs } from "../monitoring/monitoring-settings";
import { type NetworkAttachment } from "../network/network-attachment";
import { type PartProps } from "../parts";
import { logConfig } from "./serverless-load-balancer";

const INTERNAL = "internal";

/** Inputs of a load balancer that only the network reaches. */
export const INTERNAL_LOAD_BALANCER = {
  /** `internal` for a load balancer that only clients in `network`, or connected to it, can reach; needs a network. */
  loadBalancer: choice(["external", INTERNAL], "; use external", {
    default: "external",
    description: [
      "Whether clients reach the domain from the Internet, external,",
      "or only from network and what is connected to it, internal. Changing it later changes the address:",
      "nobody can sign in until the records and the certificate are valid.",
    ].join(" "),
  }),
  /**
   * Range for the proxies of an internal load balancer, for a subnetwork that is created; none if `network` has one in
   * the region.
   */
  loadBalancerProxyRange: text({
    default: null,
    description: [
      "IPv4 range for the proxies of an internal load balancer, /26 or larger, such as 10.129.0.0/26,",
      "for a subnetwork that is created in network; null if network has one for proxies in the region,",
      "of which there can be one. Changing it later replaces the load balancer's proxies.",
    ].join(" "),
  }),
};

type Inputs = typeof INTERNAL_LOAD_BALANCER &
  typeof DEFAULT_ADDRESS &
  typeof IPV6 &
  DomainInputs &
  MonitoringInputs &
  ProtectionInputs &
  ReturnType<typeof networkInputs>;

/** Whether the load balancer is internal. */
export const isInternal = (v: ValuesOf<typeof INTERNAL_LOAD_BALANCER>) => (v.loadBalancer as Expr<string>).eq(INTERNAL);

export const INTERNAL_RELATIONS: readonly Relation<Inputs>[] = [
  needs("loadBalancer", {
    is: INTERNAL,
    with: ["domain", "network", "closeDefaultAddress"],
    where: { certificateValidation: "dns" },
    without: ["protection", "existingSecurityPolicy", "ipv6", "uptimeCheck"],
    because: "only the network reaches an internal one, which nothing checks or protects from outside",
  }),
  needs("loadBalancerProxyRange", {
    where: { loadBalancer: INTERNAL },
    because: "an external one has no proxies in the network",
  }),
];

interface InternalLoadBalancerProps extends PartProps {
  readonly apis: ProjectApis;
  /** Domain that clients connect to; one that is null at plan means none. */
  readonly domain: string;
  /** Redirects port 80. */
  readonly httpRedirect: boolean | IResolvable;
  readonly network: NetworkAttachment;
  readonly proxyRange: string | undefined;
  readonly requestLogSampleRate: number;
  readonly strictTransportSecurity: Expr<string>;
  readonly zone: DnsZone | undefined;
}

/**
 * A regional internal Application Load Balancer in front of a Cloud Run service, with its certificate and records, and
 * a redirect from port 80.
 *
 * The certificate is validated by a record that the Internet can read, also if the domain is known in the network
 * alone.
 */
export class InternalLoadBalancer extends Construct {
  /** The address; a list that is empty if there is none. */
  readonly ipAddresses: string;

  /** Name, type and value of each record; a list that is empty without a domain. */
  readonly records: string;

  /** What to do until the domain works; a list of sentences. */
  readonly nextSteps: string;
  readonly address: ComputeAddress;
  readonly ready: ITerraformDependable[] = [];

  private readonly isRedirected: Condition;
  private readonly proxies: { readonly https: TerraformResource; readonly http: TerraformResource | undefined };

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: InternalLoadBalancerProps,
  ) {
    super(scope, id);
    const { apis, domain, network, context, proxyRange, zone } = props;
    const dependsOn = [...(props.dependsOn ?? []), ...(network.dependsOn ?? [])];
    const { deployment, labels, projectId: project, region } = context;
    const count = countIf(isSet(domain));
    this.isRedirected = allOf(isSet(domain), props.httpRedirect);
    const common = (part: string) => ({ project, region, name: partName(deployment, `internal-${part}`), count });

    this.address = new ComputeAddress(this, "Address", {
      ...common("address"),
      labels,
      dependsOn,
      addressType: "INTERNAL",
      // Ports 443 and 80 belong to two rules.
      purpose: "SHARED_LOADBALANCER_VIP",
      subnetwork: network.subnetwork,
    });
    const addresses = attributesOf(this.address, "address");
    this.ipAddresses = addresses.text;
    const ownsProxies = allOf(isSet(domain), isSet(proxyRange));
    const proxySubnetwork = partIf(
      ownsProxies,
      () =>
        new ComputeSubnetwork(this, "Proxies", {
          ...common("proxies"),
          project: element(split("/", network.network), 1).text,
          network: network.network,
          ipCidrRange: proxyRange ?? "",
          purpose: "REGIONAL_MANAGED_PROXY",
          role: "ACTIVE",
          count: countIf(ownsProxies),
          dependsOn,
        }),
    );

    // Another domain needs another certificate, which comes before the former goes.
    const certified = {
      project,
      location: region,
      labels,
      count,
      name: `${hashedName(deployment, domain)}-internal`,
      lifecycle: { createBeforeDestroy: true },
    };
    const authorization = new CertificateManagerDnsAuthorization(this, "Authorization", {
      ...certified,
      domain,
      dependsOn: [...apis.ready("certificatemanager"), ...dependsOn],
      // The only kind of a regional certificate.
      type: "PER_PROJECT_RECORD",
    });
    const certificate = new CertificateManagerCertificate(this, "Certificate", {
      ...certified,
      managed: { domains: [domain], dnsAuthorizations: [idOf(authorization)] },
    });
    const validations = flatten(attributesOf<readonly object[]>(authorization, "dns_resource_record")).text;
    const addressRecords = hcl`[for address in ${addresses} : { name = ${domain}, type = "A", value = address }]`;
    this.records = concat(addressRecords, entriesOf(validations)).text;
    this.nextSteps = domainSteps({
      domain,
      context,
      validation: "dns",
      zone,
      certificate: `${hashedName(deployment, domain)}-internal --location=${region}`,
    });

    const group = new ComputeRegionNetworkEndpointGroup(this, "EndpointGroup", {
      ...common("group"),
      dependsOn,
      networkEndpointType: "SERVERLESS",
      cloudRun: { service: serviceName(deployment) },
    });
    const backend = new ComputeRegionBackendService(this, "Backend", {
      ...common("backend"),
      loadBalancingScheme: SCHEME,
      protocol: "HTTPS",
      backend: [{ group: idOf(group), balancingMode: "UTILIZATION", capacityScaler: 1 }],
      logConfig: logConfig(props.requestLogSampleRate),
    });
    const urlMap = new ComputeRegionUrlMap(this, "UrlMap", { ...common("https"), defaultService: idOf(backend) });
    // The backend of a region cannot add headers.
    addDynamicBlock(urlMap, "", "header_action", {
      forEach: compact([props.strictTransportSecurity]).list,
      content: {
        response_headers_to_add: [
          { header_name: "Strict-Transport-Security", header_value: "${header_action.value}", replace: true },
        ],
      },
    });
    const tls = new ComputeRegionSslPolicy(this, "TlsPolicy", {
      ...common("tls"),
      dependsOn,
      profile: "MODERN",
      minTlsVersion: "TLS_1_2",
    });
    const https = new ComputeRegionTargetHttpsProxy(this, "HttpsProxy", {
      ...common("https"),
      urlMap: idOf(urlMap),
      sslPolicy: idOf(tls),
      certificateManagerCertificates: [idOf(certificate)],
      // A load balancer of this kind cannot be made without a subnetwork for its proxies.
      dependsOn: present(proxySubnetwork),
    });
    const http = partIf(this.isRedirected, () => {
      const redirected = { ...common("redirect"), count: countIf(this.isRedirected) };
      const redirectResponseCode = "MOVED_PERMANENTLY_DEFAULT";
      const redirect = new ComputeRegionUrlMap(this, "Redirect", {
        ...redirected,
        dependsOn,
        defaultUrlRedirect: { httpsRedirect: true, redirectResponseCode, stripQuery: false },
      });
      return new ComputeRegionTargetHttpProxy(this, "HttpProxy", {
        ...redirected,
        urlMap: idOf(redirect),
        dependsOn: present(proxySubnetwork),
      });
    });
    this.proxies = { https, http };
    if (zone !== undefined) {
      const isIn = allOf(isSet(domain), isSet(zone.name));
      const records = { apis, context, zone };
      const rrdatas = [attributeOf(this.address, "address").text];
      zoneRecord(this, "AddressRecord", records, isIn, { name: `${domain}.`, type: "A", rrdatas });
      validationRecord(this, "ValidationRecord", records, isIn, validations);
    }
  }

  /** Opens the ports, once the service exists. */
  serve(service: { readonly ready: ITerraformDependable[] }): void {
    const { domain, network, context } = this.props;
    const { deployment, labels, projectId: project, region } = context;
    const open = (id: string, port: number, target: TerraformResource, condition: Condition = isSet(domain)) =>
      new ComputeForwardingRule(this, id, {
        project,
        region,
        labels,
        count: countIf(condition),
        target: idOf(target),
        name: partName(deployment, `internal-${port}`),
        loadBalancingScheme: SCHEME,
        // Clients in other regions of the network too.
        allowGlobalAccess: true,
        network: network.network,
        subnetwork: network.subnetwork,
        ipAddress: idOf(this.address),
        ipProtocol: "TCP",
        portRange: String(port),
        dependsOn: [...service.ready, ...(network.dependsOn ?? [])],
      });
    const { https, http } = this.proxies;
    this.ready.push(open("HttpsRule", 443, https));
    if (http !== undefined) this.ready.push(open("HttpRule", 80, http, this.isRedirected));
  }
}

const SCHEME = "INTERNAL_MANAGED";
