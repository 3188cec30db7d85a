import { type ReadContext } from "./resource-type";
import { isValueObject, membersOf, textAt, textsIn, type Value, valueAt, type ValueObject } from "./terraform-value";

/** Namespace of a namespaced object. */
export function namespaceOf(values: ValueObject): string {
  return textAt(values, "metadata.0.namespace") || "default";
}

/**
 * An object with the server's annotations that the provider shows: neither internal nor ignored ones, unless they are
 * configured.
 */
export function withServerAnnotations(
  values: ValueObject,
  server: Readonly<Record<string, string>>,
  { current, provider }: ReadContext,
): ValueObject {
  const asked = annotationsOf(values);
  const known = annotationsOf(current);
  const ignored = textsIn(membersOf(provider.ignore_annotations)).map((pattern) => new RegExp(pattern));
  const seen = Object.entries(server).filter(
    ([key]) => key in known || (!isInternal(key) && !ignored.some((pattern) => pattern.test(key))),
  );
  if (seen.every(([key]) => key in asked)) return values;
  const metadata = valueAt(values, "metadata.0") as ValueObject;
  return { ...values, metadata: [{ ...metadata, annotations: { ...Object.fromEntries(seen), ...asked } }] };
}

/** A configured annotation; empty if it is not there. Its name may contain dots, so it cannot be part of a path. */
export function annotationOf(values: Value, name: string): string {
  const value = annotationsOf(values)[name];
  return typeof value === "string" ? value : "";
}

/** Configured annotations. */
export function annotationsOf(values: Value): Readonly<Record<string, Value>> {
  const annotations = valueAt(values, "metadata.0.annotations");
  return isValueObject(annotations) ? annotations : {};
}

/** Keys of Kubernetes itself, which the provider hides unless they are configured: `kubernetes/structures.go`. */
function isInternal(key: string): boolean {
  const [host = ""] = key.split("/");
  return host.endsWith("kubernetes.io") && host !== "app.kubernetes.io" && host !== "service.beta.kubernetes.io";
}
