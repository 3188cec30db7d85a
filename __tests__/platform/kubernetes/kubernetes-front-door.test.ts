import { TerraformData } from "../../../lib/core/terraform-data";
import { ClusterIngress } from "../../../lib/platform/kubernetes/kubernetes-front-door";
import { PublicAddress } from "../../../lib/platform/kubernetes/public-address";
import { namespaceIn, PLACE } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

const REGIONAL = "one(google_compute_address.address_regional[*].address)";

const NEVER = "${(false) ? 1 : 0}";

/** The front door of a cluster without a domain, which no program of the snapshots is. */
const doorIn = () => {
  const stack = bareStack();
  const address = new PublicAddress(stack, "Address", { place: PLACE, dependsOn: [], domain: undefined });
  const namespace = namespaceIn(stack);
  const workload = { podLabels: { app: "server" }, ready: [new TerraformData(stack, "Workload", {})] };
  new ClusterIngress(stack, "FrontDoor", {
    ...{ place: PLACE, address, namespace, workload, dependsOn: [], edge: undefined },
    ...{ requestLogSampleRate: 0, requestTimeoutSeconds: 3600 },
  });
  const terraform = terraformOf(stack);
  return (type: string, name: string) => resourceOf(terraform, type, name);
};

describe("The front door of a cluster without a domain", () => {
  it("is a passthrough load balancer, which preserves clients' addresses", () => {
    const of = doorIn();
    const balancer = of("kubernetes_service_v1", "front_door_load_balancer");
    expect(balancer.count).toBeUndefined();
    expect(balancer).toMatchObject({
      spec: { load_balancer_ip: `\${${REGIONAL}}`, external_traffic_policy: "Local", selector: { app: "server" } },
    });
    for (const [type, name] of [
      ["google_compute_managed_ssl_certificate", "front_door_certificate"],
      ["kubernetes_service_v1", "front_door_backend"],
      ["kubernetes_ingress_v1", "front_door_ingress"],
      ["terraform_data", "front_door_load_balancer_settings"],
      ["google_compute_url_map", "front_door_redirect"],
      ["google_compute_target_http_proxy", "front_door_http_proxy"],
      ["google_compute_global_forwarding_rule", "front_door_http_rule"],
    ] as const)
      expect(of(type, name).count).toBe(NEVER);
  });
});
