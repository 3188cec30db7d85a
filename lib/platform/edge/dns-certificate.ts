import { CertificateManagerCertificate } from "@cdktf/provider-google/lib/certificate-manager-certificate";
import { CertificateManagerCertificateMap } from "@cdktf/provider-google/lib/certificate-manager-certificate-map";
import { CertificateManagerCertificateMapEntry } from "@cdktf/provider-google/lib/certificate-manager-certificate-map-entry";
import { CertificateManagerDnsAuthorization } from "@cdktf/provider-google/lib/certificate-manager-dns-authorization";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { allOf, countIf, isSet, isWord, oneAttribute } from "../../core/conditional";
import { expression } from "../../core/expression";
import { certificateName, networkName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";

interface DnsCertificateProps extends PartProps {
  /** One that is null at plan means none. */
  readonly domain: string;
  /** Nothing is created unless this is `dns`, which may be known only at plan. */
  readonly validation: string;
}

/**
 * A Google-managed certificate that becomes valid by a DNS record, before the domain points to the load balancer, and
 * the map by which a load balancer finds it.
 *
 * A change of the domain creates the new certificate before it deletes the old one; the map stays.
 */
export class DnsCertificate extends Construct {
  /** Id of the map, as a Terraform expression; null if there is none. */
  readonly mapId: string;

  /** How a proxy refers to the map, as a Terraform expression; null if there is none. */
  readonly mapUrl: string;

  /** The records that validate the domain, as a Terraform expression: a list of objects with name, type and data. */
  readonly records: string;

  /** What must exist before a load balancer can use the map. */
  readonly ready: ITerraformDependable[];

  /** The certificate itself, for overrides. */
  readonly certificate: CertificateManagerCertificate;

  /** The authorization whose record validates the domain. */
  readonly authorization: CertificateManagerDnsAuthorization;

  /** The map by which a load balancer finds it. */
  readonly map: CertificateManagerCertificateMap;

  constructor(scope: Construct, id: string, props: DnsCertificateProps) {
    super(scope, id);
    const { domain, place, validation } = props;
    const { labels, projectId: project } = place;
    // All three are replaced when the domain changes, and the new ones come first.
    const name = certificateName(place.deployment, domain);
    const common = {
      project,
      name,
      labels,
      count: countIf(allOf(isSet(domain), isWord(validation, "dns"))),
      lifecycle: { createBeforeDestroy: true },
    };

    this.authorization = new CertificateManagerDnsAuthorization(this, "Authorization", {
      ...common,
      domain,
      // Its record is specific to this project, so that another project or authority can validate the same domain too.
      type: "PER_PROJECT_RECORD",
      dependsOn: props.dependsOn,
    });
    this.certificate = new CertificateManagerCertificate(this, MAIN_CHILD_ID, {
      ...common,
      managed: {
        domains: [domain],
        dnsAuthorizations: [expression(oneAttribute(this.authorization, "id"))],
      },
    });
    this.map = new CertificateManagerCertificateMap(this, "Map", {
      ...common,
      name: networkName(place.deployment, "certificates"),
      dependsOn: props.dependsOn,
    });
    const entry = new CertificateManagerCertificateMapEntry(this, "Entry", {
      ...common,
      map: expression(oneAttribute(this.map, "name")),
      hostname: domain,
      certificates: [expression(oneAttribute(this.certificate, "id"))],
    });

    this.mapId = oneAttribute(this.map, "id");
    this.mapUrl = `one([for id in ${this.map.fqn}[*].id : "${CERTIFICATE_MAPS}\${id}"])`;
    this.records = `flatten(${this.authorization.fqn}[*].dns_resource_record)`;
    this.ready = [this.map, entry];
  }
}

/** How a proxy refers to a certificate map. */
const CERTIFICATE_MAPS = "//certificatemanager.googleapis.com/";
