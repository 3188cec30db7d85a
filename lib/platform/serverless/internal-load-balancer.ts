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

import { attributeOf, attributesOf, idOf } from "../../core/expr/attributes";
import { addDynamicBlock } from "../../core/expr/blocks";
import { allOf, type Condition, countIf, isSet, partIf, present } from "../../core/expr/conditions";
import { type Expr, hcl } from "../../core/expr/expr";
import { compact, concat, element, flatten, split } from "../../core/expr/functions";
import { needs } from "../../core/inputs/needs";
import { type networkInputs } from "../../core/inputs/network-inputs";
import { type Relation } from "../../core/inputs/relations";
import { choice, text } from "../../core/inputs/rows";
import { type ValuesOf } from "../../core/inputs/value";
import { hashedName, partName, serviceName } from "../../core/names";
import { type ProjectApis } from "../../core/project-apis";
import { prose } from "../../core/prose";
import { domainSteps, entriesOf, validationRecord, zoneRecord } from "../domain/dns-records";
import { type DEFAULT_ADDRESS, type DnsZone, type DomainInputs } from "../domain/domain";
import { type ProtectionInputs } from "../domain/protection";
import { type MonitoringInputs } from "../monitoring/monitoring-settings";
import { type NetworkAttachment } from "../network/network-attachment";
import { type PartProps } from "../parts";
import { logConfig } from "./serverless-load-balancer";

const INTERNAL = "internal";

/** Inputs of a load balancer that is reachable only from the network. */
export const INTERNAL_LOAD_BALANCER = {
  /** `internal` for a load balancer that only clients in `network`, or connected to it, can reach; needs a network. */
  loadBalancer: choice(["external", INTERNAL], {
    default: "external",
    fix: "use external",
    description: prose`
      Whether clients reach the domain from the Internet, external,
      or only from network and what is connected to it, internal. Changing it later changes the address:
      nobody can sign in until the records and the certificate are valid.
    `,
  }),
  /**
   * Range of a subnetwork that is created for the proxies of an internal load balancer; none if `network` has such a
   * subnetwork in the region.
   */
  loadBalancerProxyRange: text({
    default: null,
    description: prose`
      IPv4 range for the proxies of an internal load balancer, /26 or larger, such as 10.129.0.0/26,
      for a subnetwork that is created in network[[; null if network has one for proxies in the region,
      of which there can be one]]. Changing it later replaces the load balancer's proxies.
    `,
  }),
};

type Inputs = typeof INTERNAL_LOAD_BALANCER &
  typeof DEFAULT_ADDRESS &
  DomainInputs &
  MonitoringInputs &
  ProtectionInputs &
  ReturnType<typeof networkInputs>;

/** Whether the load balancer is internal. */
export const isInternal = (v: ValuesOf<typeof INTERNAL_LOAD_BALANCER>) => (v.loadBalancer as Expr<string>).eq(INTERNAL);

export const INTERNAL_RELATIONS: readonly Relation<Inputs>[] = [
  needs("loadBalancer", {
    whenWord: INTERNAL,
    with: ["domain", "network", "closeDefaultAddress"],
    withWords: { certificateValidation: "dns" },
    without: ["protection", "existingSecurityPolicy", "domainOptions.ipv6", "uptimeCheck"],
    because: "only the network reaches an internal one, which nothing checks or protects from outside",
  }),
  needs("loadBalancerProxyRange", {
    withWords: { loadBalancer: INTERNAL },
    because: "an external one has no proxies in the network",
  }),
];

interface InternalLoadBalancerProps extends PartProps {
  readonly apis: ProjectApis;
  /** Domain to which clients connect; null at plan means no domain. */
  readonly domain: string;
  /** Redirects port 80. */
  readonly httpRedirect: boolean | IResolvable;
  readonly network: NetworkAttachment;
  readonly proxyRange: string | undefined;
  readonly requestLogSampleRate: number;
  readonly strictTransportSecurity: Expr<string>;
  readonly zone: DnsZone | undefined;
}

/** Targets of the ports; port 80 has no target without a redirect. */
interface Proxies {
  readonly https: TerraformResource;
  readonly http: TerraformResource | undefined;
}

/**
 * A regional internal Application Load Balancer in front of a Cloud Run service, with its certificate and records, and
 * a redirect from port 80.
 *
 * The certificate is validated by a public record, even if the domain is resolved only in the network.
 */
