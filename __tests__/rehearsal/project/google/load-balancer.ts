import { type Cloud, type CloudObject, type Need } from "../cloud";
import { annotationsOf } from "../kubernetes/metadata";
import { needObject } from "../needs";
import { type ConflictContext, type ResourceTypes } from "../resource-type";
import { isValueObject, membersOf, textAt, textsIn, type Value, valueAt, type ValueObject } from "../terraform-value";
import { computeType, nameProblems } from "./google-type";
import { computeId } from "./references";

const ADDRESS = "google_compute_global_address";
const BACKEND_SERVICE = "google_compute_backend_service";
const ENDPOINT_GROUP = "google_compute_region_network_endpoint_group";
const HTTP_PROXY = "google_compute_target_http_proxy";
const HTTPS_PROXY = "google_compute_target_https_proxy";
const RULE = "google_compute_global_forwarding_rule";
const SECURITY_POLICY = "google_compute_security_policy";
const SSL_POLICY = "google_compute_ssl_policy";
const URL_MAP = "google_compute_url_map";

/** Where resources of a type are in a project. */
const PLACES = {
  [ADDRESS]: "global/addresses",
  [BACKEND_SERVICE]: "global/backendServices",
  [HTTP_PROXY]: "global/targetHttpProxies",
  [HTTPS_PROXY]: "global/targetHttpsProxies",
  google_compute_managed_ssl_certificate: "global/sslCertificates",
  [SECURITY_POLICY]: "global/securityPolicies",
  [SSL_POLICY]: "global/sslPolicies",
  [URL_MAP]: "global/urlMaps",
} as const;

type Referenced = keyof typeof PLACES;

/** What the platform gives a backend service of serverless groups, and takes no other value for. */
const SERVERLESS_TIMEOUT_SECONDS = 30;
const SERVERLESS_PORT_NAME = "http";

const MOST_CERTIFICATES_OF_PROXY = 15;

const MAP_PREFIX = "//certificatemanager.googleapis.com/";
const CERTIFICATE_MAP = "google_certificate_manager_certificate_map";
const CERTIFICATE_MAP_ENTRY = "google_certificate_manager_certificate_map_entry";

/** Identities of what an argument refers to; none if it is not given. */
function idsOf(type: Referenced, values: ValueObject, references: Value): string[] {
  const given = typeof references === "string" ? [references] : textsIn(membersOf(references));
  return given
    .filter((reference) => reference !== "")
    .map((reference) => computeId(reference, textAt(values, "project"), PLACES[type]));
}

function needReferenced(type: Referenced, values: ValueObject, references: Value): Need[] {
  return idsOf(type, values, references).map((id) => needObject(type, id));
}

/** Identities of the backend services of a URL map. */
function servicesOf(urlMap: ValueObject): string[] {
  const matchers = membersOf(urlMap.path_matcher);
  const references = [
    urlMap.default_service ?? null,
    ...matchers.map((matcher) => valueAt(matcher, "default_service")),
    ...matchers.flatMap((matcher) => membersOf(valueAt(matcher, "path_rule")).map((rule) => valueAt(rule, "service"))),
  ];
  return idsOf(BACKEND_SERVICE, urlMap, references);
}

/** Scheme of a forwarding rule or a backend service; the default is that of provider release 7. */
const schemeOf = (values: ValueObject): string => textAt(values, "load_balancing_scheme") || "EXTERNAL";

/** Rules and the backend services that they lead to must have one scheme, also after this change. */
function schemeConflicts(type: string, values: ValueObject, { id, cloud }: ConflictContext): string[] {
  const find = (wantedType: string, wanted: string): ValueObject | undefined =>
    wantedType === type && wanted === id ? values : cloud.find(wantedType, wanted)?.values;
  const rules = new Map(cloud.ofType(RULE).map((rule) => [rule.id, rule.values]));
  if (type === RULE) rules.set(id, values);
  return [...rules].flatMap(([ruleId, rule]) => {
    const target = textAt(rule, "target");
    const proxy = [HTTPS_PROXY, HTTP_PROXY]
      .map((kind) => find(kind, idsOf(kind as Referenced, rule, target)[0] ?? ""))
      .find((found) => found !== undefined);
    const urlMap = proxy && find(URL_MAP, idsOf(URL_MAP, proxy, proxy.url_map ?? null)[0] ?? "");
    return (urlMap === undefined ? [] : servicesOf(urlMap)).flatMap((service) => {
      const found = find(BACKEND_SERVICE, service);
      return found === undefined || schemeOf(found) === schemeOf(rule)
        ? []
        : [`the rule ${ruleId} is ${schemeOf(rule)} and its backend service ${service} ${schemeOf(found)}`];
    });
  });
}

