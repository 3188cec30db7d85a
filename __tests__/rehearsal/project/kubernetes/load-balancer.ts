import { type IngressSpec } from "../../../support/google-stand-in-load-balancers";
import { type Cloud, type CloudObject, type Need } from "../cloud";
import { textAt, type ValueObject } from "../terraform-value";
import { annotationsOf, namespaceOf } from "./metadata";

const GLOBAL_ADDRESS = "kubernetes.io/ingress.global-static-ip-name";
const CERTIFICATES = "ingress.gcp.kubernetes.io/pre-shared-cert";

/** What can be attached to the load balancer of an ingress without its knowing. */
const ATTACHABLE = ["google_compute_security_policy", "google_certificate_manager_certificate_map"];

/** Name of the global address of an ingress; empty if it has none. */
export function globalAddressOf(ingress: ValueObject): string {
  return annotation(ingress, GLOBAL_ADDRESS);
}

/** Names of the certificates of an ingress. */
export function certificatesOf(ingress: ValueObject): string[] {
  return annotation(ingress, CERTIFICATES)
    .split(",")
    .filter((name) => name !== "");
}

/** Whether a security policy or certificate map exists, from Terraform or from before. */
export function canBeAttached(cloud: Cloud, id: string): boolean {
  return ATTACHABLE.some((type) => cloud.find(type, id) !== undefined || cloud.hasOthers(type, id));
}

/** The need for a global address that the load balancer of a lost cluster does not use. */
export function needFreeAddress(name: string): Need {
  return {
    what: "an address that no other load balancer uses",
    isMet: (cloud) =>
      !cloud
        .ofType("google_compute_global_forwarding_rule")
        .some(({ values }) => isRuleOf(values, name) && textAt(values, "port_range").startsWith("443")),
  };
}

const isRuleOf = (rule: ValueObject, address: string): boolean => textAt(rule, "ip_address").endsWith(`/${address}`);

/** The need for what scripts have attached to the load balancer. */
export function needAttached(): Need {
  return {
    what: "the security policy and the certificate map of its load balancer",
    isMet: (cloud) => cloud.surroundings.loadBalancers?.attached.every((id) => canBeAttached(cloud, id)) ?? true,
  };
}

/** Creates or changes the load balancer of an ingress, as the controller does. */
export function makeLoadBalancer(ingress: CloudObject, cloud: Cloud): void {
  const spec = specOf(ingress, cloud);
  if (spec !== undefined) cloud.surroundings.loadBalancers?.make(spec);
}

export function removeLoadBalancer(ingress: CloudObject, cloud: Cloud): void {
  const spec = specOf(ingress, cloud);
  if (spec !== undefined) cloud.surroundings.loadBalancers?.remove(spec.project, spec.address);
}

function specOf({ values }: CloudObject, cloud: Cloud): IngressSpec | undefined {
  const address = globalAddressOf(values);
  const reserved = cloud.ofType("google_compute_global_address").find((one) => textAt(one.values, "name") === address);
  if (reserved === undefined) return undefined;
  return {
    project: textAt(reserved.values, "project"),
    address,
    namespace: namespaceOf(values),
    name: textAt(values, "metadata.0.name"),
    service: textAt(values, "spec.0.default_backend.0.service.0.name"),
    certificates: certificatesOf(values),
  };
}

function annotation(values: ValueObject, name: string): string {
  const value = annotationsOf(values)[name];
  return typeof value === "string" ? value : "";
}