export class InternalLoadBalancer extends Construct {
  /** The address; a list that is empty if there is none. */
  readonly ipAddresses: string;

  /** Name, type and value of each record; a list that is empty without a domain. */
  readonly records: string;

  /** Steps until the domain works, as a list of sentences. */
  readonly nextSteps: string;
  readonly address: ComputeAddress;

  private readonly isRedirected: Condition;
  private readonly proxies: Proxies;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: InternalLoadBalancerProps,
  ) {
    super(scope, id);
    const { domain, context, httpRedirect, zone } = props;
    this.isRedirected = allOf(isSet(domain), httpRedirect);
    this.address = this.addAddress();
    const addresses = attributesOf(this.address, "address");
    this.ipAddresses = addresses.text;
    const proxySubnetwork = this.addProxySubnetwork();
    const { certificate, validations } = this.addCertificate();
    const addressRecords = hcl`[for address in ${addresses} : { name = ${domain}, type = "A", value = address }]`;
    this.records = concat(addressRecords, entriesOf(validations)).text;
    this.nextSteps = domainSteps({
      domain,
      context,
      validation: "dns",
      zone,
      certificate: `${this.certificateName} --location=${context.region}`,
    });
    const urlMap = this.addBackend();
    this.proxies = this.addProxies(urlMap, certificate, present(proxySubnetwork));
    this.addRecords(validations);
  }

  /** Arguments that all regional resources share. */
  private regionalProps(part: string) {
    const { context, domain } = this.props;
    const { deployment, projectId: project, region } = context;
    return { project, region, name: partName(deployment, `internal-${part}`), count: countIf(isSet(domain)) };
  }

  /** Dependencies of parts that refer to no other part. */
  private get dependsOn(): ITerraformDependable[] {
    const { dependsOn = [], network } = this.props;
    return [...dependsOn, ...(network.dependsOn ?? [])];
  }

  /** Name with a hash of the domain, because a new domain's certificate is created before the old one is deleted. */
  private get certificateName(): string {
    const { context, domain } = this.props;
    return `${hashedName(context.deployment, domain)}-internal`;
  }

  private addAddress(): ComputeAddress {
    const { context, network } = this.props;
    return new ComputeAddress(this, "Address", {
      ...this.regionalProps("address"),
      labels: context.labels,
      dependsOn: this.dependsOn,
      addressType: "INTERNAL",
      // Ports 443 and 80 belong to two rules.
      purpose: "SHARED_LOADBALANCER_VIP",
      subnetwork: network.subnetwork,
    });
  }

  /** A subnetwork for the proxies; undefined if the network already has one. */
  private addProxySubnetwork(): ComputeSubnetwork | undefined {
    const { domain, network, proxyRange } = this.props;
    const condition = allOf(isSet(domain), isSet(proxyRange));
    return partIf(
      condition,
      () =>
        new ComputeSubnetwork(this, "Proxies", {
          ...this.regionalProps("proxies"),
          project: element(split("/", network.network), 1).text,
          network: network.network,
          ipCidrRange: proxyRange ?? "",
          purpose: "REGIONAL_MANAGED_PROXY",
          role: "ACTIVE",
          count: countIf(condition),
          dependsOn: this.dependsOn,
        }),
    );
  }

  /** The certificate, and the DNS records that validate it. */
  private addCertificate() {
    const { apis, context, domain } = this.props;
    const common = {
      project: context.projectId,
      location: context.region,
      labels: context.labels,
      count: countIf(isSet(domain)),
      name: this.certificateName,
      lifecycle: { createBeforeDestroy: true },
    };
    const authorization = new CertificateManagerDnsAuthorization(this, "Authorization", {
      ...common,
      domain,
      dependsOn: [...apis.ready("certificatemanager"), ...this.dependsOn],
      // The only kind of certificate that can be regional.
      type: "PER_PROJECT_RECORD",
    });
    const certificate = new CertificateManagerCertificate(this, "Certificate", {
      ...common,
      managed: { domains: [domain], dnsAuthorizations: [idOf(authorization)] },
    });
    const validations = flatten(attributesOf<readonly object[]>(authorization, "dns_resource_record")).text;
    return { certificate, validations };
  }

  /** The service as a backend, and the map that sends all requests to it. */
  private addBackend(): ComputeRegionUrlMap {
    const { context, requestLogSampleRate, strictTransportSecurity } = this.props;
    const group = new ComputeRegionNetworkEndpointGroup(this, "EndpointGroup", {
      ...this.regionalProps("group"),
      dependsOn: this.dependsOn,
      networkEndpointType: "SERVERLESS",
      cloudRun: { service: serviceName(context.deployment) },
    });
    const backend = new ComputeRegionBackendService(this, "Backend", {
      ...this.regionalProps("backend"),
      loadBalancingScheme: SCHEME,
      protocol: "HTTPS",
      backend: [{ group: idOf(group), balancingMode: "UTILIZATION", capacityScaler: 1 }],
      logConfig: logConfig(requestLogSampleRate),
    });
    const urlMap = new ComputeRegionUrlMap(this, "UrlMap", {
      ...this.regionalProps("https"),
      defaultService: idOf(backend),
    });
    // The backend of a region cannot add headers.
    addDynamicBlock(urlMap, "", "header_action", {
      forEach: compact([strictTransportSecurity]).list,
      content: {
        response_headers_to_add: [
          { header_name: "Strict-Transport-Security", header_value: "${header_action.value}", replace: true },
        ],
      },
    });
    return urlMap;
  }

  /** @param subnetworks subnetworks of the proxies, because the load balancer cannot be created before them */
  private addProxies(
    urlMap: ComputeRegionUrlMap,
    certificate: CertificateManagerCertificate,
    subnetworks: ITerraformDependable[],
  ): Proxies {
    const tls = new ComputeRegionSslPolicy(this, "TlsPolicy", {
      ...this.regionalProps("tls"),
      dependsOn: this.dependsOn,
      profile: "MODERN",
      minTlsVersion: "TLS_1_2",
    });
    const https = new ComputeRegionTargetHttpsProxy(this, "HttpsProxy", {
      ...this.regionalProps("https"),
      urlMap: idOf(urlMap),
      sslPolicy: idOf(tls),
      certificateManagerCertificates: [idOf(certificate)],
      dependsOn: subnetworks,
    });
    return { https, http: partIf(this.isRedirected, () => this.addRedirect(subnetworks)) };
  }

  /** Sends requests to port 80 to the other port. */
  private addRedirect(subnetworks: ITerraformDependable[]): ComputeRegionTargetHttpProxy {
    const common = { ...this.regionalProps("redirect"), count: countIf(this.isRedirected) };
    const redirectResponseCode = "MOVED_PERMANENTLY_DEFAULT";
    const redirect = new ComputeRegionUrlMap(this, "Redirect", {
      ...common,
      dependsOn: this.dependsOn,
      defaultUrlRedirect: { httpsRedirect: true, redirectResponseCode, stripQuery: false },
    });
    return new ComputeRegionTargetHttpProxy(this, "HttpProxy", {
      ...common,
      urlMap: idOf(redirect),
      dependsOn: subnetworks,
    });
  }

  /** Records of the address and of the certificate, if there is a zone of Cloud DNS. */
  private addRecords(validations: string): void {
    const { apis, context, domain, zone } = this.props;
    if (zone === undefined) return;
    const condition = allOf(isSet(domain), isSet(zone.name));
    const records = { apis, context, zone };
    const rrdatas = [attributeOf(this.address, "address").text];
    zoneRecord(this, "AddressRecord", records, condition, { name: `${domain}.`, type: "A", rrdatas });
    validationRecord(this, "ValidationRecord", records, condition, validations);
  }

  /** Opens the ports, once the service exists. */
  openPorts(service: { readonly ready: ITerraformDependable[] }): { readonly ready: ITerraformDependable[] } {
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
        // Also allows clients in other regions of the network.
        allowGlobalAccess: true,
        network: network.network,
        subnetwork: network.subnetwork,
        ipAddress: idOf(this.address),
        ipProtocol: "TCP",
        portRange: String(port),
        dependsOn: [...service.ready, ...(network.dependsOn ?? [])],
      });
    const { https, http } = this.proxies;
    const httpsRule = open("HttpsRule", 443, https);
    return { ready: present(httpsRule, http && open("HttpRule", 80, http, this.isRedirected)) };
  }
}

const SCHEME = "INTERNAL_MANAGED";
