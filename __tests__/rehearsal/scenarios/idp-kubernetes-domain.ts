import { type Inputs } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";
import { DASHBOARD, OF_HOST } from "./monitoring";
import { ADDRESS, DEPLOYMENT } from "./idp-kubernetes-changes";
import { ADDRESS_RECORD, apis, BY_DNS, COMPANY_POLICY, POLICY, VALIDATION_RECORD, WITH_DOMAIN } from "./domain";

const SERVICE = "kubernetes_service_v1.front_door_load_balancer[0]";
const CERTIFICATE = "google_compute_managed_ssl_certificate.front_door_certificate[0]";
const INGRESS = "kubernetes_ingress_v1.front_door_ingress[0]";
const ALLOW_INGRESS = "kubernetes_network_policy_v1.front_door_allow_ingress";
const SETTINGS = "terraform_data.front_door_load_balancer_settings[0]";

/** What every domain has. */
const DOOR = ["*.front_door_*", "google_compute_global_address.address_global[0]", ADDRESS_RECORD];

const OWN_POLICY = "-protection";

/** What the script has set on the load balancer of the Ingress. */
interface Settings {
  readonly logs: number;
  /** Part of the name of the security policy. */
  readonly policy?: string;
  readonly hasMap?: boolean;
}

/** Fails unless the load balancer has these settings; without them, there must be none. */
function requireSettings(expected?: Settings): ChangeScenario["verify"] {
  return ({ web }) => {
    const parts = [...web.loadBalancers.resources.values()];
    const backend = parts.find(({ timeoutSec }) => timeoutSec !== undefined);
    const found = {
      timeoutSec: backend?.timeoutSec,
      logConfig: backend?.logConfig,
      securityPolicy: backend?.securityPolicy,
      certificateMap: parts.find(({ certificateMap }) => certificateMap !== undefined)?.certificateMap,
    };
    const log = (found.logConfig ?? {}) as { readonly enable?: boolean; readonly sampleRate?: number };
    const isRight =
      expected === undefined
        ? parts.length === 0
        : found.timeoutSec === 3600 &&
          (log.enable === true ? log.sampleRate : 0) === expected.logs &&
          (expected.policy === undefined
            ? found.securityPolicy === undefined
            : String(found.securityPolicy).includes(expected.policy)) &&
          (expected.hasMap === true) === (found.certificateMap !== undefined);
    if (!isRight) throw new Error(`the load balancer has ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  };
}

/** From no domain to one, to another, between the kinds of certificate, with and without a policy, and away from it. */
export const KUBERNETES_DOMAIN_CHANGES: readonly ChangeScenario[] = [
  {
    name: "a domain",
    change: withInputs(WITH_DOMAIN),
    expected: {
      ...OF_HOST,
      ...all("delete", [ADDRESS, SERVICE]),
      ...all("create", [...apis("dns"), ...DOOR, POLICY]),
      // The application gets its public address.
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
    verify: requireSettings({ logs: 0, policy: OWN_POLICY }),
  },
  {
    name: "another domain",
    change: withInputs({ domain: "sso.example.com" }),
    expected: { ...OF_HOST, ...all("replace", [CERTIFICATE, ADDRESS_RECORD]), ...all("update", [INGRESS, DEPLOYMENT]) },
    verify: requireSettings({ logs: 0, policy: OWN_POLICY }),
  },
  {
    name: "a domain validated by DNS, without protection, and with a log",
    change: withInputs({ certificate_validation: "dns", protection: null, request_log_sample_rate: 0.25 }),
    expected: {
      ...all("create", [...BY_DNS, VALIDATION_RECORD]),
      [SETTINGS]: "replace",
      [POLICY]: "delete",
      // Its chart of refused requests goes with the policy.
      [DASHBOARD]: "update",
    },
    verify: requireSettings({ logs: 0.25, hasMap: true }),
  },
  {
    name: "the same domain and kind of certificate, with an existing policy",
    change: withInputs({ existing_security_policy: COMPANY_POLICY, request_log_sample_rate: 1 }),
    expected: { [SETTINGS]: "replace" },
    verify: requireSettings({ logs: 1, policy: "/company", hasMap: true }),
  },
  {
    name: "another domain, validated through the load balancer, with protection",
    change: withInputs({
      certificate_validation: "load-balancer",
      domain: "login.example.com",
      existing_security_policy: null,
      protection: {},
      request_log_sample_rate: 0,
    }),
    expected: {
      ...OF_HOST,
      ...all("delete", [...BY_DNS, VALIDATION_RECORD]),
      ...all("replace", [CERTIFICATE, ADDRESS_RECORD, SETTINGS]),
      ...all("update", [INGRESS, DEPLOYMENT]),
      [POLICY]: "create",
    },
    verify: requireSettings({ logs: 0, policy: OWN_POLICY }),
  },
  {
    name: "no domain any more",
    change: withInputs({ dns_zone: null, domain: null, protection: null }),
    expected: {
      ...OF_HOST,
      ...all("create", [ADDRESS, SERVICE]),
      ...all("delete", [...apis("dns"), ...DOOR, POLICY]),
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
    verify: requireSettings(),
  },
  {
    name: "a domain again, validated by DNS",
    change: withInputs({ ...WITH_DOMAIN, certificate_validation: "dns" } satisfies Inputs),
    expected: {
      ...OF_HOST,
      ...all("delete", [ADDRESS, SERVICE]),
      ...all("create", [...apis("dns"), ...DOOR, ...BY_DNS, POLICY, VALIDATION_RECORD]),
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
    verify: requireSettings({ logs: 0, policy: OWN_POLICY, hasMap: true }),
  },
];
