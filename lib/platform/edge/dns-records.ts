import { DnsRecordSet } from "@cdktf/provider-google/lib/dns-record-set";
import { Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { allOf, countIf, isSet, isWord, listOf, valueOr } from "../../core/conditional";
import { expression, quoted } from "../../core/expression";
import { type DeploymentContext } from "../../core/place";
import { type DnsCertificate } from "./dns-certificate";
import { type DnsZone } from "./domain";

export interface DnsRecordsProps {
  /** Certificate of the domain; its record is created too, if it is validated by one. */
  readonly certificate: DnsCertificate;

  /** The domain; one that is null at plan means none. */
  readonly domain: string;

  /** IP address to which the domain points, as a Terraform expression. */
  readonly ipAddress: string;

  /** Determines the project of the zone, unless it names one. */
  readonly place: DeploymentContext;

  /** How the certificate is validated. */
  readonly validation: "dns" | "load-balancer" | (string & {});

  /**
   * Zone in which the records are created. A record of the same name and type is overwritten, and is not restored by a
   * destroy. Default: none; you create the records.
   */
  readonly zone?: DnsZone;

  /** What must exist first: `apis.ready("dns")`. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];
}

/** The DNS records of a domain: a list for whoever manages it, and the record sets of an existing zone. */
export class DnsRecords extends Construct {
  /** Name, type and value of each record; empty without a domain. */
  readonly list: string;

  /** The record sets; none without a zone. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: DnsRecordsProps) {
    super(scope, id);
    const { certificate, domain, ipAddress } = props;
    this.list = expression(
      `concat([for name in ${listOf(domain)} : { name = name, type = "A", value = ${ipAddress} }], ` +
        `[for record in ${certificate.records} : { name = trimsuffix(record.name, "."), type = record.type, value = record.data }])`,
    );
    this.ready = props.zone === undefined ? [] : this.recordSets(props, props.zone);
  }

  private recordSets({ certificate, domain, ...props }: DnsRecordsProps, zone: DnsZone): ITerraformDependable[] {
    const exists = allOf(isSet(domain), isSet(zone.name));
    const common = {
      managedZone: zone.name ?? "",
      project: projectOf(zone, props.place),
      ttl: TTL_SECONDS,
      dependsOn: props.dependsOn,
    };
    const record = `one(${certificate.records})`;
    return [
      new DnsRecordSet(this, "Address", {
        ...common,
        name: `${domain}.`,
        type: "A",
        rrdatas: [expression(props.ipAddress)],
        count: countIf(exists),
      }),
      new DnsRecordSet(this, "Validation", {
        ...common,
        name: expression(`${record}.name`),
        type: expression(`${record}.type`),
        rrdatas: [expression(`${record}.data`)],
        count: countIf(allOf(exists, isWord(props.validation, "dns"))),
      }),
    ];
  }
}

/** Short, so that a correction takes effect soon. */
const TTL_SECONDS = 300;

function projectOf({ project }: DnsZone, place: DeploymentContext): string {
  if (project === undefined) return place.projectId;
  return Token.isUnresolved(project) ? expression(valueOr(project, quoted(place.projectId))) : project;
}
