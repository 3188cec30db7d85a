import { textAt, type ValueObject } from "../terraform-value";
import { FrontDoor, MANAGED, policyOf } from "./front-door-fixture";
import { Project } from "./project-fixture";

const HTTPS_PROXY = "google_compute_target_https_proxy";

let project: Project;
let door: FrontDoor;

beforeEach(() => {
  project = new Project();
  door = new FrontDoor(project);
});

const destroy = (type: string, made: ValueObject) => () => project.destroy(`google_compute_${type}`, made);

describe("An endpoint group", () => {
  it("leads to a service of its own region, which exists or is planned", () => {
    expect(() => door.group({ region: "europe-west1" })).toThrow(
      "google_cloud_run_v2_service projects/my-project/locations/europe-west1/services/idp",
    );
    project.cloud.plan("google_cloud_run_v2_service", "projects/my-project/locations/europe-west1/services/idp");
    expect(door.group({ region: "europe-west1" }).region).toBe("europe-west1");
    expect(door.group().region).toBe("us-central1");
  });

  it("is replaced by any change, and stays as long as it is used", () => {
    const group = door.group();
    door.backend(group);
    const type = "google_compute_region_network_endpoint_group";
    const args = { name: "door", region: "us-central1", cloud_run: [{ service: "other" }] };
    expect(project.replacedBy(type, args, group)).toEqual(["cloud_run"]);
    expect(destroy("region_network_endpoint_group", group)).toThrow("is still used by google_compute_backend_service");
  });
});

describe("A backend service of serverless groups", () => {
  it.each([
    ["a timeout", { timeout_sec: 3600 }, "Timeout sec is not supported"],
    ["a port", { port_name: "https" }, "Port name is not supported"],
    ["health checks", { health_checks: ["projects/my-project/global/healthChecks/door"] }, "have no health check"],
  ])("has not %s", (_what, args, refusal) => {
    expect(() => door.backend(door.group(), args)).toThrow(refusal);
  });

  it("says what the platform gives it, which may be sent back", () => {
    const group = door.group();
    const made = door.backend(group);
    expect(made).toMatchObject({ timeout_sec: 30, port_name: "http" });
    expect(door.backend(group, { timeout_sec: 30, port_name: "http" }, made).timeout_sec).toBe(30);
  });

  it("has one group of a region", () => {
    const groups = [door.group(), door.group({ name: "other" })].map((group) => ({ group: textAt(group, "id") }));
    expect(() => door.backend({}, { backend: groups })).toThrow("more than one group of a region");
  });

  it("keeps its security policy until it is detached", () => {
    const policy = project.apply("google_compute_security_policy", policyOf());
    const group = door.group();
    const made = door.backend(group, { security_policy: textAt(policy, "id") });
    expect(destroy("security_policy", policy)).toThrow("is still used by google_compute_backend_service");

    door.backend(group, {}, made);
    expect(destroy("security_policy", policy)).not.toThrow();
  });

  it("has only a policy that exists", () => {
    const policy = "projects/my-project/global/securityPolicies/company";
    expect(() => door.backend(door.group(), { security_policy: policy })).toThrow("needs what is not there");
    project.cloud.others.add(`google_compute_security_policy ${policy}`);
    expect(door.backend(door.group({ name: "other" }), { security_policy: policy }).id).toBeDefined();
  });
});

describe("A URL map", () => {
  it("leads somewhere, and only to one place", () => {
    const redirect = { default_url_redirect: [{ https_redirect: true, strip_query: false }] };
    const service = textAt(door.backend(door.group()), "id");
    const urlMap = (args: object) => () => project.apply("google_compute_url_map", { name: "door", ...args });
    expect(urlMap({})).toThrow("a map leads to one default service, redirect or route action");
    expect(urlMap({ ...redirect, default_service: service })).toThrow("a map leads to one");
    expect(urlMap(redirect)).not.toThrow();
  });

  it("keeps its backend service", () => {
    const backend = door.backend(door.group());
    door.urlMap(backend);
    expect(destroy("backend_service", backend)).toThrow("is still used by google_compute_url_map");
  });
});

describe("An HTTPS proxy", () => {
  let urlMap: ValueObject;

  beforeEach(() => {
    urlMap = door.urlMap(door.backend(door.group()));
  });

  it("has a certificate", () => {
    expect(() => door.httpsProxy(urlMap, {})).toThrow("At least one SSL certificate must be specified");
  });

  it("goes from a certificate map to a classic certificate in place", () => {
    const proxy = door.httpsProxy(urlMap, door.presentedMap());
    const classic = { ssl_certificates: [textAt(door.classicCertificate("idp.example.com"), "id")] };
    expect(door.httpsProxy(urlMap, classic, proxy).ssl_certificates).toEqual(classic.ssl_certificates);
  });

  it("does not go from a classic certificate to a map in place, however often it is tried", () => {
    const proxy = door.httpsProxy(urlMap, {
      ssl_certificates: [textAt(door.classicCertificate("idp.example.com"), "id")],
    });
    const map = door.presentedMap();
    const attempt = () => door.httpsProxy(urlMap, map, proxy);
    expect(attempt).toThrow("At least one SSL certificate must be specified");
    expect(attempt).toThrow("At least one SSL certificate must be specified");
  });

  it("takes a map by its full name, with an entry in it", () => {
    const map = textAt(door.map(), "id");
    expect(() => door.httpsProxy(urlMap, { certificate_map: map })).toThrow("//certificatemanager.googleapis.com/");
    expect(() => door.httpsProxy(urlMap, { certificate_map: `//certificatemanager.googleapis.com/${map}` })).toThrow(
      "an entry of the certificate map",
    );
  });

  it("keeps its map with an entry, its certificates, its URL map and its TLS policy", () => {
    const policy = project.apply("google_compute_ssl_policy", { name: "door", profile: "MODERN" });
    const certificate = door.classicCertificate("idp.example.com");
    const map = door.presentedMap();
    const presented = project.cloud.ofType("google_certificate_manager_certificate_map_entry")[0];
    door.httpsProxy(urlMap, {
      ...map,
      ssl_policy: textAt(policy, "id"),
      ssl_certificates: [textAt(certificate, "id")],
    });
    for (const [type, made] of [
      ["ssl_policy", policy],
      ["managed_ssl_certificate", certificate],
      ["url_map", urlMap],
    ] as const)
      expect(destroy(type, made)).toThrow(`is still used by ${HTTPS_PROXY}`);
    expect(() =>
      project.destroy("google_certificate_manager_certificate_map_entry", presented?.values ?? null),
    ).toThrow(`is still used by ${HTTPS_PROXY}`);
  });

  it("is not replaced by another certificate, map or policy", () => {
    const proxy = door.httpsProxy(urlMap, door.presentedMap());
    const args = { name: "door", url_map: "other", ssl_policy: "p", ssl_certificates: ["c"] };
    expect(project.replacedBy(HTTPS_PROXY, args, proxy)).toEqual([]);
  });
});

