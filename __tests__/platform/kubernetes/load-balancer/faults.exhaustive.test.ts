import { type Fault, type GoogleStandIn } from "../../../support/google-stand-in";
import { programFolder, type ScriptOptions } from "../../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../../support/temporary-folder";
import { ApiError, errorReason, ReasonError } from "../../../support/google-stand-in-services";
import { describeWith } from "../../../support/programs";
import { ALL, INGRESS, inScene, MAP, POLICY, type Scene } from "./load-balancer-scene";

function status(code: number, name: string, ...reasons: readonly string[]): Fault {
  const details = reasons.map((reason) => errorReason(reason));
  return { kind: "status", error: new ApiError(code, name, `Injected ${name}.`, details) };
}

function reason(code: number, name: string): Fault {
  return { kind: "status", error: new ReasonError(code, name, `Injected ${name}.`) };
}

/** One fault for each way in which the script can take an answer. */
const LASTING: readonly (readonly [name: string, fault: Fault])[] = [
  ["400", status(400, "FAILED_PRECONDITION")],
  ["403", status(403, "PERMISSION_DENIED")],
  ["404", reason(404, "notFound")],
];

const PASSING: readonly (readonly [name: string, fault: Fault])[] = [
  ["403 SERVICE_DISABLED", { kind: "service-disabled" }],
  ["429 RESOURCE_EXHAUSTED", status(429, "RESOURCE_EXHAUSTED")],
  ["503 UNAVAILABLE", status(503, "UNAVAILABLE")],
  ["an HTML page", { kind: "html", status: 404, page: "<title>Error 404</title>" }],
  ["a page that welcomes", { kind: "html", status: 200, page: "<p>Welcome</p>" }],
  ["a connection that breaks", { kind: "reset" }],
  ["an answer that is lost", { kind: "reset", carriedOut: true }],
  ["a token that has expired", { kind: "expired-token" }],
];

const READS = ["globalAddresses", "globalForwardingRules", "targetHttpsProxies", "urlMaps", "backendServices"].map(
  (collection) => `${collection}.get`,
);
const CHANGES = ["backendServices.patch", "backendServices.setSecurityPolicy", "targetHttpsProxies.setCertificateMap"];
const CALLS = [...READS, ...CHANGES, "globalOperations.get"];

const CONFIGURED = {
  timeoutSec: 3600,
  logConfig: { enable: true, sampleRate: 0.5 },
  securityPolicy: `https://www.googleapis.com/compute/v1/${POLICY}`,
  certificateMap: `//certificatemanager.googleapis.com/${MAP}`,
};

/** A token from a program, which has another one when the first has expired. */
function renewableToken(standIn: GoogleStandIn): ScriptOptions {
  const folder = temporaryFolder();
  standIn.tokens.add("ya29.second");
  const gcloud = `if [ -e ${folder}/asked ]; then echo ya29.second; else : >${folder}/asked; echo ya29.first; fi`;
  return { programs: programFolder({ scripts: { gcloud } }) };
}

/** Fails unless a run ends well, with everything as it shall be. */
async function requireConfigured({ run, settings }: Scene): Promise<void> {
  expect(await run({ environment: ALL })).toMatchObject({ exitCode: 0, stderr: "" });
  expect(settings()).toEqual(CONFIGURED);
}

