import { type Cloud, type Need, Refusal } from "../cloud";
import { needObject } from "../needs";
import {
  certificatesOf,
  globalAddressOf,
  makeLoadBalancer,
  needAttached,
  needFreeAddress,
  removeLoadBalancer,
} from "./load-balancer";
import { annotationsOf, namespaceOf, withServerAnnotations } from "./metadata";
import { namespacedType } from "./object-type";
import { requireServers, selectedDeployments } from "./selection";
import { type ResourceTypes } from "../resource-type";
import { membersOf, sameValue, textAt, valueAt, type ValueObject } from "../terraform-value";

/** Annotation by which a passthrough load balancer refers to its addresses. */
const ADDRESS_NAMES = "networking.gke.io/load-balancer-ip-addresses";

/** Annotation that connects a service to its load balancers; GKE adds it if it is missing. */
const ENDPOINT_GROUPS = "cloud.google.com/neg";

const listOf = (text: string): string[] => text.split(",").filter((item) => item !== "");

function textOf(values: ValueObject, annotation: string): string {
  const value = annotationsOf(values)[annotation];
  return typeof value === "string" ? value : "";
}

const isLoadBalancer = (values: ValueObject): boolean => textAt(values, "spec.0.type") === "LoadBalancer";

/** The need for a resource that is known only by its name or another attribute. */
function needNamed(type: string, attribute: string, value: string): Need {
  return {
    what: `${type} with the ${attribute} ${value}`,
    isMet: (cloud) => cloud.ofType(type).some(({ values }) => textAt(values, attribute) === value),
  };
}

function addressNeeds(values: ValueObject): Need[] {
  const address = textAt(values, "spec.0.load_balancer_ip");
  return [
    ...(address === "" ? [] : [needNamed("google_compute_address", "address", address)]),
    ...listOf(textOf(values, ADDRESS_NAMES)).map((name) => needNamed("google_compute_address", "name", name)),
  ];
}

/** Address of a service: the reserved one, or any. */
function addressOf(values: ValueObject, cloud: Cloud): string {
  const given = textAt(values, "spec.0.load_balancer_ip");
  const [name = ""] = listOf(textOf(values, ADDRESS_NAMES));
  const reserved = cloud.ofType("google_compute_address").find((address) => textAt(address.values, "name") === name);
  return given || textAt(reserved?.values, "address") || "203.0.113.99";
}

const status = (ip: string, further: ValueObject): ValueObject => ({
  status: [{ load_balancer: [{ ingress: [{ hostname: "", ip, ...further }] }] }],
});

/** Backend services of an ingress. */
function backends(values: ValueObject): string[] {
  const rules = membersOf(valueAt(values, "spec.0.rule")).flatMap((rule) => membersOf(valueAt(rule, "http.0.path")));
  return [...rules.map((path) => valueAt(path, "backend.0")), valueAt(values, "spec.0.default_backend.0")]
    .map((backend) => textAt(backend, "service.0.name"))
    .filter((name) => name !== "");
}

/** The need for running pods that a service selects: an ingress derives its health check from their readiness probe. */
function needSelected(namespace: string, service: string): Need {
  return {
    what: `a deployment whose pods the service ${service} selects`,
    isMet: (cloud) => {
      const { values } = cloud.find("kubernetes_service_v1", `${namespace}/${service}`) ?? {};
      return selectedDeployments(cloud, namespace, valueAt(values, "spec.0.selector")).length > 0;
    },
  };
}

/** Services and ingresses. */
export const EXPOSURE_TYPES: ResourceTypes = {
  ...namespacedType("kubernetes_service_v1", {
    replacedBy: [
      "spec.0.cluster_ip",
      "spec.0.cluster_ips",
      "spec.0.load_balancer_class",
      "spec.0.health_check_node_port",
    ],
    needs: addressNeeds,
    computed: (values, { cloud }) => ({
      spec: [{ cluster_ip: "10.8.0.10", cluster_ips: ["10.8.0.10"], health_check_node_port: 0, ip_families: ["IPv4"] }],
      ...(isLoadBalancer(values)
        ? status(addressOf(values, cloud), { ip_mode: "VIP" })
        : { status: [{ load_balancer: [{ ingress: [] }] }] }),
    }),
    // The provider sends the first annotation that is added later as the whole map, which removes those of GKE.
    afterUpdate: ({ id, values }, cloud) => {
      const server = cloud.serverAnnotations.get(id);
      const asked = annotationsOf(values);
      if (server === undefined || sameValue(server, asked)) return;
      if (Object.keys(server).length === 0 && !(ENDPOINT_GROUPS in asked)) {
        throw new Refusal(`the service ${id} has lost ${ENDPOINT_GROUPS}, and with it its load balancers`);
      }
      cloud.serverAnnotations.set(id, asked);
    },
    afterCreate: ({ id, values }, cloud) => cloud.serverAnnotations.set(id, annotationsOf(values)),
    requireStart: requireServers,
    asRead: (values, context) =>
      context.cloud.admission === "autopilot"
        ? withServerAnnotations(values, { [ENDPOINT_GROUPS]: '{"ingress":true}' }, context)
        : values,
  }),

  ...namespacedType("kubernetes_ingress_v1", {
    needs: (values) => {
      const namespace = namespaceOf(values);
      const address = globalAddressOf(values);
      return [
        ...backends(values).flatMap((name) => [
          needObject("kubernetes_service_v1", `${namespace}/${name}`),
          needSelected(namespace, name),
        ]),
        ...(address === ""
          ? []
          : [needNamed("google_compute_global_address", "name", address), needFreeAddress(address)]),
        ...certificatesOf(values).map((name) => needNamed("google_compute_managed_ssl_certificate", "name", name)),
        needAttached(),
      ];
    },
    computed: (values, { cloud }) => {
      const name = globalAddressOf(values);
      const reserved = cloud.ofType("google_compute_global_address").find((one) => textAt(one.values, "name") === name);
      return status(textAt(reserved?.values, "address") || "203.0.113.98", {});
    },
    afterCreate: makeLoadBalancer,
    afterUpdate: makeLoadBalancer,
    afterDestroy: removeLoadBalancer,
  }),
};
