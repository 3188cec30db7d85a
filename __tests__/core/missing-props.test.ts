import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { TerraformProvider, TerraformResource, TerraformStack } from "cdktf";
import { Construct } from "constructs";

import * as main from "../../lib";
import { PROVIDER_REQUIREMENTS, type ProviderName } from "../../lib/core/provider-requirements";
import { RulesBrokenError } from "../../lib/core/rules";
import * as kubernetes from "../../lib/kubernetes";
import * as lab from "../../lib/lab";
import {
  PLACE,
  STAND_IN_MEDIA,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInSecret,
} from "../support/stand-in-parts";
import { bareStack, terraformOf, testApp, type Terraform } from "../support/synthesis";

/** The constructor as plain JavaScript can call it. */
type UntypedConstructor = new (scope: Construct, id: string, props?: object) => unknown;

const { projectId, region } = PLACE;
const identity = standInIdentity();
const container = standInContainer({
  port: 80,
  database: { instance: standInDatabase(), hostVariable: "HOST" },
  secretEnvironment: { KEY: standInSecret("key") },
  mounts: [STAND_IN_MEDIA],
});

const registryProps = (stack: Construct) => ({
  place: PLACE,
  apis: new main.ProjectApis(stack, "Apis", {
    projectId,
    region,
    apis: ["artifactregistry", "cloudbuild", "iam", "logging"],
  }),
});

const existingImage = "registry/idp:1";
const runner = {
  runOnce: () => ({ jobName: "job", ready: [] }),
  schedule: () => ({ jobName: "job", runCommand: "run", ready: [] }),
};
const tenant = {
  projectId,
  tenantId: "acme",
  network: {
    network: "projects/shared/global/networks/main",
    subnetwork: `projects/shared/regions/${region}/subnetworks/main`,
    dependsOn: [],
  },
};

/** Every exported construct with valid props, including all required ones. */
const TAKEN: Readonly<Record<string, (stack: Construct) => object>> = {
  AssessmentLab: () => ({ projectId, aws: { accessKeyId: "", secretAccessKey: "" } }),
  Blueprints: () => ({ blueprintFiles: {}, blueprints: ["branding"] }),
  DbInit: () => ({ database: standInDatabase(), runner }),
  GeneratedSecret: () => ({ projectId, secretId: "key", length: 32 }),
  IdpImage: () => ({ place: PLACE, existingImage }),
  IdpSecrets: () => ({ place: PLACE }),
  ImageRegistry: registryProps,
  KubernetesIdentityProvider: () => tenant,
  MediaBucket: () => ({ place: PLACE }),
  PortableStack: () => ({ providers: [] }),
  PostgresqlDatabase: () => ({ place: PLACE, network: tenant.network }),
  ProjectApis: () => ({ projectId, region, apis: [] }),
  ServerlessIdentityProvider: () => tenant,
  ServerlessService: () => ({ place: PLACE, identity, container, network: tenant.network }),
  ServiceIdentity: () => ({ place: PLACE, purpose: "run", description: "Runs." }),
};

const CONSTRUCTS = Object.entries({ ...main, ...kubernetes, ...lab }).flatMap(([name, exported]) =>
  typeof exported === "function" && exported.prototype instanceof Construct
    ? [[name, exported as unknown as UntypedConstructor] as const]
    : [],
);

const stackWithCluster = () => {
  const stack = bareStack();
  new KubernetesProvider(stack, "kubernetes", { host: "https://cluster" });
  return stack;
};

const refusalOf = (work: () => unknown): RulesBrokenError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof RulesBrokenError) return error;
    throw error;
  }
};

describe("Every exported construct", () => {
  it("is covered by this test", () => {
    expect(CONSTRUCTS.map(([name]) => name).sort()).toEqual(Object.keys(TAKEN).sort());
  });

  it.each(CONSTRUCTS)("accepts the props of the table: %s", (name, Made) => {
    const stack = stackWithCluster();
    expect(() => new Made(stack, "Made", TAKEN[name]?.(stack))).not.toThrow();
  });

  it.each(CONSTRUCTS)("names all missing props, and nothing else: %s", (name, Made) => {
    const refused = (props?: object) => refusalOf(() => new Made(stackWithCluster(), "Made", props));
    const { failures = [], subject } = refused() ?? {};
    expect(subject).toMatch(/^(test\/)?Made$/);
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toMatch(/^\w+ is missing; it /);
    expect(refused({})?.failures).toEqual(failures);
    const nulls = failures
      .filter((failure) => failure.endsWith("set it"))
      .map((failure): [string, null] => [failure.split(" ")[0] ?? "", null]);
    expect(refused(Object.fromEntries(nulls))?.failures).toEqual(failures);
  });
});

describe("Every exported construct in a plain stack", () => {
  const made = (name: string, Made: UntypedConstructor) => {
    const stack = new TerraformStack(testApp(), "test");
    new Made(stack, "Made", TAKEN[name]?.(stack));
    return stack;
  };

  it.each(CONSTRUCTS)("states the range of each provider that it uses: %s", (name, Made) => {
    const stack = made(name, Made);
    stack.prepareStack();
    const { data, ephemeral, resource, terraform } = stack.toTerraform() as Terraform;
    const types = [data, ephemeral, resource].flatMap((blocks) => Object.keys(blocks ?? {}));
    const used = new Set(
      types.map((type) => type.split("_")[0] as ProviderName).filter((each) => each in PROVIDER_REQUIREMENTS),
    );
    for (const provider of used)
      expect(terraform.required_providers).toMatchObject({ [provider]: PROVIDER_REQUIREMENTS[provider] });
  });

  it.each(CONSTRUCTS)("names each provider that is missing: %s", (name, Made) => {
    const stack = made(name, Made);
    const resources = stack.node.findAll().filter((element) => TerraformResource.isTerraformResource(element));
    const used = new Set(resources.map((element) => element.terraformGeneratorMetadata?.providerName ?? ""));
    for (const each of stack.node.findAll())
      if (TerraformProvider.isTerraformProvider(each)) used.delete(each.terraformGeneratorMetadata?.providerName ?? "");
    used.delete("terraform");
    const { failures = [] } = refusalOf(() => terraformOf(stack)) ?? {};
    expect(
      failures.map((failure) => /^the provider (\w+) is missing, which test[/]/.exec(failure)?.[1]).sort(),
    ).toEqual([...used].sort());
  });
});
