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

const missing = (name: string) => `${name} is missing; it has no default; set it`;

/** Props that contain other props; all others are taken as a whole. */
const HOLDERS = ["aws", "container", "database", "deployment", "environment", "existing", "job", "network", "place"];

/** Each prop, and each prop of a holder, by its path. */
const pathsIn = (props: object, prefix = ""): string[] =>
  Object.entries(props).flatMap(([name, value]: [string, unknown]) => [
    `${prefix}${name}`,
    ...(HOLDERS.includes(name) && typeof value === "object" && !(value instanceof Construct) && !isPart(value)
      ? pathsIn(value, `${prefix}${name}.`)
      : []),
  ]);

const isPart = (value: object | null) => value === null || "ready" in value;

const without = (props: object, [name = "", ...rest]: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(props).flatMap(([key, value]: [string, unknown]) => {
      if (key !== name) return [[key, value]];
      return rest.length === 0 ? [] : [[key, without(value as object, rest)]];
    }),
  );

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

  it.each(CONSTRUCTS)("accepts or names each omitted prop: %s", (name, Made) => {
    const { failures = [] } = refusalOf(() => new Made(stackWithCluster(), "Made")) ?? {};
    const required = failures.filter((failure) => failure.endsWith("; it has no default; set it"));
    const refused = pathsIn(TAKEN[name]?.(stackWithCluster()) ?? {}).filter((path) => {
      const stack = stackWithCluster();
      const props = without(TAKEN[name]?.(stack) ?? {}, path.split("."));
      const refusal = refusalOf(() => new Made(stack, "Made", props));
      if (refusal !== undefined) expect([path, refusal.failures.join()]).toEqual([path, expect.stringContaining(path)]);
      return refusal !== undefined;
    });
    expect(refused.filter((path) => !path.includes(".")).map(missing)).toEqual(expect.arrayContaining(required));
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

describe("Missing props are reported with all other problems", () => {
  it.each<[string, (scope: Construct) => unknown, readonly string[]]>([
    ["tenantPlace", (scope) => main.tenantContext(scope, undefined as never), ["projectId", "tenantId"]],
    [
      "identityProviderContainer",
      (scope) => main.identityProviderContainer(scope, {} as main.IdentityProviderContainerProps),
      ["database", "image", "initialization", "media", "secrets"],
    ],
    ["ExistingIdentity", () => new main.ExistingIdentity(undefined as never), ["email"]],
    [
      "a job of ServerlessJobs",
      (scope) => new main.ServerlessJobs(undefined as never).runOnce(scope, "Job", undefined as never),
      ["identity", "place", "job"],
    ],
    [
      "a container with a secret, a mount and a database that are not there",
      (scope) =>
        new main.ServerlessService(scope, "Service", {
          place: PLACE,
          identity,
          container: {
            ...container,
            secretEnvironment: { KEY: undefined, OTHER: standInSecret("other") },
            mounts: [undefined],
            database: { hostVariable: "HOST" },
          } as never,
        }),
      ["container.secretEnvironment.KEY", "container.mounts.0", "container.database.instance"],
    ],
    [
      "a grant of a secret",
      (scope) =>
        new main.GeneratedSecret(scope, "Key", { projectId, secretId: "key", length: 32 }).grantAccess(
          undefined as never,
        ),
      ["identity"],
    ],
    [
      "a grant of a bucket",
      (scope) => new main.MediaBucket(scope, "Media", { place: PLACE }).grantReadWrite(undefined as never),
      ["identity"],
    ],
    [
      "a grant of a database",
      (scope) => new main.PostgresqlDatabase(scope, "Database", { place: PLACE }).grantConnect(undefined as never),
      ["identity"],
    ],
    [
      "a grant of an image",
      (scope) => new main.IdpImage(scope, "Image", { place: PLACE, existingImage }).grantPull(undefined as never),
      ["identity"],
    ],
    [
      "a grant of a repository",
      (scope) => new main.ImageRegistry(scope, "Registry", registryProps(scope)).grantPull(undefined as never),
      ["identity"],
    ],
  ])("by %s", (_, work, names) => {
    expect(refusalOf(() => work(stackWithCluster()))?.failures).toEqual(names.map(missing));
  });
});
