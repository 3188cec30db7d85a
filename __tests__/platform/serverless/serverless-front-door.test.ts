import { rendered } from "../../../lib/core/expression";
import { InputVariable } from "../../../lib/core/input-variable";
import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { type ServerlessIdentityProviderProps } from "../../../lib/serverless-identity-provider-props";
import { valueAt } from "../../stacks/configuration-graph";
import { bareStack, resourceOf, terraformOf, warningsOf, type BareStack } from "../../support/synthesis";

type Props = Partial<ServerlessIdentityProviderProps>;

const DOMAIN = { domain: "login.example.com" };

/** An identity provider with literals, or with what a function makes of its stack. */
const deployed = (given: Props | ((stack: BareStack) => Props) = DOMAIN) => {
  const stack = bareStack();
  const props = typeof given === "function" ? given(stack) : given;
  const construct = new ServerlessIdentityProvider(stack, "Idp", {
    projectId: "demo-project",
    tenantId: "demo",
    ...props,
  });
  const terraform = terraformOf(stack);
  const of = (type: string, name: string) => resourceOf(terraform, `google_${type}`, `idp_${name}`);
  return { construct, of, stack, terraform };
};

let cached: ReturnType<typeof deployed> | undefined;

/** One with a domain and nothing else. */
const withDomain = () => (cached ??= deployed());

const NAME = "idp-demo-c333b9";
const HASH = "0c6ca083";

/** A variable that is null unless somebody gives it. */
const optional = (stack: BareStack, name: string) =>
  new InputVariable(stack, name, { type: "string", default: null, description: name }).stringValue;