describe("A forwarding rule", () => {
  let address: ValueObject;
  let group: ValueObject;
  let backend: ValueObject;
  let proxy: ValueObject;
  let rule: ValueObject;

  beforeEach(() => {
    address = door.address();
    group = door.group();
    backend = door.backend(group);
    proxy = door.httpsProxy(door.urlMap(backend), door.presentedMap());
    rule = door.rule(address, proxy);
  });

  it("keeps its address and its proxy", () => {
    expect(destroy("global_address", address)).toThrow("is still used by google_compute_global_forwarding_rule");
    expect(destroy("target_https_proxy", proxy)).toThrow("is still used by google_compute_global_forwarding_rule");
  });

  it("shares its address, but not its port", () => {
    const redirect = door.httpProxy(door.redirect());
    expect(() => door.rule(address, redirect, { name: "redirect" })).toThrow("port 443 of");
    expect(door.rule(address, redirect, { name: "redirect", port_range: "80" }).id).toBeDefined();
    expect(door.rule(door.address("other"), redirect, { name: "other" }).id).toBeDefined();
  });

  it("knows its address by figures as well", () => {
    const figures = { id: textAt(address, "address") };
    const redirect = door.httpProxy(door.redirect());
    expect(() => door.rule(figures, redirect, { name: "redirect" })).toThrow("port 443 of");
    expect(() => door.rule({ id: "198.51.100.9" }, redirect, { name: "other" })).toThrow(
      "a reserved address 198.51.100.9",
    );
  });

  it("has the scheme of the other rules of its address", () => {
    const redirect = door.httpProxy(door.redirect());
    const classic = { name: "redirect", port_range: "80", load_balancing_scheme: "EXTERNAL" };
    expect(() => door.rule(address, redirect, classic)).toThrow("is used as EXTERNAL_MANAGED by");
    // The provider's default is the classic scheme.
    expect(() => door.rule(address, redirect, { ...classic, load_balancing_scheme: undefined })).toThrow(
      "is used as EXTERNAL_MANAGED by",
    );
  });

  it("has the scheme of its backend service, whichever of them changes", () => {
    const elsewhere = { name: "other", load_balancing_scheme: "EXTERNAL" };
    expect(() => door.rule(door.address("other"), proxy, elsewhere)).toThrow("and its backend service");
    expect(() => door.backend(group, { load_balancing_scheme: "EXTERNAL" }, backend)).toThrow(
      "and its backend service",
    );
    expect(() => door.backend(group, { load_balancing_scheme: undefined }, backend)).toThrow("and its backend service");
  });

  it("moves to another proxy in place, and to another address by replacement", () => {
    const type = "google_compute_global_forwarding_rule";
    const args = { name: "door", ip_address: textAt(address, "id"), port_range: "443", ...MANAGED };
    expect(project.replacedBy(type, { ...args, target: "other" }, rule)).toEqual([]);
    const moved = { ...args, target: textAt(proxy, "id"), ip_address: "other" };
    expect(project.replacedBy(type, moved, rule)).toEqual(["ip_address"]);
  });
});

describe("The redirect beside an ingress", () => {
  const ingress = (annotations: object) => {
    const values = {
      metadata: [{ annotations: { "kubernetes.io/ingress.global-static-ip-name": "door", ...annotations } }],
    };
    project.cloud.create({
      type: "kubernetes_ingress_v1",
      id: "idp/idp",
      values,
      writeOnly: {},
      needs: [],
    });
  };
  const redirect = (args: object) => {
    const proxy = door.httpProxy(door.redirect());
    return door.rule(door.address(), proxy, { port_range: "80", load_balancing_scheme: "EXTERNAL", ...args });
  };

  it("has port 80 of its address, in its scheme", () => {
    ingress({ "kubernetes.io/ingress.allow-http": "false" });
    expect(redirect({}).id).toBe("projects/my-project/global/forwardingRules/door");
  });

  it("is refused with another scheme", () => {
    ingress({ "kubernetes.io/ingress.allow-http": "false" });
    expect(() => redirect(MANAGED)).toThrow("is used as EXTERNAL by the ingress idp/idp");
  });

  it("is refused when the ingress has the port itself", () => {
    ingress({});
    expect(() => redirect({})).toThrow("port 80 of");
  });
});

it("Global addresses are all different, and free again when they are gone", () => {
  const [one, two] = [door.address("one"), door.address("two")];
  expect(one.address).not.toBe(two.address);
  destroy("global_address", one)();
  expect(door.address("three").address).toBe(one.address);
});
