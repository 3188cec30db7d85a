import { type IngressSpec } from "../../support/google-stand-in-load-balancers";
import { type Cloud, type CloudObject, type Need, Refusal } from "./cloud";
import { annotationOf, annotationsOf, namespaceOf, withServerAnnotations } from "./kubernetes-metadata";
import { DEPLOYMENT } from "./kubernetes-workloads";
import { needObject } from "./needs";
import { type ResourceType } from "./resource-type";
import { isValueObject, sameValue, textAt, type Value, valueAt, type ValueObject } from "./terraform-value";

/** Annotation by which a passthrough load balancer refers to its address. */
const ADDRESS_NAME = "networking.gke.io/load-balancer-ip-addresses";

/** Annotation that connects a service to its load balancers; GKE adds it if it is missing. */
const ENDPOINT_GROUPS = "cloud.google.com/neg";

const GLOBAL_ADDRESS = "kubernetes.io/ingress.global-static-ip-name";
const CERTIFICATES = "ingress.gcp.kubernetes.io/pre-shared-cert";

/** Types that can be attached to the load balancer of an ingress without its knowing. */
const ATTACHABLE = [
  "google_certificate_manager_certificate_map",
  "google_compute_security_policy",
  "google_compute_ssl_policy",
];

/** The deployments of a namespace whose pods have all these labels. */
function selectedDeployments(cloud: Cloud, namespace: string, selector: Value): CloudObject[] {
  if (!isValueObject(selector)) return [];
  return cloud.ofType(DEPLOYMENT).filter(({ values }) => {
    const labels = valueAt(values, "spec.0.template.0.metadata.0.labels") as ValueObject | null;
    return (
      namespaceOf(values) === namespace && Object.entries(selector).every(([name, value]) => labels?.[name] === value)
    );
  });
}

/** The reserved address of a name. */
function addressOf(type: string, name: string, cloud: Cloud): string {
  return textAt(cloud.ofType(type).find(({ values }) => values.name === name)?.values, "address");
}

const status = (ip: string): ValueObject => ({
  status: [{ load_balancer: [{ ingress: ip === "" ? [] : [{ hostname: "", ip, ip_mode: "VIP" }] }] }],
});

export const SERVICE_ROW: Partial<ResourceType> = {
  needs: (values) => {
    const name = annotationOf(values, ADDRESS_NAME);
    return name === "" ? [] : [needObject("google_compute_address", name)];
  },
  computed: (values, { cloud }) =>
    status(addressOf("google_compute_address", annotationOf(values, ADDRESS_NAME), cloud)),
  // The provider sends the first annotation that is added later as the whole map, which removes those of GKE.
  afterApply: ({ id, values }, cloud) => {
    const server = cloud.serverAnnotations.get(id);
    const asked = annotationsOf(values);
    const isFirst = server !== undefined && Object.keys(server).length === 0 && !sameValue(server, asked);
    if (isFirst && !(ENDPOINT_GROUPS in asked))
      throw new Refusal(`the service ${id} has lost ${ENDPOINT_GROUPS}, and with it its load balancers`);
    cloud.serverAnnotations.set(id, asked);
  },
  asRead: (values, context) => withServerAnnotations(values, { [ENDPOINT_GROUPS]: '{"ingress":true}' }, context),
};

const certificatesOf = (ingress: ValueObject): string[] =>
  annotationOf(ingress, CERTIFICATES)
    .split(",")
    .filter((name) => name !== "");

const serviceOf = (ingress: ValueObject): string => textAt(ingress, "spec.0.default_backend.0.service.0.name");

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

/** The need for a global address that the load balancer of a lost cluster does not use. */
function needFreeAddress(name: string): Need {
  const isOnIt = ({ values }: CloudObject) =>
    textAt(values, "ip_address").endsWith(`/${name}`) && textAt(values, "port_range").startsWith("443");
  return {
    what: "an address that no other load balancer uses",
    isMet: (cloud) => !cloud.ofType("google_compute_global_forwarding_rule").some(isOnIt),
  };
}

/** Whether a policy or certificate map exists, from Terraform or from before. */
export function canBeAttached(cloud: Cloud, id: string): boolean {
  return ATTACHABLE.some((type) => cloud.has(type, id));
}

/** The need for what scripts have attached to the load balancer. */
const NEED_ATTACHED: Need = {
  what: "the policies and the certificate map of its load balancer",
  isMet: (cloud) => cloud.surroundings.loadBalancers?.attached.every((id) => canBeAttached(cloud, id)) ?? true,
};

/** The load balancer of an ingress, as the controller makes it; undefined without an address. */
function loadBalancerOf({ values }: CloudObject, cloud: Cloud): IngressSpec | undefined {
  const address = annotationOf(values, GLOBAL_ADDRESS);
  const reserved = cloud.ofType("google_compute_global_address").find((one) => one.values.name === address);
  if (reserved === undefined) return undefined;
  return {
    project: textAt(reserved.values, "project"),
    address,
    namespace: namespaceOf(values),
    name: textAt(values, "metadata.0.name"),
    service: serviceOf(values),
    certificates: certificatesOf(values),
  };
}

export const INGRESS_ROW: Partial<ResourceType> = {
  needs: (values) => {
    const namespace = namespaceOf(values);
    const address = annotationOf(values, GLOBAL_ADDRESS);
    return [
      needObject("kubernetes_service_v1", `${namespace}/${serviceOf(values)}`),
      needSelected(namespace, serviceOf(values)),
      needObject("google_compute_global_address", address),
      needFreeAddress(address),
      ...certificatesOf(values).map((name) => needObject("google_compute_managed_ssl_certificate", name)),
      NEED_ATTACHED,
    ];
  },
  computed: (values, { cloud }) =>
    status(addressOf("google_compute_global_address", annotationOf(values, GLOBAL_ADDRESS), cloud)),
  afterApply: (ingress, cloud) => {
    const made = loadBalancerOf(ingress, cloud);
    if (made !== undefined) cloud.surroundings.loadBalancers?.make(made);
  },
  afterDestroy: (ingress, cloud) => {
    const gone = loadBalancerOf(ingress, cloud);
    if (gone !== undefined) cloud.surroundings.loadBalancers?.remove(gone.project, gone.address);
  },
};
