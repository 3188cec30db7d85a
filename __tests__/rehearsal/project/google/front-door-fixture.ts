import { textAt, type ValueObject } from "../terraform-value";
import { type Project } from "./project-fixture";

export const MANAGED = { load_balancing_scheme: "EXTERNAL_MANAGED" };

const DEFAULT_RULE = {
  action: "allow",
  priority: 2_147_483_647,
  match: [{ versioned_expr: "SRC_IPS_V1", config: [{ src_ip_ranges: ["*"] }] }],
};

/** Arguments of a security policy with further rules. */
export function policyOf(...rules: readonly object[]): object {
  return { name: "door", type: "CLOUD_ARMOR", rule: [...rules, DEFAULT_RULE] };
}

/** The parts of a front door, made one after the other by hand. */
export class FrontDoor {
  constructor(readonly project: Project) {}

  address(name = "door"): ValueObject {
    return this.project.apply("google_compute_global_address", { name });
  }

  group(args: object = {}): ValueObject {
    this.project.cloud.others.add("google_cloud_run_v2_service projects/my-project/locations/us-central1/services/idp");
    return this.project.apply("google_compute_region_network_endpoint_group", {
      ...{ name: "door", region: "us-central1", cloud_run: [{ service: "idp" }], ...args },
    });
  }

  backend(group: ValueObject, args: object = {}, prior: ValueObject | null = null): ValueObject {
    const backend = [{ group: textAt(group, "id") }];
    const all = { name: "door", protocol: "HTTPS", ...MANAGED, backend, ...args };
    return this.project.apply("google_compute_backend_service", all, prior);
  }

  urlMap(backend: ValueObject, name = "door"): ValueObject {
    return this.project.apply("google_compute_url_map", { name, default_service: textAt(backend, "id") });
  }

  redirect(): ValueObject {
    const redirect = { https_redirect: true, strip_query: false };
    return this.project.apply("google_compute_url_map", { name: "redirect", default_url_redirect: [redirect] });
  }

  /** A proxy of port 80. */
  httpProxy(urlMap: ValueObject): ValueObject {
    return this.project.apply("google_compute_target_http_proxy", { name: "door", url_map: textAt(urlMap, "id") });
  }

  httpsProxy(urlMap: ValueObject, args: object, prior: ValueObject | null = null): ValueObject {
    const all = { name: "door", url_map: textAt(urlMap, "id"), ...args };
    return this.project.apply("google_compute_target_https_proxy", all, prior);
  }

  rule(address: ValueObject, proxy: ValueObject, args: object = {}, prior: ValueObject | null = null): ValueObject {
    return this.project.apply(
      "google_compute_global_forwarding_rule",
      {
        ...{ name: "door", ip_address: textAt(address, "id"), target: textAt(proxy, "id"), port_range: "443" },
        ...{ ...MANAGED, ...args },
      },
      prior,
    );
  }

  authorization(domain: string, args: object = {}): ValueObject {
    const all = { name: domain.replaceAll(".", "-"), domain, ...args };
    return this.project.apply("google_certificate_manager_dns_authorization", all);
  }

  certificate(domain: string, authorization: ValueObject, args: object = {}): ValueObject {
    const managed = [{ domains: [domain], dns_authorizations: [textAt(authorization, "id")] }];
    const all = { name: domain.replaceAll(".", "-").replace("*", "any"), managed, ...args };
    return this.project.apply("google_certificate_manager_certificate", all);
  }

  map(): ValueObject {
    return this.project.apply("google_certificate_manager_certificate_map", { name: "door" });
  }

  entry(certificate: ValueObject, args: object = {}): ValueObject {
    const certificates = [textAt(certificate, "id")];
    const all = { name: "door", map: "door", hostname: "idp.example.com", certificates, ...args };
    return this.project.apply("google_certificate_manager_certificate_map_entry", all);
  }

  classicCertificate(domain: string): ValueObject {
    const all = { name: domain.replaceAll(".", "-"), managed: [{ domains: [domain] }] };
    return this.project.apply("google_compute_managed_ssl_certificate", all);
  }

  /** A certificate map with an entry of a domain, as a proxy names it. */
  presentedMap(domain = "idp.example.com"): object {
    const map = this.map();
    this.entry(this.certificate(domain, this.authorization(domain)), { hostname: domain });
    return { certificate_map: `//certificatemanager.googleapis.com/${textAt(map, "id")}` };
  }
}
