import { type Cloud, type CloudObject, type Need } from "./cloud";
import { type ConflictContext, type ResourceType } from "./resource-type";
import { membersOf, textAt, type ValueObject } from "./terraform-value";

const RULE = "google_compute_global_forwarding_rule";
const BACKEND_SERVICE = "google_compute_backend_service";

/** Scheme of a forwarding rule or a backend service; the default is that of provider release 7. */
const schemeOf = (values: ValueObject): string => textAt(values, "load_balancing_scheme") || "EXTERNAL";

/** The backend service that a rule leads to, through its proxy and its URL map; undefined if it leads to none. */
function backendOf(rule: ValueObject, cloud: Cloud): CloudObject | undefined {
  const found = (type: string, reference: string) => cloud.ofType(type).find(({ id }) => id === reference);
  const proxy =
    found("google_compute_target_https_proxy", textAt(rule, "target")) ??
    found("google_compute_target_http_proxy", textAt(rule, "target"));
  const urlMap = found("google_compute_url_map", textAt(proxy?.values, "url_map"));
  return found(BACKEND_SERVICE, textAt(urlMap?.values, "default_service"));
}

/** Rules and the backend services that they lead to must have one scheme, also after a change of either. */
export const schemeConflicts =
  (type: string): NonNullable<ResourceType["conflicts"]> =>
  (values, { id, cloud }) => {
    const rules = type === RULE ? [{ id, values }] : cloud.ofType(RULE);
    return rules.flatMap((rule) => {
      const backend = backendOf(rule.values, cloud);
      if (backend === undefined || (type === BACKEND_SERVICE && backend.id !== id)) return [];
      const scheme = schemeOf(type === BACKEND_SERVICE ? values : backend.values);
      if (scheme === schemeOf(rule.values)) return [];
      return [`the rule ${rule.id} is ${schemeOf(rule.values)} and its backend service ${backend.id} ${scheme}`];
    });
  };

/** The use of an address by a load balancer's rule. */
const useOf = (rule: ValueObject) => ({
  address: textAt(rule, "ip_address"),
  port: textAt(rule, "port_range").split("-")[0],
  scheme: schemeOf(rule),
});

/** A port of an address has one user, and all users of an address have one scheme. */
export function portConflicts(rule: ValueObject, { id, cloud }: ConflictContext): string[] {
  const own = useOf(rule);
  const others = cloud.ofType(RULE).filter((other) => other.id !== id);
  return others
    .map((other) => ({ user: other.id, ...useOf(other.values) }))
    .filter(({ address }) => address === own.address)
    .flatMap(({ user, port, scheme }) => [
      ...(port === own.port ? [`port ${port} of ${own.address} is taken by ${user}`] : []),
      ...(scheme === own.scheme ? [] : [`${own.address} is used as ${scheme} by ${user}`]),
    ]);
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
