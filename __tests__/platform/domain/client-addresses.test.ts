import { BlockList, isIPv6 } from "node:net";

import { ServerlessIdentityProvider } from "../../../lib";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes";
import { kubernetesTerraform } from "../../stacks/kubernetes-stack";
import { withLocals } from "../../stacks/made-parts";
import { serverlessTerraform } from "../../stacks/serverless-stack";
import { evaluatedTogether } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { bareStack, type Terraform, terraformOf } from "../../support/synthesis";

const BALANCER = "203.0.113.80";
const IPV6_BALANCER = "2001:db8:0:1e::";
const CLOUD_RUN = "169.254.169.126";
const FRONT_END = "35.191.12.34";

/** What each front end makes of a request with this header: who connects, and the header that the application gets. */
type FrontEnd = (client: string, sent: readonly string[]) => { peer: string; forwardedFor: readonly string[] };

/** Google's load balancers append the address that connects and their own, of the same kind. */
const balanced = (client: string, sent: readonly string[]) => [
  ...sent,
  client,
  isIPv6(client) ? IPV6_BALANCER : BALANCER,
];

const cloudRun: FrontEnd = (client, sent) => ({ peer: CLOUD_RUN, forwardedFor: [...sent, client] });
const balancedCloudRun: FrontEnd = (client, sent) => ({ peer: CLOUD_RUN, forwardedFor: balanced(client, sent) });
const ingress: FrontEnd = (client, sent) => ({ peer: FRONT_END, forwardedFor: balanced(client, sent) });
const CDN = { address: "198.18.0.9", variables: { IDP_LISTEN__TRUSTED_PROXY_CIDRS: "198.18.0.0/15" } };
const cdn: FrontEnd = (client, sent) => ingress(CDN.address, [...sent, client]);
const passthrough: FrontEnd = (client, sent) => ({ peer: client, forwardedFor: sent });

/** How releases from 2026.8.1 on find the client: the last address of the header that is not trusted. */
function seenBehind(frontEnd: FrontEnd, list: string, client: string, sent: readonly string[]): string {
  const isTrusted = trusts(list);
  const { forwardedFor, peer } = frontEnd(client, sent);
  return isTrusted(peer) ? (forwardedFor.findLast((address) => !isTrusted(address)) ?? peer) : peer;
}

/** A list as the application reads it. */
function trusts(list: string): (address: string) => boolean {
  const ranges = new BlockList();
  for (const range of list.split(",")) {
    const [network = "", prefix] = range.split("/");
    ranges.addSubnet(network, Number(prefix), isIPv6(network) ? "ipv6" : "ipv4");
  }
  return (address) => ranges.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** Locals with parts of the list. */
const RANGES = "load_balancer_ranges|further_proxies";

/** The ranges that a deployment makes the application trust, with the address of its load balancer. */
function listOf(
  Variant: typeof ServerlessIdentityProvider | typeof KubernetesIdentityProvider,
  domain?: string,
  environmentVariables?: Readonly<Record<string, string>>,
): string {
  const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
  new Variant(stack, "Idp", {
    projectId: "demo-project",
    tenantId: "demo",
    domain,
    environmentVariables,
    domainOptions: { ipv6: domain !== undefined },
  });
  const [, list] =
    /"IDP_LISTEN__TRUSTED_PROXY_CIDRS":"(127(?:[^"\\]|\\.)*)"/.exec(JSON.stringify(terraformOf(stack))) ?? [];
  return withLocals(terraformOf(stack), list ?? "", RANGES)
    .replace(/\$\{join\(.*\]\)\}/, `,${IPV6_BALANCER}/128`)
    .replaceAll(/\$\{[^}]*\}/g, BALANCER);
}

const DOMAIN = "login.example.com";
const LISTS = {
  serverless: listOf(ServerlessIdentityProvider),
  serverlessDomain: listOf(ServerlessIdentityProvider, DOMAIN),
  kubernetes: listOf(KubernetesIdentityProvider),
  kubernetesDomain: listOf(KubernetesIdentityProvider, DOMAIN),
  kubernetesCdn: listOf(KubernetesIdentityProvider, DOMAIN, CDN.variables),
};

describe("The address of a client behind", () => {
  it.each<[string, FrontEnd, keyof typeof LISTS]>([
    ["Cloud Run", cloudRun, "serverless"],
    ["Cloud Run, whose domain is another way in", cloudRun, "serverlessDomain"],
    ["a load balancer and Cloud Run", balancedCloudRun, "serverlessDomain"],
    ["an Ingress", ingress, "kubernetesDomain"],
    ["a CDN that the variables name, and an Ingress", cdn, "kubernetesCdn"],
    ["a passthrough load balancer", passthrough, "kubernetes"],
  ])("%s is seen, whatever it claims", (_, frontEnd, list) => {
    for (const client of ["198.51.100.7", "2001:db8::7"])
      for (const sent of [[], ["192.0.2.66"], ["10.4.0.9", BALANCER]])
        expect(seenBehind(frontEnd, LISTS[list], client, sent)).toBe(client);
  });
});

describeWith(["terraform"], "The ranges that a stack makes the application trust", () => {
  const VARIABLE = "IDP_LISTEN__TRUSTED_PROXY_CIDRS";

  /** The list as Terraform evaluates it, with an example in place of each address that it would create. */
  const listOfStack = (terraform: Terraform, domain: string | null, variables = {}) => {
    const { locals = {} } = terraform;
    // The tables of the rules for variables have this key too.
    const tables = ["variable_forms", "variable_patterns"];
    const layers = Object.entries(locals).filter(([name]) => !tables.includes(name));
    const [list = ""] = layers.flatMap(([, layer]) => (layer as Record<string, string>)[VARIABLE] ?? []);
    const known = withLocals(terraform, list, RANGES)
      .replaceAll(/one\(concat\(google_compute_global_address[^)]*\)\)/g, `"${BALANCER}"`)
      .replaceAll(/one\(google_compute_\w+\.\w+\[\*\]\.address\)/g, `"${BALANCER}"`)
      .replace("google_compute_global_address.ipv6[*].address", domain === null ? "[]" : `["${IPV6_BALANCER}"]`);
    return {
      locals: { list: known },
      variable: { domain: { default: domain }, environment_variables: { default: variables } },
    };
  };

  it("are those of the construct", () => {
    const evaluated = evaluatedTogether(["list"], {
      serverless: listOfStack(serverlessTerraform(), null),
      serverlessDomain: listOfStack(serverlessTerraform(), DOMAIN),
      kubernetes: listOfStack(kubernetesTerraform(), null),
      kubernetesDomain: listOfStack(kubernetesTerraform(), DOMAIN),
      kubernetesCdn: listOfStack(kubernetesTerraform(), DOMAIN, CDN.variables),
    });
    expect(evaluated).toEqual(Object.fromEntries(Object.entries(LISTS).map(([name, list]) => [name, { list }])));
  });
});
