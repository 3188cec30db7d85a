import { ADDRESSES } from "../expr/addresses";
import { mapped } from "../mapped";
import { type Body } from "./hcl-body";

type Elements = Readonly<Record<string, Readonly<Record<string, Body>>>>;

/** Arguments with prose: a word that looks like an address may refer to nothing there. */
const TEXTS = ["description", "error_message"];

/**
 * A configuration without transitive entries in `depends_on` of resources: Terraform already waits for the dependencies
 * of each dependency, also when it destroys.
 *
 * Data sources and ephemeral values keep all entries, because a change of any listed dependency defers their reading.
 */
export function withoutTransitiveDependencies(configuration: Body): Body {
  const resources = (configuration.resource ?? {}) as Elements;
  const reached = reachableFrom(dependenciesIn(configuration));
  const shortened = (address: string, body: Body): Body => {
    const { depends_on: listed, ...others } = body as Body & { readonly depends_on?: readonly string[] };
    if (listed === undefined) return body;
    const named = new Set([...listed, ...referencedAddresses(body)].filter((each) => each !== address));
    const isTransitive = (dependency: string) =>
      [...named].some((other) => other !== dependency && reached(other).has(dependency));
    const needed = listed.filter((dependency) => !isTransitive(dependency));
    return needed.length > 0 ? { ...others, depends_on: needed } : others;
  };
  const resource = mapped(resources, (type, elements) =>
    mapped(elements, (name, body) => shortened(`${type}.${name}`, body)),
  );
  return { ...configuration, ...(configuration.resource !== undefined && { resource }) };
}

/** Direct dependencies of each resource, data source, ephemeral value and local of a configuration, by its address. */
function dependenciesIn({ data, ephemeral, locals, resource }: Body): ReadonlyMap<string, readonly string[]> {
  const ofKind = (prefix: string, elements: unknown) =>
    Object.entries((elements ?? {}) as Elements).flatMap(([type, named]) =>
      Object.entries(named).map(([name, body]) => {
        const { depends_on: listed = [] } = body as { readonly depends_on?: readonly string[] };
        return [`${prefix}${type}.${name}`, [...listed, ...referencedAddresses(body)]] as const;
      }),
    );
  return new Map([
    ...ofKind("", resource),
    ...ofKind("data.", data),
    ...ofKind("ephemeral.", ephemeral),
    ...Object.entries((locals ?? {}) as Body).map(
      ([name, value]) => [`local.${name}`, referencedAddresses(value)] as const,
    ),
  ]);
}

/** All direct and indirect dependencies of an address. */
function reachableFrom(dependencies: ReadonlyMap<string, readonly string[]>): (address: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  const reached = (address: string): ReadonlySet<string> => {
    const alreadyReached = known.get(address);
    if (alreadyReached !== undefined) return alreadyReached;
    const all = new Set<string>();
    known.set(address, all);
    for (const next of dependencies.get(address) ?? []) {
      all.add(next);
      for (const behind of reached(next)) all.add(behind);
    }
    return all;
  };
  return reached;
}

/** Addresses of the elements to which the templates in a value refer. */
function referencedAddresses(value: unknown): string[] {
  if (typeof value === "string") {
    const addresses = value.includes("${") ? (value.match(ADDRESSES) ?? []) : [];
    return addresses.map((address) => {
      const [kind = ""] = address.split(".");
      return address.split(".", kind === "data" || kind === "ephemeral" ? 3 : 2).join(".");
    });
  }
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).filter(([name]) => name !== "depends_on" && !TEXTS.includes(name));
  return inside.flatMap(([, each]) => referencedAddresses(each));
}
