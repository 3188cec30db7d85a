import { type Fault, type GoogleStandIn } from "../../../support/google-stand-in";
import { ApiError, ReasonError } from "../../../support/google-stand-in-services";
import { describeWith } from "../../../support/programs";
import { ALL, INGRESS, inScene, MAP, POLICY } from "./load-balancer-scene";

const refused = (code: number, name: string): Fault => ({
  kind: "status",
  error: new ApiError(code, name, `Injected ${name}.`),
});
const reason = (code: number, name: string): Fault => ({
  kind: "status",
  error: new ReasonError(code, name, `Injected ${name}.`),
});

const PASSING: readonly Fault[] = [
  { kind: "service-disabled" },
  refused(429, "RESOURCE_EXHAUSTED"),
  refused(503, "UNAVAILABLE"),
  { kind: "html", status: 404, page: "<title>Error 404</title>" },
  { kind: "reset" },
  { kind: "reset", carriedOut: true },
];

const READS = ["globalAddresses", "globalForwardingRules", "targetHttpsProxies", "urlMaps", "backendServices"].map(
  (collection) => `${collection}.get`,
);
const CHANGES = ["backendServices.patch", "backendServices.setSecurityPolicy", "targetHttpsProxies.setCertificateMap"];
const WATCH = "globalOperations.get";

const CONFIGURED = {
  timeoutSec: 3600,
  logConfig: { enable: true, sampleRate: 0.5 },
  securityPolicy: `https://www.googleapis.com/compute/v1/${POLICY}`,
  certificateMap: `//certificatemanager.googleapis.com/${MAP}`,
};

/** Fails unless a run ends well, with everything as it shall be, and says this. */
const requireConfigured = async (
  { run, settings }: Parameters<Parameters<typeof inScene>[0]>[0],
  environment: Readonly<Record<string, string>> = {},
  said = "",
) => {
  const { exitCode, stderr, stdout } = await run({ environment: { ...ALL, ...environment } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(said);
  expect(settings()).toEqual(CONFIGURED);
};

describeWith(["curl", "dash", "jq"], "a fault of Compute Engine", () => {
  it.concurrent.each([...READS, ...CHANGES, WATCH])("%s: lasts and is repaired by a further run, or passes", (call) =>
    inScene(async (scene) => {
      const { run, standIn } = scene;
      // One line of the script makes all reads, and waits for what is not there yet.
      const lasting = READS.includes(call) ? [403] : [400, 403, 404];
      for (const code of lasting) {
        standIn.inject(`compute.${call}`, code === 404 ? reason(404, "notFound") : refused(code, "PERMISSION_DENIED"));
        const { exitCode, output, stderr } = await run({ environment: ALL });
        expect(exitCode).toBe(1);
        expect(stderr).toMatch(new RegExp(`(GET|POST|PATCH) http://\\S+ answered HTTP ${code}.*Injected`));
        if (code === 403 && call !== WATCH) expect(stderr).toContain("grants roles/compute.loadBalancerAdmin");
        expect(output).not.toContain("ya29");
        if (call !== WATCH) continue;
        // A change whose end could not be read has been made nevertheless: the next run needs one of its own.
        standIn.loadBalancers.resources.clear();
        standIn.loadBalancers.make(INGRESS);
      }
      const before = standIn.requestsTo(`compute.${call}`).length;
      for (const fault of PASSING) standIn.inject(`compute.${call}`, fault);
      await requireConfigured(scene, { REST_TRIES: `${PASSING.length + 1}`, REST_RETRY_BASE_SECONDS: "0" });
      // None of the faults was for nothing.
      expect(standIn.requestsTo(`compute.${call}`).length - before).toBeGreaterThan(PASSING.length);
    }),
  );

  it.concurrent.each<[string, Fault, string]>([
    ["globalAddresses.get", reason(404, "notFound"), "Load balancer of apps/idp-backend: the"],
    ["backendServices.get", reason(404, "notFound"), "Load balancer of apps/idp-backend: "],
    ["backendServices.patch", reason(412, "conditionNotMet"), "being changed by somebody else"],
    ["backendServices.setSecurityPolicy", reason(400, "resourceNotReady"), "being changed by somebody else"],
    ["targetHttpsProxies.setCertificateMap", reason(400, "resourceNotReady"), "being changed by somebody else"],
  ])("%s: waits for what is not there yet or changed by others", (call, fault, said) =>
    inScene(async (scene) => {
      scene.standIn.inject(`compute.${call}`, fault, 2);
      await requireConfigured(scene, {}, said);
    }),
  );

  it.concurrent.each<[string, (standIn: GoogleStandIn) => unknown, string]>([
    [
      "somebody who changes it all the time",
      (standIn) => {
        standIn.inject("compute.backendServices.patch", reason(412, "conditionNotMet"), Infinity);
      },
      "The load balancer of apps/idp-backend is changed by somebody else all the time.",
    ],
    [
      "an operation that fails",
      ({ loadBalancers }) =>
        loadBalancers.operations.failures.set("backendServices.setSecurityPolicy", { code: "NOT_FOUND", message: "It is gone." }),
      "(security policy: idp-demo-abc123-protection) failed.\n  NOT_FOUND: It is gone.\n  To fix: ",
    ],
    [
      "a policy that does not exist",
      ({ loadBalancers }) => (loadBalancers.exists = () => false),
      `The resource '${POLICY}' was not found`,
    ],
  ])("%s is reported", (_name, arrange, said) =>
    inScene(async ({ run, standIn }) => {
      arrange(standIn);
      const { exitCode, stderr } = await run({ environment: ALL });
      expect(exitCode).toBe(1);
      expect(stderr).toContain(said);
    }),
  );

  it.concurrent("an operation that does not end goes on", () =>
    inScene(async ({ run, standIn }) => {
      standIn.loadBalancers.operations.callsUntilDone = Infinity;
      const { exitCode, stderr } = await run({ environment: { ...ALL, WAIT_SECONDS: "1" } });
      expect(exitCode).toBe(1);
      expect(stderr).toContain("was not done within 1 s; it goes on as operation-1.\n");
    }),
  );
});

describeWith(["bash", "busybox", "curl", "dash", "jq"], "configure-load-balancer.sh", () => {
  it.concurrent.each(["bash", "busybox"] as const)("behaves the same in %s", (shell) =>
    inScene(async ({ run, settings }) => {
      expect(await run({ environment: ALL, shell })).toMatchObject({ exitCode: 0, stderr: "" });
      expect(settings()).toEqual(CONFIGURED);
    }),
  );

  it.concurrent("can run twice side by side", () =>
    inScene(async (scene) => {
      scene.standIn.loadBalancers.operations.callsUntilDone = 4;
      const patience = { REST_TRIES: "20", REST_POLL_SECONDS: "0.1" };
      await Promise.all([requireConfigured(scene, patience), requireConfigured(scene, patience)]);
    }),
  );

  it.concurrent.each([1, 2, 3])(
    "killed at its change number %d leaves nothing that a second run does not finish",
    (at) =>
      inScene(async (scene) => {
        const { changes, run, standIn } = scene;
        let kill: ((signal: NodeJS.Signals) => void) | undefined;
        standIn.onRequest = () => {
          if (changes().length === at) kill?.("SIGKILL");
        };
        const killed = await run({ environment: ALL, onStart: (end) => (kill = end) });
        standIn.onRequest = () => undefined;
        expect([killed.exitCode, changes().length]).toEqual([null, at]);
        await requireConfigured(scene);
      }),
  );
});
