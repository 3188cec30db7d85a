import { describeWith } from "../support/programs";
import {
  BOOTSTRAP_PASSWORD_TEXT,
  connectionsText,
  DIGEST,
  HOST_PROJECT_NETWORK,
  OWN_IMAGES,
  REFUSED_ALONE,
  REFUSED_TOGETHER,
  ruleText,
  SUBNETWORK,
  togetherText,
} from "./refused-inputs";
import { serverlessTerraform } from "./serverless-stack";
import { FINE_WORKERS } from "./refused-worker-inputs";
import { judgedInputs, unsaidRules } from "./judged-inputs";
import { refusalsOfFile, type Inputs } from "./terraform-run";

const PROJECT = { project_id: "demo-project" };
const ACCEPTED: readonly (readonly [behaviour: string, inputs: Inputs])[] = [
  ["the project alone", {}],
  ["a project id of 6 and of 30 characters", { project_id: "abcde1" }],
  ["a long project id with the other defaults", { project_id: "p".repeat(30) }],
  ["a tenant id of 20 characters", { tenant_id: "t".repeat(20) }],
  ["a tenant id of one digit", { tenant_id: "7" }],
  ["an application name of 18 characters", { application_name: "a".repeat(18) }],
  ["an application name of one letter", { application_name: "a" }],
  [
    "the longest names that the socket's path has room for",
    { project_id: "p".repeat(30), tenant_id: "t".repeat(20), application_name: "a".repeat(8) },
  ],
  ["the first release without Redis", { application_version: "2025.10.0" }],
  ["the last feature release of a year", { application_version: "2025.12.4" }],
  ["an early release of a later year", { application_version: "2026.2.0" }],
  ["the release after the one that is refused", { application_version: "2026.8.1" }],
  ["a release that is not known yet", { application_version: "2030.1.1" }],
  ["the pinned release", { application_version: "2026.5.4" }],
  ["no bootstrap password", { bootstrap_password: null }],
  ["a bootstrap password of 8 characters", { bootstrap_password: "eight888" }],
  ["a raised bootstrap password version", { bootstrap_password_version: 2 }],
  [
    "variables with any values",
    {
      environment_variables: {
        IDP_A: 'quote " and ${text} and %{if}\nline',
        _a1: "",
        IDP_POSTGRESQL__HOST: "db.example.com",
      },
    },
  ],
  ["an empty bootstrap password, as a pipeline may export it", { bootstrap_password: "" }],
  ["an image by tag", { existing_container_image: "us-docker.pkg.dev/p/r/idp:2026.5.4-abc" }],
  ["an image by digest", { existing_container_image: `us-docker.pkg.dev/p/r/idp@${DIGEST}` }],
  ["an image by tag and digest", { existing_container_image: `us-docker.pkg.dev/p/r/idp:1@${DIGEST}` }],
  [
    "an image of another repository in the same project, with a name that begins alike",
    {
      project_id: "my-project",
      existing_container_image: "us-central1-docker.pkg.dev/my-project/idp-demo-1c7cd9-old/idp:1",
    },
  ],
  [
    "an image of another deployment in the same project",
    {
      project_id: "my-project",
      tenant_id: "acme",
      existing_container_image: `${OWN_IMAGES}idp:1`,
    },
  ],
  ["an image of a host with a port", { existing_container_image: "registry.example.com:5000/idp:1" }],
  ["the smallest database for one instance", { database_tier: "db-g1-small", max_instance_count: 2 }],
  ["the least memory of one CPU", { database_tier: "db-custom-1-3840" }],
  ["the most memory of one CPU", { database_tier: "db-custom-1-6656", max_instance_count: 9 }],
  ["the largest database", { database_tier: "db-custom-96-638976", max_instance_count: 49 }],
  ["no last backup", { database_final_backup_days: 0 }],
  ["a last backup for a year", { database_final_backup_days: 365 }],
  ["a standby in another zone", { database_availability: "REGIONAL" }],
  ["a network of another project", { network: HOST_PROJECT_NETWORK, subnetwork: SUBNETWORK }],
  [
    "a subnetwork in the region that is chosen",
    {
      network: HOST_PROJECT_NETWORK,
      subnetwork: SUBNETWORK.replace("us-central1", "northamerica-northeast1"),
      region: "northamerica-northeast1",
    },
  ],
  ["as many instances as the default database has connections for", { max_instance_count: 4 }],
  ["no instance that always runs", { min_instance_count: 0 }],
  ["as many that always run as there may be", { min_instance_count: 3 }],
  ["the least memory", { container_cpu: 1, container_memory: "512Mi" }],
  ["the most memory of two CPUs", { container_cpu: 2, container_memory: "8192Mi" }],
  ["the least memory of four CPUs", { container_cpu: 4, container_memory: "2Gi" }],
  ["the most memory", { container_cpu: 8, container_memory: "32Gi" }],
  ["labels at their longest", { labels: { [`a${"b".repeat(62)}`]: "c".repeat(63), empty: "", "a_-1": "1-_" } }],
  ...FINE_WORKERS,
  [
    "as many instances as there are connections for beside a separate worker",
    { worker_mode: "separate", max_instance_count: 5 },
  ],
  ["access for callers with the right alone", { public_access: false }],
  ["no protection", { deletion_protection: false }],
];

describeWith(["terraform"], "The inputs of the serverless stack, judged by Terraform", () => {
  const variables = () => serverlessTerraform().variable ?? {};
  let judged: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    judged = judgedInputs(variables(), PROJECT, [REFUSED_ALONE, REFUSED_TOGETHER, ACCEPTED]);
  });

  it.each(REFUSED_ALONE)("refuse %s", (behaviour, _inputs, texts) => {
    expect(judged.get(behaviour)).toEqual(texts);
  });

  it.each(REFUSED_TOGETHER)("refuse %s", (behaviour, _inputs, texts) => {
    expect(judged.get(behaviour)).toEqual(texts);
  });

  it.each(ACCEPTED)("accept %s", (behaviour) => {
    expect(judged.get(behaviour)).toEqual([]);
  });

  it("name everything that is wrong in one plan, from a file of inputs", () => {
    expect(
      refusalsOfFile(variables(), {
        project_id: "My Project",
        tenant_id: "Acme",
        application_version: "2025.8.1",
        max_instance_count: 5,
        bootstrap_password: "short",
        network: HOST_PROJECT_NETWORK,
      }),
    ).toEqual([
      ruleText("application_version", "2025.8.1"),
      BOOTSTRAP_PASSWORD_TEXT,
      connectionsText(5, 100),
      togetherText(HOST_PROJECT_NETWORK, null),
      ruleText("project_id", "My Project"),
      ruleText("tenant_id", "Acme"),
    ]);
  });

  it("ask for the project when nobody names it", () => {
    expect(refusalsOfFile(variables(), {})).toEqual([
      expect.stringContaining('input variable "project_id" is not set, and has no default value.'),
    ]);
  });

  it("take null for not given where it means nothing else", () => {
    expect(refusalsOfFile(variables(), { ...PROJECT, region: null, labels: null })).toEqual([]);
  });

  it("are all judged: every validation has a refusal here", () => {
    const said = [...REFUSED_ALONE, ...REFUSED_TOGETHER].flatMap(([, , texts]) => texts);
    expect(unsaidRules(variables(), said)).toEqual([]);
  });
});
