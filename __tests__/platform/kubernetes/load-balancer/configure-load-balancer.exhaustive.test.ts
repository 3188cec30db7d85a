import { FaultMatrix, type FaultRow, page, status } from "../../../support/fault-matrix";
import { type Fault } from "../../../support/google-stand-in";
import { ReasonError } from "../../../support/google-stand-in-services";
import { describeWith } from "../../../support/programs";
import { ALL, CONFIGURED, INGRESS, inScene, scenario, type Scene } from "./load-balancer-scene";

const READS = ["globalAddresses", "globalForwardingRules", "targetHttpsProxies", "urlMaps", "backendServices"].map(
  (collection) => `compute.${collection}.get`,
);
const PATCH = "compute.backendServices.patch";
const SET_POLICY = "compute.backendServices.setSecurityPolicy";
const SET_TLS = "compute.targetHttpsProxies.setSslPolicy";
const SET_MAP = "compute.targetHttpsProxies.setCertificateMap";
const WATCH = "compute.globalOperations.get";

const reason = (code: number, name: string): Fault => ({
  kind: "status",
  error: new ReasonError(code, name, `Injected ${name}.`),
});

const matrix = new FaultMatrix<Scene>({
  inScene,
  run: ({ run }, options) => run({ ...options, environment: { ...ALL, ...options.environment } }),
  settled: ({ settings }) => expect(settings()).toEqual(CONFIGURED),
});

