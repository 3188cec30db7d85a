import { DnsRecordSet, type DnsRecordSetConfig } from "@cdktf/provider-google/lib/dns-record-set";
import { type Construct } from "constructs";

import { allOf, type Condition, countIf, isSet, not, partIf } from "../../core/expr/conditions";
import { exprOf, hcl, interpolated } from "../../core/expr/expr";
import { compact } from "../../core/expr/functions";
import { hashedName } from "../../core/names";
import { type ProjectApis } from "../../core/project-apis";
import { prose } from "../../core/prose";
import { type PartProps } from "../parts";
import { type DnsZone } from "./domain";

interface ZoneRecordProps extends Pick<PartProps, "context"> {
  readonly apis: ProjectApis;
  readonly zone: DnsZone;
}

/**
 * A record in an existing zone of Cloud DNS. A former record of the same name and type is overwritten; a destroy does
 * not restore it.
 *
 * @param condition condition under which the record exists
 */
export function zoneRecord(
  scope: Construct,
  id: string,
  { apis, context, zone: { name: managedZone = "", project } }: ZoneRecordProps,
  condition: Condition,
  record: Pick<DnsRecordSetConfig, "name" | "rrdatas" | "type">,
): DnsRecordSet | undefined {
  return partIf(
    condition,
    () =>
      new DnsRecordSet(scope, id, {
        ...record,
        managedZone,
        project: exprOf(project ?? null).ifNull(context.projectId).text,
        // Short, so that a correction takes effect soon.
        ttl: 300,
        count: countIf(condition),
        dependsOn: apis.ready("dns"),
      }),
  );
}

/**
 * The record that validates a domain, from a list with one object of name, type and data. It is never created in a
 * private zone, because the certificate authority cannot read such a zone.
 */
export function validationRecord(
  scope: Construct,
  id: string,
  props: ZoneRecordProps,
  condition: Condition,
  records: string,
): DnsRecordSet | undefined {
  const record = hcl`one(${records})`;
  const isPublic = not(props.zone.private ?? false);
  return zoneRecord(scope, id, props, allOf(condition, isPublic), {
    name: record.member("name").text,
    type: record.member("type").text,
    rrdatas: [record.member("data").text],
  });
}

/** The entries of validation records in the output. */
export const entriesOf = (records: string) =>
  hcl`[for record in ${records} : { name = trimsuffix(record.name, "."), type = record.type, value = record.data }]`;

interface DomainStepsProps extends Pick<PartProps, "context"> {
  readonly domain: string;
  readonly validation: string;
  readonly zone?: DnsZone | undefined;
  /** Name of the certificate; by default, the name for an external load balancer. */
  readonly certificate?: string;
}

/**
 * Steps until a domain works, as a list of sentences. The list is empty without a domain; only a plan may know whether
 * there is one.
 */
export function domainSteps(props: DomainStepsProps): string {
  const { domain, context, validation, zone } = props;
  const name = props.certificate ?? hashedName(context.deployment, domain);
  const project = `--project=${context.projectId}`;
  const enter = interpolated`Create the records of dns_records where ${domain} is managed.`;
  const byDns = prose`
    Wait until this prints ACTIVE: gcloud certificate-manager certificates describe ${name} ${project}
    --format='value(managed.state)'
  `;
  const byLoadBalancer = prose`
    Minutes to an hour after the record is known, this prints ACTIVE:
    gcloud compute ssl-certificates describe ${name} --global ${project} --format='value(managed.status)'
  `;
  const steps = [
    zone === undefined
      ? enter
      : isSet(zone.name).choose(interpolated`The records of ${domain} are in the zone ${zone.name}.`, enter),
    exprOf(validation).eq("dns").choose(byDns, byLoadBalancer),
    interpolated`Then open https://${domain}, and enter it in the applications that use another address.`,
  ];
  return hcl`flatten([for domain in ${compact([domain])} : ${steps}])`.text;
}