/** One use of an address by a load balancer. */
interface AddressUse {
  readonly user: string;
  readonly address: string;
  readonly port: string;
  readonly scheme: string;
}

/** Identity of the reserved address that a rule has, or the address itself if none is reserved. */
function addressOf(rule: ValueObject, cloud: Cloud): string {
  const given = textAt(rule, "ip_address");
  const reserved = cloud.ofType(ADDRESS).find(({ values }) => textAt(values, "address") === given);
  return reserved?.id ?? idsOf(ADDRESS, rule, given)[0] ?? "";
}

function useOfRule(id: string, rule: ValueObject, cloud: Cloud): AddressUse {
  const [port = ""] = textAt(rule, "port_range").split("-");
  return { user: id, address: addressOf(rule, cloud), port, scheme: schemeOf(rule) };
}

/** Uses by the load balancer that the cluster makes for an ingress, which is a classic one. */
function usesOfIngress({ id, values }: CloudObject, cloud: Cloud): AddressUse[] {
  const annotations = annotationsOf(values);
  const name = annotations["kubernetes.io/ingress.global-static-ip-name"];
  const address = cloud.ofType(ADDRESS).find((candidate) => textAt(candidate.values, "name") === name);
  if (address === undefined) return [];
  const ports = annotations["kubernetes.io/ingress.allow-http"] === "false" ? ["443"] : ["80", "443"];
  return ports.map((port) => ({ user: `the ingress ${id}`, address: address.id, port, scheme: "EXTERNAL" }));
}

function addressConflicts(rule: ValueObject, { id, cloud }: ConflictContext): string[] {
  const own = useOfRule(id, rule, cloud);
  const others = [
    ...cloud
      .ofType(RULE)
      .filter((other) => other.id !== id)
      .map((other) => useOfRule(other.id, other.values, cloud)),
    ...cloud.ofType("kubernetes_ingress_v1").flatMap((ingress) => usesOfIngress(ingress, cloud)),
  ];
  return others
    .filter(({ address }) => address !== "" && address === own.address)
    .flatMap(({ user, port, scheme }) => [
      ...(port === own.port ? [`port ${port} of ${own.address} is taken by ${user}`] : []),
      ...(scheme === own.scheme ? [] : [`${own.address} is used as ${scheme} by ${user}`]),
    ]);
}

/** The need for a reserved address; one given in figures may be any. */
function needAddress(rule: ValueObject): Need[] {
  const given = textAt(rule, "ip_address");
  if (!/^\d+(\.\d+){3}$/.test(given)) return needReferenced(ADDRESS, rule, given);
  return [
    {
      what: `a reserved address ${given}`,
      isMet: (cloud) =>
        cloud.externalResourcesExist || cloud.ofType(ADDRESS).some(({ values }) => textAt(values, "address") === given),
    },
  ];
}

function needTarget(rule: ValueObject): Need[] {
  const target = textAt(rule, "target");
  return needReferenced(target.includes("/targetHttpProxies/") ? HTTP_PROXY : HTTPS_PROXY, rule, target);
}

/**
 * The need for the service of a group in the region of the group. It may come later, as long as it comes: the platform
 * looks for it with each request.
 */
function needServedService(group: ValueObject): Need[] {
  const [project, region] = [textAt(group, "project"), textAt(group, "region")];
  const service = `projects/${project}/locations/${region}/services/${textAt(group, "cloud_run.0.service")}`;
  const type = "google_cloud_run_v2_service";
  const own = needObject(type, service);
  return textAt(group, "cloud_run.0.service") === ""
    ? []
    : [{ ...own, isMet: (cloud) => own.isMet(cloud) || cloud.makes(type, (id) => id === service) }];
}

