import { type Cloud } from "../cloud";
import { membersOf, textAt, type Value, valueAt, textsIn } from "../terraform-value";

/** A use of a secret or config map by a container. */
export interface KeyUse {
  readonly kind: "kubernetes_config_map_v1" | "kubernetes_secret_v1";
  readonly name: string;
  /** Undefined if all keys are read. */
  readonly key?: string;
  /** Whether the container starts without it. */
  readonly isOptional?: boolean;
}

const SOURCES = [
  { reference: "secret_key_ref", all: "secret_ref", kind: "kubernetes_secret_v1" },
  { reference: "config_map_key_ref", all: "config_map_ref", kind: "kubernetes_config_map_v1" },
] as const;

/** CSI driver that mounts buckets. */
const BUCKET_DRIVER = "gcsfuse.csi.storage.gke.io";

/** Part of the image name that identifies the database proxy. */
const PROXY_IMAGE = "cloud-sql-proxy";

/** All containers of a pod, including sidecars and init containers. */
export function containersOf(pod: Value): readonly Value[] {
  return [...membersOf(valueAt(pod, "init_container")), ...membersOf(valueAt(pod, "container"))];
}

/** All uses of secrets and config maps, in the environment or in volumes. */
export function keyUses(pod: Value): KeyUse[] {
  return [...containersOf(pod).flatMap(environmentUses), ...membersOf(valueAt(pod, "volume")).flatMap(volumeUses)];
}

function environmentUses(container: Value): KeyUse[] {
  const single = membersOf(valueAt(container, "env")).flatMap((entry) =>
    SOURCES.flatMap(({ reference, kind }): KeyUse[] => {
      const source = valueAt(entry, `value_from.0.${reference}.0`);
      if (source === null) return [];
      const isOptional = valueAt(source, "optional") === true;
      return [{ kind, name: textAt(source, "name"), key: textAt(source, "key"), isOptional }];
    }),
  );
  const whole = membersOf(valueAt(container, "env_from")).flatMap((entry) =>
    SOURCES.flatMap(({ all, kind }): KeyUse[] => {
      const source = valueAt(entry, `${all}.0`);
      return source === null ? [] : [{ kind, name: textAt(source, "name") }];
    }),
  );
  return [...single, ...whole];
}

function volumeUses(volume: Value): KeyUse[] {
  const sources = [
    { kind: "kubernetes_secret_v1", block: valueAt(volume, "secret.0"), name: "secret_name" },
    { kind: "kubernetes_config_map_v1", block: valueAt(volume, "config_map.0"), name: "name" },
  ] as const;
  return sources.flatMap(({ kind, block, name }): KeyUse[] => {
    if (block === null) return [];
    const items = membersOf(valueAt(block, "items"));
    const used = { kind, name: textAt(block, name) };
    return items.length === 0 ? [used] : items.map((item) => ({ ...used, key: textAt(item, "key") }));
  });
}

/** Mounted buckets. */
export function mountedBuckets(pod: Value): string[] {
  return membersOf(valueAt(pod, "volume"))
    .map((volume) => valueAt(volume, "csi.0"))
    .filter((source) => textAt(source, "driver") === BUCKET_DRIVER)
    .map((source) => textAt(source, "volume_attributes.bucketName"));
}

/** Names of the database instances to which a proxy sidecar connects. */
export function proxiedDatabases(pod: Value): string[] {
  return containersOf(pod)
    .filter((container) => textAt(container, "image").includes(PROXY_IMAGE))
    .flatMap((container) => textsIn(membersOf(valueAt(container, "args"))))
    .flatMap((argument) => /^[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+)$/.exec(argument)?.[1] ?? []);
}

/** Value of a key of a secret or config map; undefined if there is none. */
export function valueOfKey(cloud: Cloud, namespace: string, { kind, name, key = "" }: KeyUse): string | undefined {
  const object = cloud.find(kind, `${namespace}/${name}`);
  const data = valueAt(object?.values, "data");
  const stored = typeof data === "object" && data !== null && key in data ? (data as Record<string, Value>)[key] : null;
  return object?.writeOnly[`data_wo.${key}`] ?? (typeof stored === "string" ? stored : undefined);
}

/** Environment of the first container with all references resolved, as the process sees it. */
export function podEnvironment(cloud: Cloud, namespace: string, pod: Value): Record<string, string> {
  const [container = null] = membersOf(valueAt(pod, "container"));
  const entries = membersOf(valueAt(container, "env")).map((entry): [string, string] => {
    const [use] = environmentUses({ env: [entry] });
    const value = use === undefined ? expanded(textAt(entry, "value")) : (valueOfKey(cloud, namespace, use) ?? "");
    return [textAt(entry, "name"), value];
  });
  const whole = membersOf(valueAt(container, "env_from")).flatMap((entry) =>
    environmentUses({ env_from: [entry] }).flatMap(({ kind, name }) =>
      keysOf(cloud, `${namespace}/${name}`, kind).map((key): [string, string] => [
        textAt(entry, "prefix") + key,
        valueOfKey(cloud, namespace, { kind, name, key }) ?? "",
      ]),
    ),
  );
  return Object.fromEntries([...whole, ...entries]);
}

/** Expands a plain value as Kubernetes does: `$(NAME)` is a reference, and two dollars are one. */
function expanded(text: string): string {
  return text.replace(/\$\$|\$\(\w+\)/g, (match) => (match === "$$" ? "$" : ""));
}

function keysOf(cloud: Cloud, id: string, kind: KeyUse["kind"]): string[] {
  const object = cloud.find(kind, id);
  const written = Object.keys(object?.writeOnly ?? {}).map((entry) => entry.replace(/^\w+\./, ""));
  const data = valueAt(object?.values, "data");
  return [...new Set([...written, ...(typeof data === "object" && data !== null ? Object.keys(data) : [])])];
}
