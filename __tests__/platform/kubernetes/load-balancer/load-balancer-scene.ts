import { GoogleStandIn } from "../../../support/google-stand-in";
import { type IngressSpec, type LoadBalancerParts } from "../../../support/google-stand-in-load-balancers";
import { runScript, type ScriptOptions, type ScriptRun } from "../../../support/google-stand-in-scripts";

export const INGRESS: IngressSpec = {
  project: "demo-project",
  address: "idp-demo-abc123-address",
  namespace: "apps",
  name: "idp",
  service: "idp-backend",
  certificates: ["idp-demo-abc123-0c6ca083"],
};

const POLICY = "projects/demo-project/global/securityPolicies/idp-demo-abc123-protection";
const MAP = "projects/demo-project/locations/global/certificateMaps/idp-demo-abc123-certificates";

const ENVIRONMENT = {
  GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first",
  PROJECT_ID: "demo-project",
  ADDRESS_NAME: INGRESS.address,
  BACKEND: "apps/idp-backend",
  OWNER: "idp-demo-abc123",
  WAIT_SECONDS: "30",
};

/** Everything that the script can set. */
export const ALL = { SECURITY_POLICY: POLICY, CERTIFICATE_MAP: MAP, REQUEST_LOG_SAMPLE_RATE: "0.5" };

/** What there is when all of it is set. */
export const CONFIGURED = {
  timeoutSec: 3600,
  logConfig: { enable: true, sampleRate: 0.5 },
  securityPolicy: `https://www.googleapis.com/compute/v1/${POLICY}`,
  certificateMap: `//certificatemanager.googleapis.com/${MAP}`,
};

export interface Scene {
  readonly standIn: GoogleStandIn;
  readonly run: (options?: ScriptOptions) => Promise<ScriptRun>;
  /** Names of the parts of the load balancer. */
  readonly parts: LoadBalancerParts;
  /** What the backend service and the proxy have of what the script sets. */
  readonly settings: () => Readonly<Record<string, unknown>>;
  /** Methods of the calls that changed something, in order. */
  readonly changes: () => readonly string[];
}

/** Every test has a project of its own, with the load balancer of one Ingress, so that tests run at the same time. */
export async function inScene(test: (scene: Scene) => Promise<void>): Promise<void> {
  const standIn = await new GoogleStandIn().start();
  const { loadBalancers } = standIn;
  const parts = loadBalancers.make(INGRESS);
  try {
    await test({
      standIn,
      parts,
      run: (options = {}) =>
        runScript("configure-load-balancer", {
          ...options,
          environment: { ...standIn.environment, ...ENVIRONMENT, ...options.environment },
        }),
      settings: () => {
        const { logConfig, securityPolicy, timeoutSec } = loadBalancers.resources.get(parts.backend) ?? {};
        const { certificateMap } = loadBalancers.resources.get(parts.proxy) ?? {};
        return { timeoutSec, logConfig, securityPolicy, certificateMap };
      },
      changes: () =>
        standIn.requests
          .filter(({ httpMethod }) => httpMethod !== "GET")
          .map(({ method }) => method.replace(/^compute\./, "")),
    });
    expect(standIn.mistakes).toEqual([]);
  } finally {
    await standIn.stop();
  }
}
