import { TerraformOutput } from "cdktf";

import { InputVariable } from "../../../lib/core/input-variable";
import { TerraformData } from "../../../lib/core/terraform-data";
import { ClusterIngress } from "../../../lib/platform/kubernetes/kubernetes-front-door";
import { type ClusterIngressProps } from "../../../lib/platform/kubernetes/load-balancers";
import { PublicAddress, type PublicAddressProps } from "../../../lib/platform/kubernetes/public-address";
import { type Workload } from "../../../lib/platform/parts";
import { valueAt } from "../../stacks/configuration-graph";
import { namespaceIn, PLACE } from "../../support/stand-in-parts";
import { addressesOf, bareStack, resourceOf, terraformOf, type BareStack } from "../../support/synthesis";

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
  it("is a regional or a global one, of the same name and with the same labels", () => {
    const { of } = addressIn(INPUT, { place: { ...PLACE, labels: { team: "identity" } } });
    const common = { project: "demo-project", name: "idp-demo-abc123-address", labels: { team: "identity" } };
    expect(of("google_compute_address", "address_regional")).toMatchObject({ ...common, region: "us-central1" });
    expect(of("google_compute_global_address", "address_global")).toMatchObject(common);
  });

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

  it("waits for what it is told, and can be waited for", () => {
    const stack = bareStack();
    const api = new TerraformData(stack, "Api", {});
    const address = new PublicAddress(stack, "Address", { place: PLACE, dependsOn: [api] });
    expect(resourceOf(terraformOf(stack), "google_compute_address", "address_regional").depends_on).toEqual([
      "terraform_data.api",
    ]);
    expect(address.ready).toEqual([address.regional, address.global]);
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

  it("with a domain serves only HTTPS, with a certificate for exactly this name", () => {
    const { of } = doorIn(LITERAL);
    expect(of("google_compute_managed_ssl_certificate", "front_door_certificate")).toMatchObject({
      name: "idp-demo-abc123-0c6ca083",
      managed: { domains: ["login.example.com"] },
      lifecycle: { create_before_destroy: true },
    });
    expect(of("kubernetes_service_v1", "front_door_backend")).toMatchObject({
      metadata: { name: "idp-backend", annotations: { "cloud.google.com/neg": '{"ingress":true}' } },
      spec: {
        type: "ClusterIP",
        selector: { app: "server" },
        port: [{ name: "http", protocol: "TCP", port: 80, target_port: "9000" }],
      },
    });
    expect(of("kubernetes_ingress_v1", "front_door_ingress")).toMatchObject({
      metadata: {
        annotations: {
          "kubernetes.io/ingress.class": "gce",
          "kubernetes.io/ingress.allow-http": "false",
          "kubernetes.io/ingress.global-static-ip-name": "${one(google_compute_global_address.address_global[*].name)}",
          "ingress.gcp.kubernetes.io/pre-shared-cert":
            "${one(google_compute_managed_ssl_certificate.front_door_certificate[*].name)}",
        },
      },
      spec: {
        default_backend: {
          service: {
            name: "${one(kubernetes_service_v1.front_door_backend[*].metadata[0].name)}",
            port: { number: 80 },
          },
        },
      },
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

  it("has no cycle: the address waits for nothing, the load balancers for what they need", () => {
    const { door, of } = doorIn(LITERAL);
    const outbound = "kubernetes_network_policy_v1.namespace_outbound";
    const addresses = ["google_compute_address.address_regional", "google_compute_global_address.address_global"];
    const waits = [
      ["google_compute_global_address", "address_global"],
      ["google_compute_managed_ssl_certificate", "front_door_certificate"],
      ["kubernetes_service_v1", "front_door_load_balancer"],
      ["kubernetes_service_v1", "front_door_backend"],
      // Its health check is derived from the readiness probe of existing pods.
      ["kubernetes_ingress_v1", "front_door_ingress"],
      ["terraform_data", "front_door_load_balancer_settings"],
      ["google_compute_url_map", "front_door_redirect"],
    ].map(([type = "", name = ""]) => of(type, name).depends_on);
    expect(waits).toEqual([
      undefined,
      addresses,
      [outbound, "terraform_data.prepared"],
      [outbound, "terraform_data.prepared"],
      ["terraform_data.workload"],
      ["kubernetes_ingress_v1.front_door_ingress"],
      addresses,
    ]);
    expect(addressesOf(door.ready)).toEqual([
      "kubernetes_network_policy_v1.front_door_allow_ingress",
      "kubernetes_service_v1.front_door_load_balancer",
      "terraform_data.front_door_load_balancer_settings",
      "google_compute_global_forwarding_rule.front_door_http_rule",
    ]);
  });

  it("with a domain redirects clients from port 80 to HTTPS, at the same address with the same path and query", () => {
    const { of } = doorIn(LITERAL);
    expect(of("google_compute_url_map", "front_door_redirect")).toMatchObject({
      name: "idp-demo-abc123-redirect",
      default_url_redirect: {
        https_redirect: true,
        redirect_response_code: "MOVED_PERMANENTLY_DEFAULT",
        strip_query: false,
      },
    });
    expect(of("google_compute_target_http_proxy", "front_door_http_proxy")).toMatchObject({
      name: "idp-demo-abc123-redirect",
      url_map: "${one(google_compute_url_map.front_door_redirect[*].id)}",
    });
    expect(of("google_compute_global_forwarding_rule", "front_door_http_rule")).toMatchObject({
      name: "idp-demo-abc123-http",
      ip_address: "${one(google_compute_global_address.address_global[*].id)}",
      ip_protocol: "TCP",
      port_range: "80",
      // That of the controller's own rule for port 443.
      load_balancing_scheme: "EXTERNAL",
      target: "${one(google_compute_target_http_proxy.front_door_http_proxy[*].id)}",
    });
  });

  const settingsOf = (propsOf?: (stack: BareStack) => Partial<ClusterIngressProps>) => {
    const { of } = doorIn(LITERAL, propsOf);
    const { provisioner, triggers_replace: triggers } = of("terraform_data", "front_door_load_balancer_settings") as {
      provisioner?: readonly { "local-exec": { command: string; environment: Record<string, string> } }[];
      triggers_replace?: Record<string, string>;
    };
    return { ...provisioner?.[0]?.["local-exec"], triggers };
  };

  it("configures the load balancer of the Ingress, and again when a setting or the Ingress changes", () => {
    const { command, environment = {}, triggers } = settingsOf();
    expect(command).toBe('sh "${path.module}/scripts/configure-load-balancer.sh"');
    expect(environment).toEqual({
      ADDRESS_NAME: "${one(google_compute_global_address.address_global[*].name)}",
      BACKEND: "${kubernetes_namespace_v1.namespace.metadata[0].name}/idp-backend",
      // Empty, not absent: otherwise variables set on the machine that applies would take effect.
      CERTIFICATE_MAP: "",
      OWNER: "idp-demo-abc123",
      PROJECT_ID: "demo-project",
      REQUEST_LOG_SAMPLE_RATE: "0",
      REQUEST_TIMEOUT_SECONDS: "3600",
      SECURITY_POLICY: "",
    });
    expect(triggers).toEqual({
      ...environment,
      ingress_uid: "${one(kubernetes_ingress_v1.front_door_ingress[*].metadata[0].uid)}",
      scripts: expect.stringContaining("configure-load-balancer.sh") as string,
    });
  });

  it("passes on a policy, a certificate map and a share of logged requests that are known only at plan", () => {
    const { environment = {} } = settingsOf((stack) => {
      const input = (name: string, type: "number" | "string") =>
        new InputVariable(stack, name, { type, default: null, description: "An input." });
      return {
        certificateMapId: input("map", "string").stringValue,
        requestLogSampleRate: input("rate", "number").numberValue,
        securityPolicyId: input("policy", "string").stringValue,
      };
    });
    expect(environment).toMatchObject({
      CERTIFICATE_MAP: '${(var.map != null ? var.map : "")}',
      REQUEST_LOG_SAMPLE_RATE: "${var.rate}",
      SECURITY_POLICY: '${(var.policy != null ? var.policy : "")}',
    });
  });

  it("is outlived by what its load balancer uses without a reference in the Ingress", () => {
    const { of } = doorIn(LITERAL, (stack) => ({ outlivedBy: [new TerraformData(stack, "Policy", {})] }));
    expect(of("kubernetes_ingress_v1", "front_door_ingress").depends_on).toEqual([
      "terraform_data.workload",
      "terraform_data.policy",
    ]);
  });
});
