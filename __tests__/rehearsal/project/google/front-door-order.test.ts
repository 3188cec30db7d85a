import { describeWith } from "../../../support/programs";
import { type Deployment, type Inputs } from "../../deployment/deployment";
import { Journey } from "../../engine/journey";
import { type Configuration, withSmallDeployment } from "../../engine/small-deployment";

const RULE = {
  action: "allow",
  priority: 2_147_483_647,
  match: { versioned_expr: "SRC_IPS_V1", config: { src_ip_ranges: ["*"] } },
};

const DNS = '${var.certificate == "dns" ? 1 : 0}';
const LOAD_BALANCER = '${var.certificate == "load-balancer" ? 1 : 0}';
const CREATED_FIRST = { create_before_destroy: true };

interface Variant {
  /** Name of the HTTPS proxy. */
  readonly proxy?: string;
  /** Name of what belongs to a domain. */
  readonly domain?: string;
  readonly lifecycle?: object;
}

/** A front door of one domain with a certificate of either kind, with or without a security policy. */
function frontDoor({
  proxy = "door-${var.certificate}",
  domain = "door-${substr(sha256(var.domain), 0, 6)}",
  lifecycle = CREATED_FIRST,
}: Variant = {}): Configuration {
  const managed = { load_balancing_scheme: "EXTERNAL_MANAGED" };
  return {
    provider: { google: { project: "my-project", region: "us-central1" } },
    variable: {
      certificate: { default: "dns" },
      domain: { default: "one.example.com" },
      is_protected: { default: true },
      trigger: { default: "first" },
    },
    resource: {
      terraform_data: { trigger: { input: "${var.trigger}" } },
      google_compute_global_address: { door: { name: "door" } },
      google_compute_region_network_endpoint_group: {
        door: { name: "door", region: "us-central1", cloud_run: { service: "idp" } },
      },
      google_compute_security_policy: { door: { name: "door", rule: [RULE], count: "${var.is_protected ? 1 : 0}" } },
      google_compute_backend_service: {
        door: {
          ...managed,
          name: "door",
          backend: { group: "${google_compute_region_network_endpoint_group.door.id}" },
          security_policy: "${one(google_compute_security_policy.door[*].id)}",
        },
      },
      google_compute_url_map: {
        door: { name: "door", default_service: "${google_compute_backend_service.door.id}" },
      },
      google_certificate_manager_dns_authorization: {
        door: { name: domain, domain: "${var.domain}", count: DNS, lifecycle },
      },
      google_certificate_manager_certificate: {
        door: {
          ...{ name: domain, count: DNS, lifecycle },
          managed: {
            domains: ["${var.domain}"],
            dns_authorizations: ["${google_certificate_manager_dns_authorization.door[0].id}"],
          },
        },
      },
      google_certificate_manager_certificate_map: { door: { name: "door", count: DNS } },
      google_certificate_manager_certificate_map_entry: {
        door: {
          ...{ name: domain, count: DNS, lifecycle, hostname: "${var.domain}" },
          map: "${google_certificate_manager_certificate_map.door[0].name}",
          certificates: ["${google_certificate_manager_certificate.door[0].id}"],
        },
      },
      google_compute_managed_ssl_certificate: {
        door: { name: domain, managed: { domains: ["${var.domain}"] }, count: LOAD_BALANCER, lifecycle },
      },
      google_compute_target_https_proxy: {
        door: {
          ...{ name: proxy, lifecycle, url_map: "${google_compute_url_map.door.id}" },
          certificate_map:
            '${var.certificate == "dns" ? "//certificatemanager.googleapis.com/${google_certificate_manager_certificate_map.door[0].id}" : null}',
          ssl_certificates: "${google_compute_managed_ssl_certificate.door[*].id}",
          depends_on: ["google_certificate_manager_certificate_map_entry.door"],
        },
      },
      google_compute_global_forwarding_rule: {
        door: {
          ...managed,
          name: "door",
          ip_address: "${google_compute_global_address.door.id}",
          target: "${google_compute_target_https_proxy.door.id}",
          port_range: "443",
        },
      },
    },
  };
}

