import { type Cloud, type CloudObject, type Need } from "./cloud";
import { annotationsOf } from "./kubernetes-metadata";
import { type ConflictContext } from "./resource-type";
import { membersOf, textAt, type ValueObject } from "./terraform-value";

const RULE = "google_compute_global_forwarding_rule";
const ADDRESS = "google_compute_global_address";

/** One use of an address by a load balancer. */
interface AddressUse {
  readonly user: string;
  readonly address: string;
  readonly port: string;
}

function useOfRule(id: string, rule: ValueObject): AddressUse {
  const [port = ""] = textAt(rule, "port_range").split("-");
  return { user: id, address: textAt(rule, "ip_address"), port };
}

/** Uses by the load balancer that the cluster makes for an ingress. */
function usesOfIngress({ id, values }: CloudObject, cloud: Cloud): AddressUse[] {
  const annotations = annotationsOf(values);
  const name = annotations["kubernetes.io/ingress.global-static-ip-name"];
  const address = cloud.ofType(ADDRESS).find((candidate) => candidate.values.name === name)?.id ?? "";
  const ports = annotations["kubernetes.io/ingress.allow-http"] === "false" ? ["443"] : ["80", "443"];
  return ports.map((port) => ({ user: `the ingress ${id}`, address, port }));
}

/** A port of an address has one user. */
export function portConflicts(rule: ValueObject, { id, cloud }: ConflictContext): string[] {
  const own = useOfRule(id, rule);
  const rules = cloud.ofType(RULE).filter((other) => other.id !== id);
  const ingresses = cloud.ofType("kubernetes_ingress_v1");
  return [
    ...rules.map((other) => useOfRule(other.id, other.values)),
    ...ingresses.flatMap((ingress) => usesOfIngress(ingress, cloud)),
  ]
    .filter(({ address, port }) => address === own.address && port === own.port)
    .map(({ user, port }) => `port ${port} of ${own.address} is taken by ${user}`);
}

/** The need for an entry in the certificate map of a proxy: without one, it presents no certificate. */
export function needEntry(proxy: ValueObject): Need[] {
  const [, map] = /(projects\/.*)$/.exec(textAt(proxy, "certificate_map")) ?? [];
  if (map === undefined) return [];
  const start = `google_certificate_manager_certificate_map_entry ${map}/`;
  return [
    {
      what: `an entry of the certificate map ${map}`,
      isMet: (cloud) => [...cloud.objects.keys()].some((key) => key.startsWith(start)),
    },
  ];
}

/** The provider sets the certificates first and the map second, and the platform takes no empty list. */
export function certificateConflicts(proxy: ValueObject, { before }: ConflictContext): string[] {
  const hasCertificates = (values: ValueObject) => membersOf(values.ssl_certificates).length > 0;
  const isLeft = textAt(proxy, "certificate_map") === "" || (before !== null && hasCertificates(before));
  return !hasCertificates(proxy) && isLeft ? ["At least one SSL certificate must be specified for a target proxy"] : [];
}
