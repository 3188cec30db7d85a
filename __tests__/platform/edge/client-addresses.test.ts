import { BlockList, isIPv6 } from "node:net";

import { ServerlessIdentityProvider } from "../../../lib";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes";
import { NEWEST_KNOWN_VERSION, PINNED_VERSION, REFUSED_VERSION } from "../../../lib/idp/contract";
import { APPLICATION_VERSION } from "../../../lib/idp/image-rules";
import { kubernetesTerraform } from "../../stacks/kubernetes-stack";
import { serverlessTerraform } from "../../stacks/serverless-stack";
import { evaluatedTogether } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { bareStack, terraformOf, type Terraform } from "../../support/synthesis";

const CLIENT = "198.51.100.7";
const IPV6_CLIENT = "2001:db8::7";
const BALANCER = "203.0.113.80";
const FORGED = "192.0.2.66";
const CLOUD_RUN = "169.254.169.126";
const FRONT_END = "35.191.12.34";
const POD = "10.4.0.9";

/** A request as the application gets it: who connects, and the header. */
interface Arrival {
  readonly peer: string;
  readonly forwardedFor: readonly string[];
}

/** What each front end makes of a request with this header. */
type FrontEnd = (client: string, sent: readonly string[]) => Arrival;

const cloudRun: FrontEnd = (client, sent) => ({ peer: CLOUD_RUN, forwardedFor: [...sent, client] });

/** Google's load balancers append the address that connects and their own. */
const balanced = (client: string, sent: readonly string[]) => [...sent, client, BALANCER];

const balancedCloudRun: FrontEnd = (client, sent) => ({ peer: CLOUD_RUN, forwardedFor: balanced(client, sent) });

/** As people have seen it: Cloud Run appends the client once more. */
const balancedCloudRunAgain: FrontEnd = (client, sent) => ({
  peer: CLOUD_RUN,
  forwardedFor: [...balanced(client, sent), client],
});

const ingress: FrontEnd = (client, sent) => ({ peer: FRONT_END, forwardedFor: balanced(client, sent) });

const passthrough: FrontEnd = (client, sent) => ({ peer: client, forwardedFor: sent });

/** How a line of releases finds the client, given the ranges that it trusts. */
type Reading = (arrival: Arrival, isTrusted: (address: string) => boolean) => string;

/** The first address of the header, which the client may have written. */
const upTo20265: Reading = ({ forwardedFor, peer }, isTrusted) => (isTrusted(peer) ? (forwardedFor[0] ?? peer) : peer);

/** The last address of the header, even if it is that of a proxy. */
const the20260800: Reading = ({ forwardedFor, peer }, isTrusted) =>
  isTrusted(peer) ? (forwardedFor.at(-1) ?? peer) : peer;

/** The last address of the header that is not trusted. */
const from202681: Reading = ({ forwardedFor, peer }, isTrusted) =>
  isTrusted(peer) ? (forwardedFor.findLast((address) => !isTrusted(address)) ?? peer) : peer;

/** A list as the application reads it. */
function trusts(list: string): (address: string) => boolean {
  const ranges = new BlockList();
  for (const range of list.split(",")) {
    const [network = "", prefix] = range.split("/");
    ranges.addSubnet(network, Number(prefix), isIPv6(network) ? "ipv6" : "ipv4");
  }
  return (address) => ranges.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The ranges that a deployment makes the application trust, with the address of its load balancer. */
function listOf(
  build: (stack: ReturnType<typeof bareStack>, props: { projectId: string; tenantId: string }) => unknown,
) {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  build(stack, { projectId: "demo-project", tenantId: "demo" });
  const [, list] = /"IDP_LISTEN__TRUSTED_PROXY_CIDRS":"([^"]*)"/.exec(JSON.stringify(terraformOf(stack))) ?? [];
  return (list ?? "").replaceAll(/\$\{[^}]*\}/g, BALANCER);
}

const DOMAIN = "login.example.com";
const LISTS = {
  serverless: listOf((stack, props) => new ServerlessIdentityProvider(stack, "Idp", props)),
  serverlessDomain: listOf(
    (stack, props) => new ServerlessIdentityProvider(stack, "Idp", { ...props, domain: DOMAIN }),
  ),
  kubernetes: listOf((stack, props) => new KubernetesIdentityProvider(stack, "Idp", props)),
  kubernetesDomain: listOf(
    (stack, props) => new KubernetesIdentityProvider(stack, "Idp", { ...props, domain: DOMAIN }),
  ),
};

type Row = readonly [
  behaviour: string,
  frontEnd: FrontEnd,
  list: keyof typeof LISTS,
  sent: readonly string[],
  upTo20265: string,
  the20260800: string,
  from202681: string,
];

