import { describeWith } from "../support/programs";
import { kubernetesTerraform } from "./kubernetes-stack";
import { HOST_PROJECT_NETWORK, SUBNETWORK } from "./refused-inputs";
import { serverlessTerraform } from "./serverless-stack";
import { refusals, refusalsOfFile, type Inputs } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };

const NAMESPACE_RULE =
  "it must be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither default nor start with kube-, because it is made for this deployment alone and the cluster has those already; rename it.";
const RANGE_RULE =
  "each must be an IPv4 range that is written with its first address, because the platform takes no other; write for example 203.0.113.0/24, or /32 for one address.";
const DOMAIN_RULE =
  "it must be a full domain name of lower-case letters, digits, hyphens and dots, at most 253 characters, without a dot at the end, because a certificate is made for exactly this name; write for example login.example.com.";
const CPU_RULE = "it must be 0.5 to 28 in steps of 0.25, because the platform offers no other pod; use 2.";
const MEMORY_RULE =
  "it must be a whole number with Mi or Gi, 1 to 6.5Gi per CPU and 108Gi at most, because the platform raises other requests and bills them; change one of the two.";
const COUNT_RULE = (max: number) =>
  `it must be a whole number from 1 to max_instance_count, which is ${max}, because the platform refuses such a range; lower one or raise the other.`;
const TOGETHER =
  "network and subnetwork must be given together or not at all, because the cluster takes its addresses from the subnetwork; give both, or remove both.";

type Refusal = readonly [behaviour: string, inputs: Inputs, texts: readonly string[]];

/** Only what is not said of the serverless stack in the same words. */
const REFUSED_ALONE: readonly Refusal[] = [
  ["the namespace of everybody", { namespace: "default" }, [`namespace is "default"; ${NAMESPACE_RULE}`]],
  ["a namespace of the cluster's own", { namespace: "kube-apps" }, [`namespace is "kube-apps"; ${NAMESPACE_RULE}`]],
  ["capitals in a namespace", { namespace: "Apps" }, [`namespace is "Apps"; ${NAMESPACE_RULE}`]],
  ["a namespace with a hyphen last", { namespace: "apps-" }, [`namespace is "apps-"; ${NAMESPACE_RULE}`]],
  ["an empty namespace", { namespace: "" }, [`namespace is ""; ${NAMESPACE_RULE}`]],
  [
    "a namespace of 64 characters",
    { namespace: "n".repeat(64) },
    [`namespace is "${"n".repeat(64)}"; ${NAMESPACE_RULE}`],
  ],
  [
    "addresses that are no ranges, and ranges that start elsewhere",
    { authorized_networks: { bare: "203.0.113.7", fine: "203.0.113.0/24", inside: "203.0.113.7/24", no: "x" } },
    [`authorized_networks has bare = 203.0.113.7, inside = 203.0.113.7/24, no = x; ${RANGE_RULE}`],
  ],
  [
    "a range of IPv6",
    { authorized_networks: { six: "2001:db8::/32" } },
    [`authorized_networks has six = 2001:db8::/32; ${RANGE_RULE}`],
  ],
  ["a domain with capitals", { domain: "Login.example.com" }, [`domain is "Login.example.com"; ${DOMAIN_RULE}`]],
  ["a domain of one word", { domain: "login" }, [`domain is "login"; ${DOMAIN_RULE}`]],
  ["a domain with a dot last", { domain: "login.example.com." }, [`domain is "login.example.com."; ${DOMAIN_RULE}`]],
  ["an address of a page", { domain: "https://a.example" }, [`domain is "https://a.example"; ${DOMAIN_RULE}`]],
  ["every name of a domain", { domain: "*.example.com" }, [`domain is "*.example.com"; ${DOMAIN_RULE}`]],
  ["an empty domain", { domain: "" }, [`domain is ""; ${DOMAIN_RULE}`]],
  ["too small a CPU", { container_cpu: 0.25 }, [`container_cpu is 0.25; ${CPU_RULE}`]],
  ["a third of a CPU", { container_cpu: 1.3 }, [`container_cpu is 1.3; ${CPU_RULE}`]],
];