/** Runs work on an applied front door, in a project where its service is there. */
function withFrontDoor(
  configuration: Configuration,
  work: (change: (inputs: Inputs) => Promise<readonly string[]>, deployment: Deployment) => Promise<void>,
): Promise<void> {
  return withSmallDeployment(configuration, async (deployment) => {
    deployment.cloud.externalResourcesExist = true;
    await deployment.applyAtOnce();
    const journey = new Journey(deployment, undefined);
    const change = async (inputs: Inputs) => {
      const before = new Set(deployment.cloud.objects.keys());
      await journey.change({
        name: JSON.stringify(inputs),
        change: () => {
          deployment.inputs = { ...deployment.inputs, ...inputs };
        },
      });
      return [...before].filter((key) => !deployment.cloud.objects.has(key));
    };
    await work(change, deployment);
  });
}

const typesAmong = (keys: readonly string[]) => keys.map((key) => key.split(" ")[0]).sort();

describeWith(["terraform"], "A front door whose proxy is created before the old one goes", () => {
  it("changes its domain, its kind of certificate and its protection, and goes", () =>
    withFrontDoor(frontDoor(), async (change, deployment) => {
      expect(typesAmong(await change({ domain: "two.example.com" }))).toEqual([
        "google_certificate_manager_certificate",
        "google_certificate_manager_certificate_map_entry",
        "google_certificate_manager_dns_authorization",
      ]);
      expect(typesAmong(await change({ certificate: "load-balancer", is_protected: false }))).toEqual([
        "google_certificate_manager_certificate",
        "google_certificate_manager_certificate_map",
        "google_certificate_manager_certificate_map_entry",
        "google_certificate_manager_dns_authorization",
        "google_compute_security_policy",
        "google_compute_target_https_proxy",
      ]);
      expect(typesAmong(await change({ certificate: "dns", is_protected: true }))).toEqual([
        "google_compute_managed_ssl_certificate",
        "google_compute_target_https_proxy",
      ]);

      await deployment.applyAtOnce("-destroy");
      expect([...deployment.cloud.objects.keys()]).toEqual([]);
    }));

  it("makes everything before its predecessor that it waits for, so that what keeps its name is refused", () => {
    const configuration = frontDoor() as { resource: Record<string, Record<string, object>> };
    const { door = {} } = configuration.resource.google_compute_region_network_endpoint_group ?? {};
    Object.assign(door, { depends_on: ["google_service_account.runtime"] });
    const lifecycle = { replace_triggered_by: ["terraform_data.trigger"] };
    Object.assign(configuration.resource, {
      google_service_account: { runtime: { account_id: "runtime", lifecycle } },
    });
    return withFrontDoor(configuration, async (change) => {
      await expect(change({ trigger: "second" })).rejects.toMatchObject({
        message: expect.stringMatching(/Error 409: google_service_account \S+ already exists/) as string,
      });
    });
  });

  it("needs another name for the authorization of another domain", () =>
    withFrontDoor(frontDoor({ domain: "door" }), async (change) => {
      await expect(change({ domain: "two.example.com" })).rejects.toMatchObject({
        message: expect.stringMatching(/Error 409: google_certificate_manager_dns_authorization/) as string,
      });
    }));
});

describeWith(["terraform"], "A front door whose proxy keeps its name", () => {
  const inPlace = frontDoor({ proxy: "door", lifecycle: {} });

  it("does not detach its security policy in time", () =>
    withFrontDoor(inPlace, async (change) => {
      await expect(change({ is_protected: false })).rejects.toMatchObject({
        message: expect.stringContaining("is still used by google_compute_backend_service") as string,
      });
    }));

  it("does not come back from a classic certificate", () =>
    withFrontDoor(frontDoor({ proxy: "door" }), async (change) => {
      await change({ certificate: "load-balancer" });
      await expect(change({ certificate: "dns" })).rejects.toMatchObject({
        message: expect.stringContaining("At least one SSL certificate must be specified") as string,
      });
    }));
});
