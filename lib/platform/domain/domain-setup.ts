import { CertificateManagerCertificate } from "@cdktf/provider-google/lib/certificate-manager-certificate";
import { CertificateManagerCertificateMap } from "@cdktf/provider-google/lib/certificate-manager-certificate-map";
import { CertificateManagerCertificateMapEntry } from "@cdktf/provider-google/lib/certificate-manager-certificate-map-entry";
import { CertificateManagerDnsAuthorization } from "@cdktf/provider-google/lib/certificate-manager-dns-authorization";
import { type DnsRecordSet } from "@cdktf/provider-google/lib/dns-record-set";
import { type ITerraformDependable, Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, attributesOf, idOf } from "../../core/expr/attributes";
import { allOf, countIf, isNever, isSet, partIf, present } from "../../core/expr/conditions";
import { type Expr, exprOf, hcl, interpolated, literal } from "../../core/expr/expr";
import { compact, concat, each, flatten, one } from "../../core/expr/functions";
import { type ValuesOf } from "../../core/inputs/value";
import { hashedName, partName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ProjectApis } from "../../core/project-apis";
import { type PartProps } from "../parts";
import { domainSteps, entriesOf, validationRecord, zoneRecord } from "./dns-records";
import { type DnsZone } from "./domain";
import { type DomainAddress } from "./domain-address";
import { type ProtectionInputs } from "./protection";
import { SecurityPolicy } from "./security-policy";

interface CertificateProps extends PartProps {
  /** Domain to which clients connect; null at plan means no domain. */
  readonly domain: string;
  /** Validation of the certificate: by `dns` or by the `load-balancer`. */
  readonly validation: string;
}

/** Addresses to which a domain points. */
export type DomainSetupAddress = Pick<DomainAddress, "ipAddress" | "ipv6">;

interface DomainSetupProps extends CertificateProps {
  readonly apis: ProjectApis;
  readonly address: DomainSetupAddress;
  readonly existingSecurityPolicy?: string;
  readonly protection: ValuesOf<ProtectionInputs>["protection"];
  /** Zone in which the records are created; without a zone, create the records in `records.list` yourself. */
  readonly zone?: DnsZone;
}

/** Parts of a domain on both platforms: a certificate that is validated by DNS, records, and a security policy. */
export class DomainSetup extends Construct {
  readonly certificate: DnsCertificate;

  /** Name, type and value of each record, as a list that is empty without a domain; and the record sets of a zone. */
  readonly records: { readonly list: string; readonly ready: ITerraformDependable[] };

  /** Security policy of the load balancer; empty without a protection and an existing policy. */
  readonly securityPolicy: SecurityPolicy;

  /** All of these resources, as dependencies of parts that must be created after and destroyed before them. */
  readonly ready: ITerraformDependable[];

  /** Steps until the domain works, as a list of sentences with commands; empty without a domain. */
  readonly nextSteps: string;

  /** @internal */
  constructor(scope: Construct, id: string, props: DomainSetupProps) {
    super(scope, id);
    const { address, apis, dependsOn = [], domain, context, validation } = props;
    const { ipv6 } = address;
    this.certificate = new DnsCertificate(this, "Certificate", {
      domain,
      context,
      validation,
      dependsOn: [...apis.ready("certificatemanager"), ...dependsOn],
    });
    this.records = {
      list: concat(
        hcl`[for name in ${compact([domain])} : { name = name, type = "A", value = ${address.ipAddress} }]`,
        hcl`[for address in ${ipv6.ipAddresses} : { name = ${domain}, type = "AAAA", value = address }]`,
        entriesOf(this.certificate.records),
      ).text,
      ready: this.recordSets(props),
    };
    this.securityPolicy = new SecurityPolicy(this, "SecurityPolicy", {
      domain,
      context,
      existing: props.existingSecurityPolicy,
      protection: props.protection,
      dependsOn: [...apis.ready("compute"), ...dependsOn],
    });
    this.ready = [...this.certificate.ready, ...this.records.ready, ...this.securityPolicy.ready];
    this.nextSteps = domainSteps(props);
  }

