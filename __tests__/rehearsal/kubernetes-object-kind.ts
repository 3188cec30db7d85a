import { needObject } from "./cloud";
import { needCluster } from "./google-cluster-kinds";
import { computedMetadata, namespaceOf, objectId } from "./kubernetes-metadata";
import { type ResourceKind } from "./resource-kind";
import { type ValueObject } from "./terraform-value";

/** What is particular to one kind of object. */
export type Particulars = Partial<Omit<ResourceKind, "id" | "source">>;

const NAMES = ["metadata.0.name", "metadata.0.generate_name"];

/** An object of the cluster that is in no namespace. `source` is below `kubernetes/` of the provider's source. */
export function plainKind(source: string, particulars: Particulars): ResourceKind {
  return objectKind(source, false, particulars);
}

/** An object in a namespace. */
export function namespacedKind(source: string, particulars: Particulars): ResourceKind {
  const { needs, replacedBy = [] } = particulars;
  return objectKind(source, true, {
    ...particulars,
    replacedBy: ["metadata.0.namespace", ...replacedBy],
    needs: (values, cloud) => [
      needCluster(),
      needObject("kubernetes_namespace_v1", namespaceOf(values)),
      ...(needs?.(values, cloud) ?? []),
    ],
  });
}

let created = 0;

function objectKind(source: string, isNamespaced: boolean, particulars: Particulars): ResourceKind {
  const { computed, replacedBy = [] } = particulars;
  return {
    knownAtPlan: () => ({}),
    ...particulars,
    source,
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
}