describeWith(["curl", "dash", "jq"], "a fault of Compute Engine", () => {
  it.concurrent.each(CALLS)("%s: fails with a message and is repaired by a further run, or passes", (call) =>
    inScene(async ({ run, settings, standIn }) => {
      // One line of the script makes all reads, and waits for what is not there yet.
      const lasting = LASTING.filter(([name]) => !READS.includes(call) || name === "403");
      for (const [name, fault] of lasting) {
        standIn.inject(`compute.${call}`, fault);

        const { exitCode, output, stderr } = await run({ environment: ALL });

        expect(exitCode).toBe(1);
        expect(stderr).toMatch(new RegExp(`(GET|POST|PATCH) http://\\S+ answered HTTP ${name}.*Injected`));
        if (name === "403" && call !== "globalOperations.get")
          expect(stderr).toContain("an owner grants roles/compute.loadBalancerAdmin");
        expect(output).not.toContain("ya29");
        // A change whose end could not be read has been made nevertheless: the next run needs one of its own.
        if (call === "globalOperations.get") standIn.loadBalancers.resources.clear();
        if (call === "globalOperations.get") standIn.loadBalancers.make(INGRESS);
      }
      const before = standIn.requestsTo(`compute.${call}`).length;
      for (const [, fault] of PASSING) standIn.inject(`compute.${call}`, fault);
      const patience = { REST_TRIES: `${PASSING.length + 1}`, REST_RETRY_BASE_SECONDS: "0" };

      const { exitCode, output, stderr } = await run({
        ...renewableToken(standIn),
        environment: { ...ALL, ...patience, GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(output).not.toContain("ya29");
      // None of the faults was for nothing.
      expect(standIn.requestsTo(`compute.${call}`).length - before).toBeGreaterThan(PASSING.length);
      expect(settings()).toEqual(CONFIGURED);
    }),
  );

  it.concurrent.each([READS[0], READS[4]])("%s: waits for what does not exist yet", (call) =>
    inScene(async ({ run, settings, standIn }) => {
      standIn.inject(`compute.${call}`, reason(404, "notFound"), 3);

      const { exitCode, stdout } = await run({ environment: ALL });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Load balancer of apps\/idp-backend: (the|no) .* \(\d+ s\)\n/);
      expect(settings()).toEqual(CONFIGURED);
    }),
  );

  it.concurrent.each(
    CHANGES.map((call, index) =>
      index === 0
        ? ([call, "412 conditionNotMet", reason(412, "conditionNotMet")] as const)
        : ([call, "400 resourceNotReady", reason(400, "resourceNotReady")] as const),
    ),
  )("%s: %s: looks again while somebody else changes it", (call, _name, fault) =>
    inScene(async ({ run, settings, standIn }) => {
      standIn.inject(`compute.${call}`, fault, 2);

      const { exitCode, stdout } = await run({ environment: ALL });

      expect(exitCode).toBe(0);
      expect(stdout).toContain("being changed by somebody else");
      expect(settings()).toEqual(CONFIGURED);
    }),
  );

  it.concurrent("gives up when somebody else changes it all the time", () =>
    inScene(async ({ run, standIn }) => {
      standIn.inject("compute.backendServices.patch", reason(412, "conditionNotMet"), Infinity);

      const { exitCode, stderr } = await run({ environment: ALL });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("The load balancer of apps/idp-backend is changed by somebody else all the time.");
    }),
  );

  it.concurrent.each(CHANGES)(
    "%s: an operation that fails is reported with its message, and repaired by a further run",
    (call) =>
      inScene(async (scene) => {
        scene.standIn.loadBalancers.failures.set(call, { code: "RESOURCE_NOT_FOUND", message: "It is not there." });

        const { exitCode, stderr } = await scene.run({ environment: ALL });

        expect(exitCode).toBe(1);
        expect(stderr).toMatch(
          /^(Backend service|HTTPS proxy) \S+: the change \(.+\) failed\.\n {2}RESOURCE_NOT_FOUND: It is not there\.\n {2}To fix: /,
        );
        await requireConfigured(scene);
      }),
  );

  it.concurrent("an operation that does not end keeps running", () =>
    inScene(async (scene) => {
      scene.standIn.loadBalancers.callsUntilDone = Infinity;

      const { exitCode, stderr } = await scene.run({ environment: { ...ALL, WAIT_SECONDS: "1" } });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/was not done within 1 s; it goes on as operation-1764000000000-1\.\n/);
    }),
  );

  it.concurrent("a policy that does not exist is reported with the API's message", () =>
    inScene(async ({ run, standIn }) => {
      standIn.loadBalancers.exists = () => false;

      const { exitCode, stderr } = await run({ environment: { SECURITY_POLICY: POLICY } });

      expect(exitCode).toBe(1);
      expect(stderr).toContain(`The resource '${POLICY}' was not found`);
      expect(stderr).toContain("(security policy: idp-demo-abc123-protection)");
    }),
  );

  it.concurrent("a token that never works ends it with the remedy", () =>
    inScene(async ({ run, standIn }) => {
      standIn.tokens.clear();

      const { exitCode, stderr } = await run({ environment: ALL });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("The access token in GOOGLE_OAUTH_ACCESS_TOKEN has expired or is not valid");
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
    inScene(async ({ run, settings, standIn }) => {
      standIn.loadBalancers.callsUntilDone = 4;
      const patience = { ...ALL, REST_TRIES: "20", REST_POLL_SECONDS: "0.1" };

      const runs = await Promise.all([run({ environment: patience }), run({ environment: patience })]);

      expect(runs.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
        { exitCode: 0, stderr: "" },
        { exitCode: 0, stderr: "" },
      ]);
      expect(settings()).toEqual(CONFIGURED);
    }),
  );

  it.concurrent.each([
    ["SIGKILL", 1],
    ["SIGKILL", 2],
    ["SIGKILL", 3],
    ["SIGTERM", 2],
  ] as const)(
    "killed by %s at its change number %d leaves nothing that a second run does not finish",
    (signal, number) =>
      inScene(async (scene) => {
        const { changes, run, standIn } = scene;
        const folder = temporaryFolder();
        let kill: ((signal: NodeJS.Signals) => void) | undefined;
        standIn.onRequest = () => {
          if (changes().length === number) kill?.(signal);
        };

        const killed = await run({
          environment: { ...ALL, TMPDIR: folder },
          onStart: (end) => {
            kill = end;
          },
        });
        standIn.onRequest = () => undefined;

        if (signal === "SIGKILL") expect(killed.exitCode).toBeNull();
        else expect(killed.stderr).toContain(`Interrupted by ${signal}.`);
        expect(changes()).toHaveLength(number);
        await requireConfigured(scene);
      }),
  );
});
