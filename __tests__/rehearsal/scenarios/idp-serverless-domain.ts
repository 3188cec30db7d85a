import { type ChangeScenario } from "../engine/journey";
import { textAt } from "../project/terraform-value";
import {
  ADDRESS_RECORD,
  apis,
  BY_DNS,
  COMPANY_POLICY,
  OF_DOMAIN,
  POLICY,
  VALIDATION_RECORD,
  WITH_DOMAIN,
  ZONE,
} from "./domain";
import { all, withInputs } from "./every-stack";
import { DASHBOARD, OF_HOST } from "./monitoring";

const SERVICE = "google_cloud_run_v2_service.service";
const BACKEND = "google_compute_backend_service.front_door_backend[0]";
const HTTPS_PROXY = "google_compute_target_https_proxy.front_door_https_proxy[0]";
const HTTPS_RULE = "google_compute_global_forwarding_rule.front_door_https_rule[0]";
const CLASSIC_CERTIFICATE = "google_compute_managed_ssl_certificate.front_door_certificate[0]";

/** What every domain has. */
const DOOR = ["*.front_door_*", "google_compute_global_address.address[0]"];

/** Fails unless exactly these names have an address in the zone. */
const requireRecords =
  (...names: readonly string[]): ChangeScenario["verify"] =>
  ({ cloud }) => {
    const [address] = cloud.ofType("google_compute_global_address");
    const expected = names.map((name) => `${ZONE}/rrsets/${name}./A ${textAt(address?.values, "address")}`);
    const found = [...cloud.zoneRecords]
      .filter(([id]) => id.endsWith("/A"))
      .map(([id, data]) => `${id} ${data.join()}`);
    if (found.join() !== expected.join())
      throw new Error(`the zone has ${found.join(", ")}, not ${expected.join(", ")}`);
  };

/** From no domain to one, to another, between the kinds of certificate, with and without a policy, and away from it. */
export const DOMAIN_CHANGES: readonly ChangeScenario[] = [
  {
    name: "a domain",
    change: withInputs(WITH_DOMAIN),
    expected: {
      ...OF_HOST,
      ...all("create", [...apis("compute", "dns"), ...DOOR, ...BY_DNS, POLICY]),
      ...all("create", [ADDRESS_RECORD, VALIDATION_RECORD]),
      [SERVICE]: "update",
    },
    verify: requireRecords("login.example.com"),
  },
  {
    name: "another domain",
    change: withInputs({ domain: "sso.example.com" }),
    expected: { ...OF_HOST, ...all("replace", [...OF_DOMAIN, ADDRESS_RECORD, VALIDATION_RECORD]), [SERVICE]: "update" },
    verify: requireRecords("sso.example.com"),
  },
  {
    name: "a domain without protection, validated through the load balancer",
    change: withInputs({ certificate_validation: "load-balancer", protection: null }),
    expected: {
      ...all("delete", [...BY_DNS, POLICY, VALIDATION_RECORD]),
      [CLASSIC_CERTIFICATE]: "create",
      [HTTPS_PROXY]: "replace",
      // Its chart of refused requests goes with the policy.
      ...all("update", [BACKEND, HTTPS_RULE, DASHBOARD]),
    },
  },
  {
    name: "a domain validated by DNS again, with an existing policy and nothing beside it",
    change: withInputs({
      certificate_validation: "dns",
      close_default_address: true,
      existing_security_policy: COMPANY_POLICY,
    }),
    expected: {
      ...all("create", [...BY_DNS, VALIDATION_RECORD]),
      [CLASSIC_CERTIFICATE]: "delete",
      [HTTPS_PROXY]: "replace",
      ...all("update", [BACKEND, HTTPS_RULE, SERVICE]),
    },
    verify: ({ cloud }) => {
      const [service] = cloud.ofType("google_cloud_run_v2_service");
      if (textAt(service?.values, "ingress") !== "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER")
        throw new Error("the service takes requests that do not come through the load balancer");
    },
  },
  {
    name: "no domain",
    change: withInputs({
      close_default_address: false,
      dns_zone: null,
      domain: null,
      existing_security_policy: null,
    }),
    expected: {
      ...OF_HOST,
      ...all("delete", [...apis("compute", "dns"), ...DOOR, ...BY_DNS]),
      ...all("delete", [ADDRESS_RECORD, VALIDATION_RECORD]),
      [SERVICE]: "update",
    },
    verify: requireRecords(),
  },
  {
    name: "the first domain again",
    change: withInputs({ ...WITH_DOMAIN, certificate_validation: "load-balancer" }),
    expected: {
      ...OF_HOST,
      ...all("create", [...apis("compute", "dns"), ...DOOR, CLASSIC_CERTIFICATE, POLICY]),
      ...all("create", [ADDRESS_RECORD]),
      [SERVICE]: "update",
    },
    verify: requireRecords("login.example.com"),
  },
];
