import { describeWith } from "../../../support/programs";
import { ALL, INGRESS, inScene } from "./load-balancer-scene";

const COMPUTE = "https://www.googleapis.com/compute/v1/";

describeWith(["curl", "dash", "jq"], "configure-load-balancer.sh", () => {
  it.concurrent("changes nothing in a second run, and one thing when one differs", () =>
    inScene(async ({ changes, run, settings }) => {
      await run({ environment: ALL });
      const before = changes().length;

      const second = await run({ environment: ALL });
      const third = await run({ environment: { ...ALL, REQUEST_LOG_SAMPLE_RATE: "0" } });

      expect(second).toMatchObject({
        exitCode: 0,
        output: "The load balancer of apps/idp-backend is configured already: nothing to do.\n",
      });
      expect(third.exitCode).toBe(0);
      expect(changes().slice(before)).toEqual(["backendServices.patch"]);
      expect(settings()).toMatchObject({ timeoutSec: 3600, logConfig: { enable: false } });
    }),
  );

  it.concurrent("detaches the policy and the map of the deployment when none is given", () =>
    inScene(async ({ changes, run, settings }) => {
      await run({ environment: ALL });
      const before = changes().length;

      const { exitCode } = await run();

      expect(exitCode).toBe(0);
      expect(settings()).toMatchObject({ securityPolicy: undefined, certificateMap: undefined });
      expect(changes().slice(before)).toEqual([
        "backendServices.patch",
        "backendServices.setSecurityPolicy",
        "targetHttpsProxies.setCertificateMap",
      ]);
    }),
  );

  it.concurrent("keeps the policy and the map of another owner when none is given, and says so", () =>
    inScene(async ({ run, settings }) => {
      const theirs = {
        SECURITY_POLICY: "organization-policy",
        CERTIFICATE_MAP: "projects/demo-project/locations/global/certificateMaps/theirs",
      };
      await run({ environment: theirs });
      const before = settings();

      const { exitCode, stdout } = await run();

      expect(exitCode).toBe(0);
      expect(settings()).toEqual(before);
      expect(before).toMatchObject({
        securityPolicy: `${COMPUTE}projects/demo-project/global/securityPolicies/organization-policy`,
      });
      expect(stdout).toContain("keeps security policy organization-policy, which is not this deployment's");
      expect(stdout).toContain("keeps certificate map theirs, which is not this deployment's");
    }),
  );

  it.concurrent("gives up after the time limit, and says where to look", () =>
    inScene(async ({ run, standIn }) => {
      standIn.loadBalancers.remove("demo-project", INGRESS.address);
      standIn.loadBalancers.add(`demo-project/global/addresses/${INGRESS.address}`, { status: "RESERVED" });

      const { exitCode, stderr } = await run({ environment: { ...ALL, WAIT_SECONDS: "0" } });

      expect(exitCode).toBe(1);
      expect(stderr).toBe(
        "The Ingress controller did not create the load balancer of apps/idp-backend within 0 s: no HTTPS load balancer uses the address.\n  To fix: kubectl describe ingress --namespace apps tells why; then run the same command again, or raise WAIT_SECONDS.\n",
      );
    }),
  );

  it.concurrent("refuses invalid settings, all at once", () =>
    inScene(async ({ run, standIn }) => {
      const { exitCode, stderr } = await run({
        environment: {
          ...{ ADDRESS_NAME: "", BACKEND: "idp-backend", OWNER: "-", REQUEST_LOG_SAMPLE_RATE: "1.5" },
          ...{ REQUEST_TIMEOUT_SECONDS: "0", SECURITY_POLICY: "regions/here", CERTIFICATE_MAP: "map" },
        },
      });

      expect(exitCode).toBe(2);
      expect([...stderr.matchAll(/^ {2}- (\w+) is /gm)].map(([, name]) => name)).toEqual([
        ...["ADDRESS_NAME", "BACKEND", "OWNER", "REQUEST_TIMEOUT_SECONDS", "REQUEST_LOG_SAMPLE_RATE"],
        ...["SECURITY_POLICY", "CERTIFICATE_MAP"],
      ]);
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent("does not change the backend service of another Ingress", () =>
    inScene(async ({ changes, run, standIn }) => {
      // Its description begins like that of our own.
      standIn.loadBalancers.remove("demo-project", INGRESS.address);
      standIn.loadBalancers.make({ ...INGRESS, service: "idp-backend-2" });

      const { exitCode, stderr } = await run({ environment: ALL });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^Address idp-demo-abc123-address leads to backend service \S+, which is that of apps\/idp-backend-2, not of apps\/idp-backend\. Nothing is changed\.\n {2}To fix: /,
      );
      expect(changes()).toEqual([]);
    }),
  );

  it.concurrent("waits until the controller has created everything", () =>
    inScene(async ({ run, settings, standIn }) => {
      standIn.loadBalancers.remove("demo-project", INGRESS.address);

      const { exitCode, stdout } = await run({
        environment: ALL,
        onOutput: (output) => {
          if (output.includes("the address does not exist")) standIn.loadBalancers.make(INGRESS);
        },
      });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Load balancer of apps\/idp-backend: the address does not exist \(\d+ s\)\n/);
      expect(settings()).toMatchObject({ timeoutSec: 3600 });
    }),
  );
});
