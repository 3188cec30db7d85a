import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { isSet, isWord, listOf } from "../../core/conditional";
import { expression, quoted } from "../../core/expression";
import { type ValuesOf } from "../../core/inputs";
import { certificateName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { type ProjectApis } from "../../core/project-apis";
import { DnsCertificate } from "./dns-certificate";
import { DnsRecords } from "./dns-records";
import { type DnsZone } from "./domain";
import { type ProtectionInputs } from "./protection";
import { SecurityPolicy } from "./security-policy";

export interface DomainSetupProps {
  /** APIs of the project: `compute`, `certificatemanager`, and `dns` with a zone. */
  readonly apis: ProjectApis;

  /** Domain that clients connect to; one that is null at plan means none. */
  readonly domain: string;

  /** IP address to which the domain points, as a Terraform expression. */
  readonly ipAddress: string;

  /** Determines the names and the project. */
  readonly place: DeploymentContext;

  /** How the certificate is validated: `dns` or `load-balancer`. */
  readonly validation: "dns" | "load-balancer" | (string & {});

  /** What must exist before the first of its resources, in addition to the APIs. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];

  /** Existing security policy instead of `protection`. Default: none. */
  readonly existingSecurityPolicy?: string;

  /** Rules of a security policy. */
  readonly protection: ValuesOf<ProtectionInputs>["protection"];

  /** Zone in which the records are created. Default: none; create those of `records.list` yourself. */
  readonly zone?: DnsZone;
}

/** What a domain needs on either platform: a certificate validated by DNS, records, and a security policy. */
export class DomainSetup extends Construct {
  /** Certificate of the domain. */
  readonly certificate: DnsCertificate;

  /** Records of the domain. */
  readonly records: DnsRecords;

  /** Security policy of the load balancer; without a protection or an existing policy, there is none. */
  readonly securityPolicy: SecurityPolicy;

  /** All of these resources, for whatever must be created after and destroyed before them. */
  readonly ready: ITerraformDependable[];

  /** What to do until the domain works, as a list of sentences with their commands; empty without a domain. */
  readonly nextSteps: string;

  constructor(scope: Construct, id: string, props: DomainSetupProps) {
    super(scope, id);
    const { apis, dependsOn = [], domain, ipAddress, place, validation, zone } = props;
    this.certificate = new DnsCertificate(this, "Certificate", {
      domain,
      place,
      validation,
      dependsOn: [...apis.ready("certificatemanager"), ...dependsOn],
    });
    this.records = new DnsRecords(this, "DnsRecords", {
      certificate: this.certificate,
      domain,
      ipAddress,
      place,
      validation,
      zone,
      dependsOn: zone && apis.ready("dns"),
    });
    this.securityPolicy = new SecurityPolicy(this, "SecurityPolicy", {
      domain,
      existing: props.existingSecurityPolicy,
      place,
      protection: props.protection,
      dependsOn: [...apis.ready("compute"), ...dependsOn],
    });
    this.ready = [...this.certificate.ready, ...this.records.ready, ...this.securityPolicy.ready];
    this.nextSteps = nextSteps(props);
  }
}

/** Sentences as one Terraform expression, because a domain may be known only at plan. */
function nextSteps({ domain, place, validation, zone }: DomainSetupProps): string {
  const name = certificateName(place.deployment, domain);
  const project = `--project=${place.projectId}`;
  const enter = quoted(`Create the records of dns_records where ${domain} is managed.`);
  const created = quoted(`The records of ${domain} are in the zone ${zone?.name}.`);
  const byDns = `Wait until this prints ACTIVE: gcloud certificate-manager certificates describe ${name} ${project} --format='value(managed.state)'`;
  const byLoadBalancer = `Minutes to an hour after the record is known, this prints ACTIVE: gcloud compute ssl-certificates describe ${name} --global ${project} --format='value(managed.status)'`;
  const steps = [
    zone === undefined ? enter : `(${isSet(zone.name)} ? ${created} : ${enter})`,
    `(${isWord(validation, "dns")} ? ${quoted(byDns)} : ${quoted(byLoadBalancer)})`,
    quoted(`Then open https://${domain}, and enter it in the applications that use another address.`),
  ];
  return expression(`flatten([for domain in ${listOf(domain)} : [${steps.join(", ")}]])`);
}
