import { describeWith } from "../support/programs";
import { kubernetesTerraform } from "./kubernetes-stack";
import { HOST_PROJECT_NETWORK, SUBNETWORK } from "./refused-inputs";
import { REFUSED_ALONE_BY_KUBERNETES, REFUSED_TOGETHER_BY_KUBERNETES } from "./refused-kubernetes-inputs";
import { FINE_WORKERS } from "./refused-worker-inputs";
import { judgedInputs, unsaidRules } from "./judged-inputs";
import { refusalsOfFile, type Inputs } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };

const GEOIP_IN_NUMBERS = { account_id: 123456, license_key_secret: { secret_id: "maxmind", version: 3 } };

const REFUSED = [...REFUSED_ALONE_BY_KUBERNETES, ...REFUSED_TOGETHER_BY_KUBERNETES];

const ACCEPTED: readonly (readonly [behaviour: string, inputs: Inputs])[] = [
  ...FINE_WORKERS,
  ["a maximum of separate workers", { worker_mode: "separate", worker_count: 2, worker_max_count: 2 }],
  ["the project alone", {}],
  [
    "the longest names, which no socket path limits here",
    { project_id: "p".repeat(30), tenant_id: "t".repeat(20), application_name: "a".repeat(18) },
  ],
  ["a namespace of 63 characters", { namespace: "n".repeat(63) }],
  ["a namespace of one digit", { namespace: "7" }],
  ["a namespace that only begins like the cluster's own", { namespace: "gkeeper" }],
  ["ranges for the control plane", { authorized_networks: { office: "203.0.113.0/24", one: "198.51.100.7/32" } }],
  ["no range at all", { authorized_networks: {} }],
  ["a domain", { domain: "login.example.com" }],
  ["a short domain with digits and hyphens", { domain: "1-a.xn--p1ai" }],
  ["the least of everything", { container_cpu: 0.5, container_memory: "512Mi" }],
  ["the most memory per CPU", { container_cpu: 2, container_memory: "13Gi" }],
  ["the most of everything", { container_cpu: 28, container_memory: "108Gi" }],
  ["a quarter of a CPU more", { container_cpu: 2.25 }],
  ["as many that always run as there may be", { min_instance_count: 3 }],
  ["one instance on the smallest database", { database_tier: "db-g1-small", max_instance_count: 1 }],
  ["databases of addresses, with the number of the account and of the version as numbers", { geoip: GEOIP_IN_NUMBERS }],
  ["a network of another project", { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK }],
];

describeWith(["terraform"], "The inputs of the Kubernetes stack, judged by Terraform", () => {
  const variables = () => kubernetesTerraform().variable ?? {};
  let judged: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    judged = judgedInputs(variables(), PROJECT, [
      REFUSED_ALONE_BY_KUBERNETES,
      REFUSED_TOGETHER_BY_KUBERNETES,
      ACCEPTED,
    ]);
  });

  it.each(REFUSED)("refuse %s", (behaviour, _inputs, texts) => {
    expect(judged.get(behaviour)).toEqual(texts);
  });

  it.each(ACCEPTED)("accept %s", (behaviour) => {
    expect(judged.get(behaviour)).toEqual([]);
  });

  it("name everything that is wrong in one plan, from a file of inputs", () => {
    const inputs = { namespace: "default", domain: "login", min_instance_count: 0, authorized_networks: { no: "x" } };
    expect(refusalsOfFile(variables(), { ...PROJECT, ...inputs }).map((text) => text.split(";")[0])).toEqual([
      "authorized_networks has no = x",
      'domain is "login"',
      "min_instance_count is 0",
      'namespace is "default"',
    ]);
  });

  it("are all judged: every validation has a refusal here", () => {
    const said = REFUSED.flatMap(([, , texts]) => texts);
    expect(unsaidRules(variables(), said)).toEqual([]);
  });
});
