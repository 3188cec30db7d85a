import { describeWith } from "../../../support/programs";
import { ALL, CONFIGURED, scenario } from "./load-balancer-scene";

describeWith(["curl", "dash", "jq"], "configure-load-balancer.sh", () => {
  scenario("sets all that an Ingress cannot say, and says so", async ({ changes, parts, run, settings }) => {
    const { exitCode, stderr, stdout } = await run({ environment: ALL });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(settings()).toEqual(CONFIGURED);
    expect(changes()).toEqual([
      "backendServices.patch",
      "backendServices.setSecurityPolicy",
      "targetHttpsProxies.setSslPolicy",
      "targetHttpsProxies.setCertificateMap",
    ]);
    const [backend, proxy] = [parts.backend, parts.proxy].map((path) => path.split("/").at(-1) ?? "");
    expect(stdout.split("\n").filter((line) => !line.includes("under way"))).toEqual([
      `Backend service ${backend}: time limit of a request: 3600 s; share of requests in the log: 0.5; Strict-Transport-Security: max-age=31536000; includeSubDomains.`,
      `Backend service ${backend}: security policy: idp-demo-abc123-protection.`,
      `HTTPS proxy ${proxy}: TLS policy: idp-demo-abc123-tls.`,
      `HTTPS proxy ${proxy}: certificate map: idp-demo-abc123-certificates.`,
      expect.stringMatching(/^The load balancer of apps\/idp-backend is configured \(\d+ s\)\.$/),
      "",
    ]);
  });
});
