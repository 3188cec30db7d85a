import { apiObject } from "../../../platform/kubernetes/objects/api-object";
import { schemaProblems } from "../../../platform/kubernetes/objects/api-schema";
import { needObject } from "../needs";
import { needCluster } from "../google/cluster";
import { computedMetadata, namespaceOf, objectId } from "./metadata";
import { type ResourceType, type ResourceTypes } from "../resource-type";
import { Unknown, type Value, type ValueObject } from "../terraform-value";

/** Particulars of one kind of object. */
export type Particulars = Partial<Omit<ResourceType, "id" | "source">>;

/** A kind by its type; the source is below `kubernetes/` of the provider's source. */

const NAMES = ["metadata.0.name", "metadata.0.generate_name"];

/** A cluster-scoped object. */
export function plainType(type: string, particulars: Particulars): ResourceTypes {
  return objectType(type, false, particulars);
}

/** A namespaced object. */
export function namespacedType(type: string, particulars: Particulars): ResourceTypes {
  const { needs, replacedBy = [] } = particulars;
  return objectType(type, true, {
    ...particulars,
    replacedBy: ["metadata.0.namespace", ...replacedBy],
    needs: (values, cloud) => [
      needCluster(),
      needObject("kubernetes_namespace_v1", namespaceOf(values)),
      ...(needs?.(values, cloud) ?? []),
    ],
  });
}

/** Defaults that the server sets; it leaves the others empty. */
const SERVER_DEFAULTS: ValueObject = {
  ...emptyAt("hostname", "ingress_class_name", "name", "node_name", "resource_version", "restart_policy"),
  ...emptyAt("service_account_name", "target_port", "uid"),
  completion_mode: "NonIndexed",
  external_traffic_policy: "Cluster",
  image_pull_policy: "IfNotPresent",
  internal_traffic_policy: "Cluster",
  ip_family_policy: "SingleStack",
  replicas: "1",
  scheduler_name: "default-scheduler",
  termination_message_policy: "File",
  timeout_seconds: 10_800,
};

function emptyAt(...names: string[]): ValueObject {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

let created = 0;

function objectType(type: string, isNamespaced: boolean, particulars: Particulars): ResourceTypes {
  const { computed, invalid, replacedBy = [] } = particulars;
  const kind: ResourceType = {
    knownAtPlan: () => ({}),
    defaults: SERVER_DEFAULTS,
    ...particulars,
    // The server validates everything that it is sent.
    invalid: (values) => [
      ...schemaProblems(apiObject(type, sent(values) as ValueObject)),
      ...(invalid?.(values) ?? []),
    ],
    source: `resource_${type}.go`,
    replacedBy: [...NAMES, ...replacedBy],
    id: (values) => {
      created += 1;
      return objectId(values, isNamespaced, created);
    },
    computed: (values: ValueObject, context) => ({
      metadata: [computedMetadata(context.id)],
      ...computed?.(values, context),
    }),
  };
  return { [type]: kind };
}

/** An argument as it is sent: without unknown and empty parts. */
function sent(value: Value): Value {
  if (value instanceof Unknown || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(sent);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !(member instanceof Unknown) && member !== "")
      .map(([name, member]) => [name, sent(member)]),
  );
}