  private recordSets({ address, apis, domain, context, validation, zone }: DomainSetupProps): DnsRecordSet[] {
    if (zone === undefined) return [];
    const scope = new Construct(this, "DnsRecords");
    const { ipAddress, ipv6 } = address;
    const common = { apis, context, zone };
    const exists = allOf(isSet(domain), isSet(zone.name));
    const isByDns = allOf(exists, exprOf(validation).eq("dns"));
    const a = { name: `${domain}.`, type: "A", rrdatas: [ipAddress] };
    const aaaa = { ...a, type: "AAAA", rrdatas: Token.asList(hcl`${ipv6.ipAddresses}`) };
    return present(
      zoneRecord(scope, "Address", common, exists, a),
      zoneRecord(ipv6, "Record", common, allOf(exists, ipv6.condition), aaaa),
      partIf(isByDns, () => validationRecord(scope, "Validation", common, isByDns, this.certificate.records)),
    );
  }
}

/**
 * A Google-managed certificate that becomes valid by a DNS record, before the domain points to the load balancer, and
 * the certificate map for the load balancer. Nothing is created for another kind of validation.
 *
 * A change of the domain creates the new certificate before it deletes the old one; the map stays.
 */
export class DnsCertificate extends Construct {
  /** Id of the map; null if there is none. */
  readonly mapId: string;

  /** Reference of a proxy to the map; null if there is no map. */
  readonly mapUrl: string;

  /** The records that validate the domain; a list of objects with name, type and data. */
  readonly records: string;
  readonly ready: ITerraformDependable[];

  /** Undefined for another kind of validation, like the two below. */
  readonly certificate: CertificateManagerCertificate | undefined;
  readonly authorization: CertificateManagerDnsAuthorization | undefined;
  readonly map: CertificateManagerCertificateMap | undefined;

  /** @internal */
  constructor(scope: Construct, id: string, { dependsOn, domain, context, validation }: CertificateProps) {
    super(scope, id);
    const isByDns = allOf(isSet(domain), exprOf(validation).eq("dns"));
    if (isNever(isByDns)) {
      this.mapId = this.mapUrl = literal(null).text;
      this.records = literal([]).text;
      this.ready = [];
      return;
    }
    // A change of the domain replaces everything but the map; replacements are created first.
    const common = {
      project: context.projectId,
      name: hashedName(context.deployment, domain),
      labels: context.labels,
      count: countIf(isByDns),
      lifecycle: { createBeforeDestroy: true },
    };

    this.authorization = new CertificateManagerDnsAuthorization(this, "Authorization", {
      ...common,
      domain,
      dependsOn,
      // The validation record is specific to this project, so that another project or authority can validate the same
      // domain too.
      type: "PER_PROJECT_RECORD",
    });
    this.certificate = new CertificateManagerCertificate(this, MAIN_CHILD_ID, {
      ...common,
      managed: { domains: [domain], dnsAuthorizations: [idOf(this.authorization)] },
    });
    this.map = new CertificateManagerCertificateMap(this, "Map", {
      ...common,
      dependsOn,
      name: partName(context.deployment, "certificates"),
    });
    const entry = new CertificateManagerCertificateMapEntry(this, "Entry", {
      ...common,
      map: attributeOf(this.map, "name").text,
      hostname: domain,
      certificates: [idOf(this.certificate)],
    });

    this.mapId = idOf(this.map);
    const urlOf = (mapId: Expr<string>) => interpolated`//certificatemanager.googleapis.com/${mapId}`;
    this.mapUrl = one(each(attributesOf(this.map, "id"), urlOf, undefined, "id")).text;
    this.records = flatten(attributesOf<readonly object[]>(this.authorization, "dns_resource_record")).text;
    this.ready = [this.map, entry];
  }
}
