import { type Need } from "../cloud";
import { type ResourceTypes } from "../resource-type";
import { membersOf, textAt, textsIn, type ValueObject } from "../terraform-value";
import { googleType } from "./google-type";

const RECORD_SET = "google_dns_record_set";

const zoneOf = (values: ValueObject): string =>
  `projects/${textAt(values, "project")}/managedZones/${textAt(values, "managed_zone")}`;

/** The need for a zone from outside the configuration; the stacks make none. */
function needZone(values: ValueObject): Need {
  const zone = zoneOf(values);
  return { what: `the DNS zone ${zone}`, isMet: (cloud) => cloud.zones.has(zone) || cloud.externalResourcesExist };
}

/** Records in existing DNS zones. A record that is there already is overwritten, and gone after a destroy. */
export const DNS_TYPES: ResourceTypes = {
  google_dns_record_set: googleType({
    api: "dns",
    id: "projects/{{project}}/managedZones/{{managed_zone}}/rrsets/{{name}}/{{type}}",
    // Another type is one change of the zone, with a deletion and an addition.
    replacedBy: ["project", "managed_zone", "name"],
    source: "dns/resource_dns_record_set.go",
    problems: ({ name, rrdatas }) => [
      ...(typeof name === "string" && !name.endsWith(".") ? [`name must end with a dot: ${name}`] : []),
      ...(rrdatas === null ? ["one of rrdatas and routing_policy is required"] : []),
    ],
    invalid: (values) => {
      const data = textsIn(membersOf(values.rrdatas));
      if (textAt(values, "type") !== "CNAME") return data.length === 0 ? ["a record set has data"] : [];
      return data.length === 1 && data[0]?.endsWith(".") === true
        ? []
        : ["a CNAME has one name, with a dot at its end"];
    },
    needs: (values) => [needZone(values)],
    conflicts: (values, { id, cloud }) => {
      const name = textAt(values, "name");
      const served = cloud.zones.get(zoneOf(values));
      const isAlias = textAt(values, "type") === "CNAME";
      const beside = cloud
        .ofType(RECORD_SET)
        .filter((other) => other.id !== id && textAt(other.values, "name") === name)
        .filter(({ values: other }) => zoneOf(other) === zoneOf(values))
        .filter(({ values: other }) => isAlias || textAt(other, "type") === "CNAME");
      return [
        ...(served === undefined || name === served || name.endsWith(`.${served}`)
          ? []
          : [`${name} is not in the zone of ${served}`]),
        ...(isAlias && name === served ? [`${name} has the records of its zone, so it cannot be a CNAME`] : []),
        ...beside.map((other) => `a CNAME stands alone, and there is ${other.id}`),
      ];
    },
    afterCreate: ({ id, values }, cloud) => cloud.zoneRecords.set(id, textsIn(membersOf(values.rrdatas))),
    afterUpdate: ({ id, values }, cloud) => cloud.zoneRecords.set(id, textsIn(membersOf(values.rrdatas))),
    afterDestroy: ({ id }, cloud) => cloud.zoneRecords.delete(id),
  }),
};