describe("The front door of a service", () => {
  it("routes port 443 through proxy, map and backend to the endpoint group of the service, each in the managed scheme", () => {
    const { of } = withDomain();
    expect(of("compute_global_forwarding_rule", "front_door_https_rule")).toMatchObject({
      name: `${NAME}-https`,
      load_balancing_scheme: "EXTERNAL_MANAGED",
      ip_address: "${one(google_compute_global_address.idp_address[*].id)}",
      ip_protocol: "TCP",
      port_range: "443",
      target: "${one(google_compute_target_https_proxy.idp_front_door_https_proxy[*].id)}",
      depends_on: ["google_cloud_run_v2_service.idp_service"],
      labels: { application: "idp", tenant: "demo" },
    });
    expect(of("compute_target_https_proxy", "front_door_https_proxy")).toMatchObject({
      url_map: "${one(google_compute_url_map.idp_front_door_url_map[*].id)}",
      ssl_policy: "${one(google_compute_ssl_policy.idp_front_door_tls_policy[*].id)}",
      lifecycle: { create_before_destroy: true },
    });
    expect(of("compute_url_map", "front_door_url_map")).toMatchObject({
      default_service: "${one(google_compute_backend_service.idp_front_door_backend[*].id)}",
    });
    expect(of("compute_region_network_endpoint_group", "front_door_endpoint_group")).toMatchObject({
      region: "us-central1",
      network_endpoint_type: "SERVERLESS",
      cloud_run: { service: NAME },
    });
  });

  it("states nothing of a backend that a serverless one refuses: no timeout, no port, no health check", () => {
    const backend = withDomain().of("compute_backend_service", "front_door_backend");
    expect(Object.keys(backend).sort()).toEqual([
      "backend",
      "load_balancing_scheme",
      "log_config",
      "name",
      "project",
      "protocol",
      "security_policy",
    ]);
  });

  it("permanently redirects port 80 of the same address to HTTPS, and keeps the query", () => {
    const { of } = withDomain();
    expect(of("compute_global_forwarding_rule", "front_door_http_rule")).toMatchObject({
      ip_address: "${one(google_compute_global_address.idp_address[*].id)}",
      port_range: "80",
      target: "${one(google_compute_target_http_proxy.idp_front_door_http_proxy[*].id)}",
    });
    expect(of("compute_url_map", "front_door_redirect").default_url_redirect).toEqual({
      https_redirect: true,
      redirect_response_code: "MOVED_PERMANENTLY_DEFAULT",
      strip_query: false,
    });
  });

  it("speaks TLS 1.2 or newer with modern ciphers", () => {
    expect(withDomain().of("compute_ssl_policy", "front_door_tls_policy")).toMatchObject({
      profile: "MODERN",
      min_tls_version: "TLS_1_2",
    });
  });

  it("has a certificate that DNS validates, by a map that stays when the domain changes", () => {
    const { of } = withDomain();
    const certificate = { name: `${NAME}-${HASH}`, lifecycle: { create_before_destroy: true } };
    expect(of("certificate_manager_dns_authorization", "edge_certificate_authorization")).toMatchObject({
      ...certificate,
      domain: "login.example.com",
      type: "PER_PROJECT_RECORD",
    });
    expect(of("certificate_manager_certificate", "edge_certificate")).toMatchObject({
      ...certificate,
      managed: {
        domains: ["login.example.com"],
        dns_authorizations: [
          "${one(google_certificate_manager_dns_authorization.idp_edge_certificate_authorization[*].id)}",
        ],
      },
    });
    expect(of("certificate_manager_certificate_map", "edge_certificate_map").name).toBe(`${NAME}-certificates`);
    expect(of("certificate_manager_certificate_map_entry", "edge_certificate_entry")).toMatchObject({
      ...certificate,
      hostname: "login.example.com",
      certificates: ["${one(google_certificate_manager_certificate.idp_edge_certificate[*].id)}"],
    });
    expect(of("compute_target_https_proxy", "front_door_https_proxy")).toMatchObject({
      name: `${NAME}-dns`,
      certificate_map: expect.stringContaining('"//certificatemanager.googleapis.com/${id}"') as string,
      depends_on: expect.arrayContaining([
        "google_certificate_manager_certificate_map_entry.idp_edge_certificate_entry",
      ]) as string[],
    });
  });

  it("has another proxy with a certificate of its own, when the load balancer validates it", () => {
    const { of } = deployed({ ...DOMAIN, certificateValidation: "load-balancer" });
    expect(of("compute_managed_ssl_certificate", "front_door_certificate")).toMatchObject({
      name: `${NAME}-${HASH}`,
      managed: { domains: ["login.example.com"] },
    });
    expect(of("compute_target_https_proxy", "front_door_https_proxy")).toMatchObject({
      name: `${NAME}-load-balancer`,
      ssl_certificates: expect.stringContaining("google_compute_managed_ssl_certificate") as string,
    });
    expect(of("certificate_manager_certificate", "edge_certificate").count).toBe("${(false) ? 1 : 0}");
  });

  it.each([
    [undefined, { enable: false }],
    [0, { enable: false }],
    [0.25, { enable: true, sample_rate: 0.25 }],
  ])("logs no requests unless it is told a share of them: %p", (requestLogSampleRate, expected) => {
    const { of } = deployed({ ...DOMAIN, requestLogSampleRate });
    expect(of("compute_backend_service", "front_door_backend").log_config).toEqual(expected);
  });

  it("tells the application its address, and to trust the load balancer's own as a proxy", () => {
    const { of } = withDomain();
    const environment = valueAt(of("cloud_run_v2_service", "service"), "template.containers.0.dynamic.env.for_each");
    expect(environment).toMatchObject({
      IDP_WEB__BASE_URL: "https://login.example.com",
      IDP_LISTEN__TRUSTED_PROXY_CIDRS: expect.stringMatching(
        /,169\.254\.0\.0\/16,\$\{one\(google_compute_global_address\.idp_address\[\*\]\.address\)\}\/32$/,
      ) as string,
    });
  });

  it("lets the user override both", () => {
    const own = { IDP_WEB__BASE_URL: "https://proxy.example.com", IDP_LISTEN__TRUSTED_PROXY_CIDRS: "203.0.113.7/32" };
    const { of } = deployed({ ...DOMAIN, environmentVariables: own });
    const environment = valueAt(of("cloud_run_v2_service", "service"), "template.containers.0.dynamic.env.for_each");
    expect(environment).toMatchObject(own);
  });

  it("is the address of the deployment", () => {
    const { construct, stack } = withDomain();
    expect(construct.url).toBe("https://login.example.com");
    expect(construct.frontDoor?.url).toBe(construct.url);
    expect(warningsOf(stack)).toEqual([]);
  });

  it("does not exist without a domain, and neither does anything that it needs", () => {
    const { construct, terraform } = deployed({});
    expect([construct.frontDoor, construct.edge, construct.address]).toEqual([undefined, undefined, undefined]);
    const types = Object.keys(terraform.resource ?? {});
    expect(types.filter((type) => /certificate|compute|dns/.test(type))).toEqual([]);
  });

  it("closes the default address on request", () => {
    const closed = deployed({ ...DOMAIN, closeDefaultAddress: true }).of("cloud_run_v2_service", "service");
    expect(closed).toMatchObject({ ingress: "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER", default_uri_disabled: true });
    const open = withDomain().of("cloud_run_v2_service", "service");
    expect([open.ingress, open.default_uri_disabled]).toEqual(["INGRESS_TRAFFIC_ALL", undefined]);
  });

  it.each<[string, Props, number]>([
    ["while the default address bypasses it", {}, 1],
    ["not once it is closed", { closeDefaultAddress: true }, 0],
    ["not without a policy", { protection: undefined }, 0],
    ["not of a protection that is off", { protection: { enabled: false } }, 0],
  ])("warns of a policy %s", (_when, given, count) => {
    const { stack } = deployed({ ...DOMAIN, protection: {}, ...given });
    const text = "closeDefaultAddress is false; a security policy protects only the domain";
    expect(warningsOf(stack).filter((warning) => String(warning).startsWith(text))).toHaveLength(count);
  });
});