const ROWS: readonly Row[] = [
  ["Cloud Run", cloudRun, "serverless", [], CLIENT, CLIENT, CLIENT],
  ["Cloud Run, forged", cloudRun, "serverless", [FORGED], FORGED, CLIENT, CLIENT],
  ["Cloud Run, whose domain is another way in", cloudRun, "serverlessDomain", [FORGED], FORGED, CLIENT, CLIENT],
  ["a load balancer and Cloud Run", balancedCloudRun, "serverlessDomain", [], CLIENT, BALANCER, CLIENT],
  ["a load balancer and Cloud Run, forged", balancedCloudRun, "serverlessDomain", [FORGED], FORGED, BALANCER, CLIENT],
  ["the same with the client twice", balancedCloudRunAgain, "serverlessDomain", [], CLIENT, CLIENT, CLIENT],
  [
    "the same with the client twice, forged",
    balancedCloudRunAgain,
    "serverlessDomain",
    [FORGED],
    FORGED,
    CLIENT,
    CLIENT,
  ],
  ["an Ingress", ingress, "kubernetesDomain", [], CLIENT, BALANCER, CLIENT],
  ["an Ingress, forged", ingress, "kubernetesDomain", [FORGED], FORGED, BALANCER, CLIENT],
  ["an Ingress, forged as trusted", ingress, "kubernetesDomain", [POD, BALANCER], POD, BALANCER, CLIENT],
  ["a passthrough load balancer", passthrough, "kubernetes", [], CLIENT, CLIENT, CLIENT],
  ["a passthrough load balancer, forged", passthrough, "kubernetes", [FORGED], CLIENT, CLIENT, CLIENT],
];

describe("The address of a client behind", () => {
  it.each(ROWS)("%s", (_, frontEnd, list, sent, ...expected) => {
    const seenBy = (reading: Reading) => reading(frontEnd(CLIENT, sent), trusts(LISTS[list]));
    expect([upTo20265, the20260800, from202681].map(seenBy)).toEqual(expected);
  });

  it.each([
    ["a load balancer and Cloud Run", balancedCloudRun, LISTS.serverlessDomain],
    ["an Ingress", ingress, LISTS.kubernetesDomain],
    ["a passthrough load balancer", passthrough, LISTS.kubernetes],
  ])("%s is seen by the newest releases for IPv6 too", (_, frontEnd, list) => {
    expect(from202681(frontEnd(IPV6_CLIENT, [FORGED]), trusts(list))).toBe(IPV6_CLIENT);
  });

  it.each([
    ["a load balancer and Cloud Run", balancedCloudRun, LISTS.serverlessDomain],
    ["an Ingress", ingress, LISTS.kubernetesDomain],
  ])("%s: every client looks like the load balancer, unless its address is trusted", (_, frontEnd, list) => {
    const without = list.replace(`,${BALANCER}/32`, "");
    expect(without).not.toBe(list);
    expect(from202681(frontEnd(CLIENT, []), trusts(without))).toBe(BALANCER);
  });

  it("in a cluster's own network is what a pod claims, because private addresses are trusted", () => {
    expect(from202681(passthrough(POD, [FORGED]), trusts(LISTS.kubernetes))).toBe(FORGED);
  });
});

describeWith(["terraform"], "The ranges that a stack makes the application trust", () => {
  const VARIABLE = "IDP_LISTEN__TRUSTED_PROXY_CIDRS";

  /** The list as Terraform evaluates it, with an example in place of each address that it would create. */
  const listOfStack = ({ locals = {} }: Terraform, domain: string | null) => {
    const [list = ""] = Object.values(locals).flatMap((layer) => (layer as Record<string, string>)[VARIABLE] ?? []);
    const known = list.replaceAll(/one\(google_compute_\w+\.\w+\[\*\]\.address\)/g, `"${BALANCER}"`);
    return { locals: { list: known }, variable: { domain: { default: domain } } };
  };

  it("are those of the construct", () => {
    const evaluated = evaluatedTogether(["list"], {
      serverless: listOfStack(serverlessTerraform(), null),
      serverlessDomain: listOfStack(serverlessTerraform(), DOMAIN),
      kubernetes: listOfStack(kubernetesTerraform(), null),
      kubernetesDomain: listOfStack(kubernetesTerraform(), DOMAIN),
    });
    const { serverless, serverlessDomain, kubernetes, kubernetesDomain } = LISTS;
    const expected = { serverless, serverlessDomain, kubernetes, kubernetesDomain };
    expect(evaluated).toEqual(Object.fromEntries(Object.entries(expected).map(([name, list]) => [name, { list }])));
  });
});

describe("A release that cannot tell clients apart behind a load balancer", () => {
  it("is refused, and only that one", () => {
    const accepted = (version: string) => APPLICATION_VERSION.every((rule) => rule.accepts(version));
    expect(
      ["2026.5.4", "2026.5.8", "2026.8.0", "2026.8.1", PINNED_VERSION, NEWEST_KNOWN_VERSION].map(accepted),
    ).toEqual([true, true, false, true, true, true]);
    expect(REFUSED_VERSION).toBe("2026.8.0");
  });
});
