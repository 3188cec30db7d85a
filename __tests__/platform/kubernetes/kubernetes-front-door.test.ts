import { TerraformOutput } from "cdktf";

import { InputVariable } from "../../../lib/core/input-variable";
import { TerraformData } from "../../../lib/core/terraform-data";
import { ClusterIngress } from "../../../lib/platform/kubernetes/kubernetes-front-door";
import { type ClusterIngressProps } from "../../../lib/platform/kubernetes/load-balancers";
import { PublicAddress, type PublicAddressProps } from "../../../lib/platform/kubernetes/public-address";
import { type Workload } from "../../../lib/platform/parts";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, PLACE } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack } from "../../support/synthesis";

type Domain = (stack: BareStack) => string | undefined;

const NONE: Domain = () => undefined;
const LITERAL: Domain = () => "login.example.com";
const INPUT: Domain = (stack) =>
  new InputVariable(stack, "domain", { type: "string", default: null, description: "A domain." }).stringValue;

const REGIONAL = "one(google_compute_address.address_regional[*].address)";
const GLOBAL = "one(google_compute_global_address.address_global[*].address)";

const NEVER = "${(false) ? 1 : 0}";

const addressIn = (domain: Domain = NONE, props: Partial<PublicAddressProps> = {}) => {
  const stack = bareStack();
  const address = new PublicAddress(stack, "Address", { place: PLACE, domain: domain(stack), ...props });
  const of = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
  return { stack, address, of };
};

describe("PublicAddress", () => {
  it.each([
    ["without a domain", NONE, [undefined, NEVER], `\${${REGIONAL}}`, `https://\${${REGIONAL}}`],
    ["with one", LITERAL, [NEVER, undefined], `\${${GLOBAL}}`, "https://login.example.com"],
    [
      "as Terraform finds an input",
      INPUT,
      ["${(var.domain == null) ? 1 : 0}", "${(var.domain != null) ? 1 : 0}"],
      `\${(var.domain != null ? ${GLOBAL} : ${REGIONAL})}`,
      `https://\${(var.domain != null ? var.domain : ${REGIONAL})}`,
    ],
  ])("%s exists, and says where clients come", (_, domain, counts, ip, url) => {
    const { address, of, stack } = addressIn(domain);
    for (const [name, value] of Object.entries({ ip: address.address, url: address.url }))
      new TerraformOutput(stack, name, { value, staticId: true });
    expect([
      of("google_compute_address", "address_regional").count,
      of("google_compute_global_address", "address_global").count,
    ]).toEqual(counts);
    const { output = {} } = terraformOf(stack);
    expect([output.ip?.value, output.url?.value]).toEqual([ip, url]);
  });
});

describe("KubernetesFrontDoor", () => {
  const doorIn = (domain: Domain = NONE, propsOf: (stack: BareStack) => Partial<ClusterIngressProps> = () => ({})) => {
    const { address, stack } = addressIn(domain);
    const mark = (id: string) => new TerraformData(stack, id, {});
    const workload: Workload = { podLabels: { app: "server" }, ready: [mark("Workload")] };
    const namespace = namespaceIn(stack);
    const door = new ClusterIngress(stack, "FrontDoor", {
      place: PLACE,
      address,
      namespace,
      workload,
      port: 9000,
      dependsOn: [mark("Prepared")],
      ...propsOf(stack),
    });
    const of = (type: string, name: string) => resourceOf(terraformOf(stack), type, name);
    return { stack, address, door, namespace, workload, of };
  };

  it("without a domain is a passthrough load balancer with a static address, which preserves clients' addresses", () => {
    const { of } = doorIn();
    expect(of("kubernetes_service_v1", "front_door_load_balancer")).toMatchObject({
      metadata: {
        name: "idp-load-balancer",
        annotations: { "cloud.google.com/neg": '{"ingress":true}', "cloud.google.com/l4-rbs": "enabled" },
      },
      spec: {
        type: "LoadBalancer",
        load_balancer_ip: `\${${REGIONAL}}`,
        external_traffic_policy: "Local",
        selector: { app: "server" },
        port: [
          { name: "http", protocol: "TCP", port: 80, target_port: "9000" },
          { name: "https", protocol: "TCP", port: 443, target_port: "9443" },
        ],
      },
      wait_for_load_balancer: true,
    });
  });

  it.each([
    ["without a domain", NONE, undefined, NEVER],
    ["with one", LITERAL, NEVER, undefined],
    ["as Terraform finds an input", INPUT, "${(var.domain == null) ? 1 : 0}", "${(var.domain != null) ? 1 : 0}"],
  ])("is one of two load balancers %s, at the address", (_, domain, passthrough, https) => {
    const { address, door, of } = doorIn(domain);
    expect(of("kubernetes_service_v1", "front_door_load_balancer").count).toBe(passthrough);
    for (const [type, name] of [
      ["google_compute_managed_ssl_certificate", "front_door_certificate"],
      ["kubernetes_service_v1", "front_door_backend"],
      ["kubernetes_ingress_v1", "front_door_ingress"],
      ["terraform_data", "front_door_load_balancer_settings"],
      ["google_compute_url_map", "front_door_redirect"],
      ["google_compute_target_http_proxy", "front_door_http_proxy"],
      ["google_compute_global_forwarding_rule", "front_door_http_rule"],
    ] as const)
      expect(of(type, name).count).toBe(https);
    expect(door.url).toBe(address.url);
  });

  it.each([
    ["without a domain everybody, and both ports", NONE, '${["0.0.0.0/0"]}', "${[9000,9443]}"],
    [
      "with one Google's load balancers alone, and one port",
      LITERAL,
      '${["35.191.0.0/16","130.211.0.0/22"]}',
      "${[9000]}",
    ],
    [
      "what Terraform finds an input to mean",
      INPUT,
      '${(var.domain != null ? ["35.191.0.0/16","130.211.0.0/22"] : ["0.0.0.0/0"])}',
      "${(var.domain != null ? [9000] : [9000,9443])}",
    ],
  ])("allows to the pods of its workload %s", (_, domain, from, ports) => {
    const policy = doorIn(domain).of("kubernetes_network_policy_v1", "front_door_allow_ingress");
    expect(valueAt(policy, "spec.pod_selector.match_labels")).toEqual({ app: "server" });
    expect([
      valueAt(policy, "spec.ingress.0.dynamic.from.for_each"),
      valueAt(policy, "spec.ingress.0.dynamic.ports.for_each"),
    ]).toEqual([from, ports]);
  });
});