describe("The front door of a service whose domain only Terraform knows", () => {
  const unknown = () => deployed((stack) => ({ domain: optional(stack, "domain") }));

  it("exists if the domain does", () => {
    const { of } = unknown();
    const counts = [
      of("compute_global_address", "address"),
      of("compute_target_https_proxy", "front_door_https_proxy"),
      of("certificate_manager_certificate", "edge_certificate"),
    ].map(({ count }) => count);
    expect(new Set(counts)).toEqual(new Set(["${(var.domain != null) ? 1 : 0}"]));
  });

  it("is the address of the deployment, or else that of the service is", () => {
    const { construct, stack } = unknown();
    expect(rendered(stack, construct.url)).toBe(
      '${(var.domain == null ? google_cloud_run_v2_service.idp_service.uri : "https://${var.domain}")}',
    );
  });

  it("omits a variable that would be null", () => {
    const { of, terraform } = unknown();
    expect(valueAt(of("cloud_run_v2_service", "service"), "template.containers.0.dynamic.env.for_each")).toBe(
      "${{ for name, value in local.idp_service_environment : name => value if value != null }}",
    );
    expect(terraform.locals?.idp_service_environment).toMatchObject({
      IDP_WEB__BASE_URL: '${(var.domain == null ? null : "https://${var.domain}")}',
    });
  });
});

describe("The records of a domain", () => {
  const zone = { name: "example-com", project: "dns-project", dnsName: "example.com" };

  it("are created in an existing zone: that of the address, and that of the certificate", () => {
    const { of } = deployed({ ...DOMAIN, dnsZone: zone });
    const common = { managed_zone: "example-com", project: "dns-project", ttl: 300 };
    expect(of("dns_record_set", "edge_dns_records_address")).toMatchObject({
      ...common,
      name: "login.example.com.",
      type: "A",
      rrdatas: ["${one(google_compute_global_address.idp_address[*].address)}"],
    });
    const record =
      "one(flatten(google_certificate_manager_dns_authorization.idp_edge_certificate_authorization[*].dns_resource_record))";
    expect(of("dns_record_set", "edge_dns_records_validation")).toMatchObject({
      ...common,
      name: `\${${record}.name}`,
      type: `\${${record}.type}`,
      rrdatas: [`\${${record}.data}`],
    });
  });

  it("are in the project of the deployment, unless the zone has another", () => {
    const { of } = deployed({ ...DOMAIN, dnsZone: { name: "example-com" } });
    expect(of("dns_record_set", "edge_dns_records_address").project).toBe("demo-project");
  });

  it("are yours to create without a zone", () => {
    expect(Object.keys(withDomain().terraform.resource ?? {})).not.toContain("google_dns_record_set");
  });
});

it.each<[string, Props, string]>([
  [
    "a zone of another domain",
    { ...DOMAIN, dnsZone: { name: "other", dnsName: "other.example" } },
    'domain is "login.example.com" and dnsZone.dnsName is "other.example"; the domain must be that of the zone or below it',
  ],
  [
    "a zone that only ends alike",
    { ...DOMAIN, dnsZone: { name: "other", dnsName: "ample.com." } },
    'dnsZone.dnsName is "ample.com."',
  ],
  [
    "a zone by its domain",
    { ...DOMAIN, dnsZone: { name: "example.com" } },
    'dnsZone.name is "example.com"; it must be',
  ],
  ["a zone without a domain", { dnsZone: { name: "example-com" } }, "dnsZone is given without domain"],
  ["the only address closed", { closeDefaultAddress: true }, "closeDefaultAddress is true and domain is not given"],
  [
    "a share above all",
    { ...DOMAIN, requestLogSampleRate: 2 },
    "requestLogSampleRate is 2; it must be a number from 0",
  ],
  [
    "another validation",
    { ...DOMAIN, certificateValidation: "mail" },
    'certificateValidation is "mail"; it must be dns',
  ],
  ["an address as domain", { domain: "203.0.113.7" }, 'domain is "203.0.113.7"; it must be a full domain name'],
  ["a domain with a port", { domain: "login.example.com:443" }, "it must be a full domain name"],
  ["a wildcard", { domain: "*.example.com" }, "it must be a full domain name"],
])("The front door of a service refuses %s", (_what, props, text) => {
  expect(() => deployed(props)).toThrow(text);
});
