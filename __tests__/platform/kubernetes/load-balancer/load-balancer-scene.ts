import { type ApiScene, inApiScene, scenarioIn } from "../../../support/api-scene";
import { type IngressSpec, type LoadBalancerParts } from "../../../support/google-stand-in-load-balancers";
import { type ScriptOptions, type ScriptRun } from "../../../support/google-stand-in-scripts";

export const INGRESS: IngressSpec = {
  project: "demo-project",
  address: "idp-demo-abc123-address",
  namespace: "apps",
  name: "idp",
  service: "idp-backend",
  certificates: ["idp-demo-abc123-0c6ca083"],
};

const POLICY = "projects/demo-project/global/securityPolicies/idp-demo-abc123-protection";
const TLS = "projects/demo-project/global/sslPolicies/idp-demo-abc123-tls";
const MAP = "projects/demo-project/locations/global/certificateMaps/idp-demo-abc123-certificates";

const ENVIRONMENT = {
  ADDRESS_NAME: INGRESS.address,
  BACKEND: "apps/idp-backend",
  OWNER: "idp-demo-abc123",
  WAIT_SECONDS: "30",
};

/** Everything that the script can set. */
export const ALL = {
  CERTIFICATE_MAP: MAP,
  REQUEST_LOG_SAMPLE_RATE: "0.5",
  SECURITY_POLICY: POLICY,
  STRICT_TRANSPORT_SECURITY: "max-age=31536000; includeSubDomains",
  TLS_POLICY: TLS,
};

/** What there is when all of it is set. */
export const CONFIGURED = {
  timeoutSec: 3600,
  logConfig: { enable: true, sampleRate: 0.5 },
  securityPolicy: `https://www.googleapis.com/compute/v1/${POLICY}`,
  customResponseHeaders: ["Strict-Transport-Security: max-age=31536000; includeSubDomains"],
  sslPolicy: `https://www.googleapis.com/compute/v1/${TLS}`,
  certificateMap: `//certificatemanager.googleapis.com/${MAP}`,
};

export interface Scene extends Pick<ApiScene, "changes" | "standIn"> {
  readonly run: (options?: ScriptOptions) => Promise<ScriptRun>;
  /** Names of the parts of the load balancer. */
  readonly parts: LoadBalancerParts;
  /** What the backend service and the proxy have of what the script sets. */
  readonly settings: () => Readonly<Record<string, unknown>>;
}

/** Every test has a project of its own, with the load balancer of one Ingress. */
export const inScene = (test: (scene: Scene) => Promise<void>): Promise<void> =>
  inApiScene(ENVIRONMENT, ({ changes, run, standIn }) => {
    const { loadBalancers } = standIn;
    const parts = loadBalancers.make(INGRESS);
    return test({
      standIn,
      parts,
      run: (options) => run("configure-load-balancer", options),
      settings: () => {
        const backend = loadBalancers.resources.get(parts.backend) ?? {};
        const { customResponseHeaders, logConfig, securityPolicy, timeoutSec } = backend;
        const { certificateMap, sslPolicy } = loadBalancers.resources.get(parts.proxy) ?? {};
        return { timeoutSec, logConfig, customResponseHeaders, securityPolicy, sslPolicy, certificateMap };
      },
      changes: () => changes().map((method) => method.replace(/^compute\./, "")),
    });
  });

export const scenario = scenarioIn(inScene);