const groupsOf = (values: ValueObject): string[] =>
  membersOf(values.backend).map((backend) => computeId(textAt(backend, "group"), textAt(values, "project"), ""));

/** What a backend service of serverless groups cannot have. */
function serverlessConflicts(values: ValueObject, cloud: Cloud): string[] {
  const groups = groupsOf(values).flatMap((id) => cloud.find(ENDPOINT_GROUP, id) ?? []);
  if (groups.length === 0) return [];
  const regions = groups.map((group) => textAt(group.values, "region"));
  return [
    ...(values.timeout_sec === SERVERLESS_TIMEOUT_SECONDS
      ? []
      : ["Timeout sec is not supported for a backend service with serverless network endpoint groups"]),
    ...(textAt(values, "port_name") === SERVERLESS_PORT_NAME
      ? []
      : ["Port name is not supported for a backend service with serverless network endpoint groups"]),
    ...(membersOf(values.health_checks).length === 0
      ? []
      : ["serverless network endpoint groups have no health check"]),
    ...(new Set(regions).size === regions.length ? [] : ["there is more than one group of a region"]),
  ];
}

const mapOf = (proxy: ValueObject): string => textAt(proxy, "certificate_map").replace(MAP_PREFIX, "");
const certificatesOf = (proxy: ValueObject): readonly Value[] => membersOf(proxy.ssl_certificates);

/** The need for a certificate map that presents a certificate: without an entry, visitors get none. */
function needMap(proxy: ValueObject): Need[] {
  const map = mapOf(proxy);
  if (map === "") return [];
  const own = needObject(CERTIFICATE_MAP, map);
  const hasEntry = (cloud: Cloud): boolean =>
    cloud.ofType(CERTIFICATE_MAP_ENTRY).some(({ id }) => id.startsWith(`${map}/certificateMapEntries/`));
  return [
    own,
    {
      what: `an entry of the certificate map ${map}`,
      isMet: (cloud) => hasEntry(cloud) || cloud.hasOthers(CERTIFICATE_MAP, map),
    },
  ];
}

/** The provider sets the certificates first and the map second, and the platform takes no empty list. */
function certificateConflicts(proxy: ValueObject, before: ValueObject | null): string[] {
  if (certificatesOf(proxy).length > 0) return [];
  if (mapOf(proxy) === "" || (before !== null && certificatesOf(before).length > 0)) {
    return ["At least one SSL certificate must be specified for setting SSL certificates in target proxy"];
  }
  return [];
}