const REFUSED_TOGETHER: readonly Refusal[] = [
  [
    "less memory than a CPU must have",
    { container_cpu: 2, container_memory: "2047Mi" },
    [`container_memory is 2047Mi with container_cpu 2; ${MEMORY_RULE}`],
  ],
  [
    "more memory than a CPU may have",
    { container_cpu: 1, container_memory: "7Gi" },
    [`container_memory is 7Gi with container_cpu 1; ${MEMORY_RULE}`],
  ],
  [
    "more memory than a pod may have",
    { container_cpu: 28, container_memory: "109Gi" },
    [`container_memory is 109Gi with container_cpu 28; ${MEMORY_RULE}`],
  ],
  [
    "memory in another unit",
    { container_memory: "4G" },
    [`container_memory is 4G with container_cpu 2; ${MEMORY_RULE}`],
  ],
  ["no instance that always runs", { min_instance_count: 0 }, [`min_instance_count is 0; ${COUNT_RULE(3)}`]],
  [
    "more instances that always run than there may be",
    { min_instance_count: 3, max_instance_count: 2 },
    [`min_instance_count is 3; ${COUNT_RULE(2)}`],
  ],
  ["a network without a subnetwork", { network: HOST_PROJECT_NETWORK }, [TOGETHER]],
  [
    "a subnetwork in another region",
    { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK, region: "europe-west1" },
    [
      `subnetwork is "${SUBNETWORK}"; it must be projects/<project>/regions/europe-west1/subnetworks/<name>, because nodes take addresses in their own region only; write it in full.`,
    ],
  ],
];

const ACCEPTED: readonly (readonly [behaviour: string, inputs: Inputs])[] = [
  ["the project alone", {}],
  [
    "the longest names, which no socket path limits here",
    { project_id: "p".repeat(30), tenant_id: "t".repeat(20), application_name: "a".repeat(18) },
  ],
  ["a namespace of 63 characters", { namespace: "n".repeat(63) }],
  ["a namespace of one digit", { namespace: "7" }],
  ["ranges for the control plane", { authorized_networks: { office: "203.0.113.0/24", one: "198.51.100.7/32" } }],
  ["no range at all", { authorized_networks: {} }],
  ["a domain", { domain: "login.example.com" }],
  ["a short domain with digits and hyphens", { domain: "1-a.xn--p1ai" }],
  ["the least of everything", { container_cpu: 0.5, container_memory: "512Mi" }],
  ["the most memory per CPU", { container_cpu: 2, container_memory: "13Gi" }],
  ["the most of everything", { container_cpu: 28, container_memory: "108Gi" }],
  ["a quarter of a CPU more", { container_cpu: 2.25 }],
  ["as many that always run as there may be", { min_instance_count: 3 }],
  ["a network of another project", { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK }],
];

describeWith(["terraform"], "The inputs of the Kubernetes stack, judged by Terraform", () => {
  const variables = () => kubernetesTerraform().variable ?? {};
  const judged = new Map<string, readonly string[]>();

  beforeAll(() => {
    for (const cases of [REFUSED_ALONE, REFUSED_TOGETHER, ACCEPTED]) {
      const found = refusals(
        variables(),
        cases.map(([, inputs]) => ({ ...PROJECT, ...inputs })),
      );
      cases.forEach(([behaviour], index) => judged.set(behaviour, found[index] ?? []));
    }
  });

  it.each([...REFUSED_ALONE, ...REFUSED_TOGETHER])("refuse %s", (behaviour, _inputs, texts) => {
    expect(judged.get(behaviour)).toEqual(texts);
  });

  it.each(ACCEPTED)("accept %s", (behaviour) => {
    expect(judged.get(behaviour)).toEqual([]);
  });

  it("name everything that is wrong in one plan, from a file of inputs", () => {
    expect(
      refusalsOfFile(variables(), {
        project_id: "demo-project",
        namespace: "default",
        domain: "login",
        min_instance_count: 0,
        authorized_networks: { no: "x" },
      }),
    ).toEqual([
      `authorized_networks has no = x; ${RANGE_RULE}`,
      `domain is "login"; ${DOMAIN_RULE}`,
      `min_instance_count is 0; ${COUNT_RULE(3)}`,
      `namespace is "default"; ${NAMESPACE_RULE}`,
    ]);
  });

  it("are all judged: every validation is the serverless stack's in the same words, or has a refusal here", () => {
    const messagesOf = (terraform: typeof kubernetesTerraform) =>
      Object.values(terraform().variable ?? {}).flatMap(({ validation: rules = [] }) =>
        (rules as { error_message: string }[]).map(({ error_message: message }) => message),
      );
    const said = [...REFUSED_ALONE, ...REFUSED_TOGETHER].flatMap(([, , texts]) => texts);
    const judgedThere = messagesOf(serverlessTerraform);
    const unsaid = messagesOf(kubernetesTerraform)
      .filter((message) => !judgedThere.includes(message))
      // The end of a message holds no expression.
      .filter((message) => !said.some((text) => text.endsWith(message.slice(message.lastIndexOf("}") + 1))));
    expect(unsaid).toEqual([]);
  });
});