describeWith(["busybox", "curl", "dash", "jq"], "configure-load-balancer.sh", () => {
  matrix.passing([READS, [PATCH, SET_POLICY, SET_TLS, SET_MAP, WATCH]]);

  matrix.kills(4, [2], "SIGKILL", async ({ settings }, _, again) => {
    expect(await again()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(settings()).toEqual(CONFIGURED);
  });

  const denied = [status(403, "PERMISSION_DENIED")];
  const waited = (at: string, fault: Fault, says: string): FaultRow<Scene> => ({
    what: `waits for what is not there yet or changed by others: ${at}`,
    at,
    answers: [fault, fault],
    exitCode: 0,
    says: [says],
  });

  matrix.rows([
    ...[PATCH, SET_TLS, SET_MAP].map((at) => ({
      what: `names the role that a refused ${at} needs`,
      at,
      answers: denied,
      lasts: true,
      exitCode: 1,
      says: [/(GET|POST|PATCH) http:\S+ answered HTTP 403 .*Injected/, "grants roles/compute.loadBalancerAdmin"],
    })),
    { what: "is ended by a change whose end cannot be read", at: WATCH, answers: denied, lasts: true, exitCode: 1 },
    waited("compute.globalAddresses.get", reason(404, "notFound"), "Load balancer of apps/idp-backend: the"),
    waited(PATCH, reason(412, "conditionNotMet"), "being changed by somebody else"),
    waited(SET_POLICY, reason(400, "resourceNotReady"), "being changed by somebody else"),
    {
      what: "makes a change again that it does not find on a second look",
      at: PATCH,
      exitCode: 0,
      answers: [page(200, '{ "kind": "compute#operation", "name": "operation-9", "status": "DONE" }')],
    },
    {
      what: "looks a second time with a single try",
      at: PATCH,
      answers: [],
      exitCode: 0,
      options: { environment: { REST_TRIES: "1" } },
    },
    {
      what: "gives up when somebody changes it all the time",
      at: PATCH,
      lasts: true,
      exitCode: 1,
      answers: [reason(412, "conditionNotMet")],
      says: [
        "The load balancer of apps/idp-backend is still not configured after 5 attempts: something else keeps changing it",
      ],
    },
    {
      what: "reports an operation that fails",
      at: WATCH,
      answers: [],
      exitCode: 1,
      options: ({ loadBalancers }) => {
        loadBalancers.operations.failures.set("backendServices.setSecurityPolicy", {
          code: "NOT_FOUND",
          message: "Gone.",
        });
        return {};
      },
      says: [
        /cannot be changed \(security policy: idp-demo-abc123-protection\)\.\n {2}Operation \S+ failed: NOT_FOUND: Gone\.\n/,
      ],
    },
    {
      what: "gives up after the time limit, and says where to look",
      at: READS[0] ?? "",
      exitCode: 1,
      answers: [reason(404, "notFound")],
      lasts: true,
      options: { environment: { WAIT_SECONDS: "0" } },
      says: [
        "The Ingress controller did not create the load balancer of apps/idp-backend within 0 s: the address does not",
        "To fix: kubectl describe ingress --namespace apps tells why; then run the same command again, or raise WAIT_SE",
      ],
      left: ({ changes }) => expect(changes()).toEqual([]),
    },
    {
      what: "leaves an operation that does not end",
      at: WATCH,
      answers: [],
      exitCode: 1,
      options: ({ loadBalancers }) => {
        loadBalancers.operations.callsUntilDone = Infinity;
        return { environment: { WAIT_SECONDS: "1" } };
      },
      says: ["Operation operation-1 is not done after 1 s; it goes on by itself. To wait longer, raise WAIT_SECONDS"],
    },
  ]);

  scenario(
    "changes only what differs, and detaches what the deployment no longer has",
    async ({ changes, run, settings }) => {
      await run({ environment: ALL });
      const second = await run({ environment: ALL });
      expect([second.exitCode, changes().length]).toEqual([0, 4]);
      expect(second.output).toBe("The load balancer of apps/idp-backend is configured already: nothing to do.\n");

      await run({ environment: { ...ALL, REQUEST_LOG_SAMPLE_RATE: "0" } });
      expect(changes().slice(4)).toEqual(["backendServices.patch"]);
      expect(settings()).toMatchObject({ timeoutSec: 3600, logConfig: { enable: false } });

      await run();
      expect(changes().slice(5)).toEqual([
        "backendServices.patch",
        "backendServices.setSecurityPolicy",
        "targetHttpsProxies.setSslPolicy",
        "targetHttpsProxies.setCertificateMap",
      ]);
      expect(settings()).toEqual({ timeoutSec: 3600, logConfig: { enable: false, sampleRate: 0.5 } });
    },
  );

  scenario(
    "leaves the headers of others, and replaces its own",
    async ({ parts, run, settings, standIn: { loadBalancers } }) => {
      const theirs = ["X-Team: sign-in", "strict-transport-security: max-age=60"];
      loadBalancers.add(parts.backend, {
        ...loadBalancers.resources.get(parts.backend),
        customResponseHeaders: theirs,
      });
      await run({ environment: { STRICT_TRANSPORT_SECURITY: "max-age=0" } });
      expect(settings().customResponseHeaders).toEqual(["X-Team: sign-in", "Strict-Transport-Security: max-age=0"]);
      await run();
      expect(settings().customResponseHeaders).toEqual(["X-Team: sign-in"]);
    },
  );

  scenario(
    "keeps the policies and the map of another owner when none is given, and says so",
    async ({ run, settings }) => {
      const map = "projects/demo-project/locations/global/certificateMaps/theirs";
      const tls = "projects/demo-project/global/sslPolicies/strict";
      const theirs = { SECURITY_POLICY: "organization-policy", CERTIFICATE_MAP: map, TLS_POLICY: tls };
      await run({ environment: theirs });
      const before = settings();
      expect(before.securityPolicy).toMatch(/\/projects\/demo-project\/global\/securityPolicies\/organization-policy$/);

      const { exitCode, stdout } = await run();

      expect(exitCode).toBe(0);
      expect(settings()).toEqual(before);
      expect(stdout).toContain("keeps security policy organization-policy, which is not this deployment's");
      expect(stdout).toContain("keeps TLS policy strict, which is not this deployment's");
      expect(stdout).toContain("keeps certificate map theirs, which is not this deployment's");
    },
  );

  scenario("refuses invalid settings, all at once", async ({ run, standIn }) => {
    const environment = {
      ADDRESS_NAME: "",
      BACKEND: "idp-backend",
      OWNER: "-",
      REQUEST_LOG_SAMPLE_RATE: "1.5",
      REQUEST_TIMEOUT_SECONDS: "0",
      SECURITY_POLICY: "regions/here",
      CERTIFICATE_MAP: "map",
      STRICT_TRANSPORT_SECURITY: 'max-age=1", "x',
      TLS_POLICY: "modern",
    };

    const { exitCode, stderr } = await run({ environment });

    expect(exitCode).toBe(2);
    const named = [...stderr.matchAll(/^ {2}- (\w+) is /gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(environment).sort());
    expect(standIn.requests).toEqual([]);
  });

  scenario("does not change the backend service of another Ingress", async ({ changes, run, standIn }) => {
    // Its description begins like that of our own.
    standIn.loadBalancers.remove("demo-project", INGRESS.address);
    standIn.loadBalancers.make({ ...INGRESS, service: "idp-backend-2" });

    const { exitCode, stderr } = await run({ environment: ALL });

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^Address idp-demo-abc123-address leads to backend service \S+, which is that of apps\/idp-backend-2, not of apps\/idp-backend\. Nothing is changed\.\n {2}To fix: /,
    );
    expect(changes()).toEqual([]);
  });
});