/** Load balancers for the Internet and their parts. */
export const LOAD_BALANCER_TYPES: ResourceTypes = {
  google_compute_region_network_endpoint_group: computeType({
    path: "regions/{{region}}/networkEndpointGroups/{{name}}",
    replacedBy: [
      ...["project", "name", "region", "app_engine", "cloud_function", "cloud_run", "description", "network"],
      ...["network_endpoint_type", "psc_data", "psc_target_service", "subnetwork"],
    ],
    source: "resource_compute_region_network_endpoint_group.go",
    invalid: (values) => [
      ...nameProblems(values),
      ...(textAt(values, "cloud_run.0.service").includes("/") ? ["a service is given by its name"] : []),
    ],
    needs: needServedService,
  }),

  google_compute_backend_service: computeType({
    path: `${PLACES[BACKEND_SERVICE]}/{{name}}`,
    replacedBy: ["project", "name", "params"],
    source: "resource_compute_backend_service.go",
    invalid: nameProblems,
    computed: () => ({
      timeout_sec: SERVERLESS_TIMEOUT_SECONDS,
      port_name: SERVERLESS_PORT_NAME,
      protocol: "HTTP",
      session_affinity: "NONE",
      generated_id: 1,
    }),
    needs: (values) => [
      ...groupsOf(values)
        .filter((id) => id.includes("/regions/"))
        .map((id) => needObject(ENDPOINT_GROUP, id)),
      ...needReferenced(SECURITY_POLICY, values, values.security_policy ?? null),
    ],
    conflicts: (values, context) => [
      ...serverlessConflicts(values, context.cloud),
      ...schemeConflicts(BACKEND_SERVICE, values, context),
    ],
  }),

  google_compute_url_map: computeType({
    path: `${PLACES[URL_MAP]}/{{name}}`,
    replacedBy: ["project", "name"],
    source: "resource_compute_url_map.go",
    invalid: (values) => {
      const ways = [
        textAt(values, "default_service") !== "",
        membersOf(values.default_url_redirect).length > 0,
        membersOf(values.default_route_action).length > 0,
      ].filter((isGiven) => isGiven).length;
      return [
        ...nameProblems(values),
        ...(ways === 1 ? [] : ["a map leads to one default service, redirect or route action"]),
      ];
    },
    needs: (values) => servicesOf(values).map((id) => needObject(BACKEND_SERVICE, id)),
    conflicts: (values, context) => schemeConflicts(URL_MAP, values, context),
  }),

  google_compute_ssl_policy: computeType({
    path: `${PLACES[SSL_POLICY]}/{{name}}`,
    replacedBy: ["project", "name", "description"],
    source: "resource_compute_ssl_policy.go",
    invalid: nameProblems,
    problems: ({ profile, custom_features: features }) =>
      (profile === "CUSTOM") === membersOf(features).length > 0
        ? []
        : ["the profile CUSTOM has custom_features, and no other has"],
  }),

  google_compute_target_https_proxy: computeType({
    path: `${PLACES[HTTPS_PROXY]}/{{name}}`,
    replacedBy: ["project", "name", "description", "http_keep_alive_timeout_sec", "proxy_bind", "tls_early_data"],
    source: "resource_compute_target_https_proxy.go",
    invalid: (values) => [
      ...nameProblems(values),
      ...(textAt(values, "certificate_map") !== "" && !textAt(values, "certificate_map").startsWith(MAP_PREFIX)
        ? [`certificate_map begins with ${MAP_PREFIX}`]
        : []),
      ...(certificatesOf(values).length > MOST_CERTIFICATES_OF_PROXY
        ? [`a proxy has at most ${MOST_CERTIFICATES_OF_PROXY} certificates`]
        : []),
      ...(membersOf(values.certificate_manager_certificates).length > 0
        ? ["certificate_manager_certificates are for internal load balancers"]
        : []),
    ],
    needs: (values) => [
      ...needReferenced(URL_MAP, values, values.url_map ?? null),
      ...needReferenced("google_compute_managed_ssl_certificate", values, values.ssl_certificates ?? null),
      ...needReferenced(SSL_POLICY, values, values.ssl_policy ?? null),
      ...needMap(values),
    ],
    conflicts: (values, context) => [
      ...certificateConflicts(values, context.before),
      ...schemeConflicts(HTTPS_PROXY, values, context),
    ],
  }),

  google_compute_target_http_proxy: computeType({
    path: `${PLACES[HTTP_PROXY]}/{{name}}`,
    replacedBy: ["project", "name", "description", "http_keep_alive_timeout_sec", "proxy_bind"],
    source: "resource_compute_target_http_proxy.go",
    invalid: nameProblems,
    needs: (values) => needReferenced(URL_MAP, values, values.url_map ?? null),
    conflicts: (values, context) => schemeConflicts(HTTP_PROXY, values, context),
  }),

  google_compute_global_forwarding_rule: computeType({
    path: "global/forwardingRules/{{name}}",
    replacedBy: [
      ...["project", "name", "ip_address", "ip_protocol", "description", "ip_version", "metadata_filters", "network"],
      ...["network_tier", "no_automate_dns_zone", "port_range", "service_directory_registrations"],
      ...["source_ip_ranges", "subnetwork"],
    ],
    source: "resource_compute_global_forwarding_rule.go",
    invalid: nameProblems,
    // The provider adds no label of its own here.
    knownAtPlan: ({ labels }, { project }) => {
      const given = isValueObject(labels) ? labels : {};
      return { project, deletion_policy: "DELETE", effective_labels: given, terraform_labels: given };
    },
    computed: () => ({ ip_protocol: "TCP", network_tier: "PREMIUM" }),
    needs: (values) => [...needAddress(values), ...needTarget(values)],
    conflicts: (values, context) => [...addressConflicts(values, context), ...schemeConflicts(RULE, values, context)],
  }),
};
