import { ConfigurationGraph, expressionsIn, referencesIn } from "./configuration-graph";
import { ADDRESS, serverlessTerraform } from "./serverless-stack";

let graph: ConfigurationGraph;

beforeAll(() => {
  graph = new ConfigurationGraph(serverlessTerraform());
});

/** The gate of one API and what it takes to open it. */
const gate = (...apis: string[]) => [
  ...apis.flatMap((api) => [`google_project_service.apis_${api}`, `terraform_data.apis_${api}_answers`]),
  "terraform_data.apis_resource_manager",
];

/** A generated secret up to its stored version. */
const storedSecret = (name: string) => [
  ...gate("secretmanager"),
  `google_secret_manager_secret.${name}`,
  `google_secret_manager_secret_version.${name}_version`,
  `ephemeral.random_password.${name}_candidate`,
];

const exactly = (...addresses: string[]) => [...new Set(addresses)].sort();

describe("What starts after what, in the serverless stack", () => {
  it("refers only to what exists", () => {
    const missing = graph.elements
      .flatMap((element) => graph.namedBy(element))
      .filter((name) => !graph.elements.includes(name));
    // The folder itself, the variable of a dynamic `env` block, and the guard's own value at destroy.
    expect([...new Set(missing)].sort()).toEqual(["env.key", "env.value", "path.module", "self.input"]);
  });

  it("has no cycle", () => {
    expect(graph.elements.filter((element) => graph.startsAfter(element).includes(element))).toEqual([]);
  });

  it("stores each secret as soon as the secret store answers", () => {
    for (const name of ["secrets_secret_key", "secrets_bootstrap_password", "database_password"]) {
      expect(graph.startsAfter(`google_secret_manager_secret.${name}`)).toEqual(exactly(...gate("secretmanager")));
      expect([...graph.startsAfter(`google_secret_manager_secret_version.${name}_version`)]).toEqual(
        exactly(...storedSecret(name)).filter((address) => !address.startsWith("google_secret_manager_secret_version")),
      );
    }
  });

  it("makes the bucket as soon as the storage API answers", () => {
    expect(graph.startsAfter(ADDRESS.bucket)).toEqual(exactly(...gate("storage")));
  });

  it("makes the database after its own API, the network's if there is one, and its administrator's password alone", () => {
    expect(graph.startsAfter(ADDRESS.database)).toEqual(
      exactly(
        ...gate("sqladmin", "compute"),
        ...storedSecret("database_administrator_password"),
        "ephemeral.google_secret_manager_secret_version.database_administrator_password_stored",
      ),
    );
  });

  it("builds the image while everything else is being made", () => {
    expect(graph.startsAfter(ADDRESS.build)).toEqual(
      exactly(
        ...gate("artifactregistry", "cloudbuild", "iam", "logging"),
        "google_artifact_registry_repository.registry",
        "google_artifact_registry_repository_iam_member.registry_builder_pushes",
        "google_project_iam_member.registry_builder_logs",
        "google_service_account.registry_builder",
      ),
    );
  });

  it.each(["initializer", "registry_builder", "runtime"])(
    "makes the account %s from the identity API alone",
    (name) => {
      expect(graph.startsAfter(`google_service_account.${name}`)).toEqual(exactly(...gate("iam")));
    },
  );

  it.each([
    ["google_secret_manager_secret_iam_member.secrets_secret_key_runtime", "secrets_secret_key", "runtime"],
    [
      "google_secret_manager_secret_iam_member.secrets_bootstrap_password_runtime",
      "secrets_bootstrap_password",
      "runtime",
    ],
    ["google_secret_manager_secret_iam_member.database_password_runtime", "database_password", "runtime"],
    ["google_secret_manager_secret_iam_member.database_password_initializer", "database_password", "initializer"],
    [
      "google_secret_manager_secret_iam_member.database_administrator_password_initializer",
      "database_administrator_password",
      "initializer",
    ],
    ["google_secret_manager_secret_iam_member.db_init_script_reader", "db_init_script", "initializer"],
  ])("grants %s from the secret and the account alone", (grant, secret, account) => {
    expect(graph.startsAfter(grant)).toEqual(
      exactly(
        ...gate("secretmanager", "iam"),
        `google_secret_manager_secret.${secret}`,
        `google_service_account.${account}`,
      ),
    );
  });

  it("grants the bucket from the bucket and the account alone", () => {
    expect(graph.startsAfter("google_storage_bucket_iam_member.media_bucket_runtime")).toEqual(
      exactly(...gate("storage", "iam"), ADDRESS.bucket, "google_service_account.runtime"),
    );
  });

  it("prepares the database without waiting for image, bucket or the application's secrets", () => {
    const before = graph.startsAfter(ADDRESS.job);
    expect(before).toEqual(expect.arrayContaining([ADDRESS.database, ...gate("run")]));
    expect(before).toEqual(
      expect.arrayContaining([
        "google_project_iam_member.initializer_connects_to_database",
        "google_secret_manager_secret_iam_member.database_administrator_password_initializer",
        "google_secret_manager_secret_iam_member.database_password_initializer",
        "google_secret_manager_secret_iam_member.db_init_script_reader",
        "google_secret_manager_secret_version.db_init_script_version",
      ]),
    );
    expect(before.filter((address) => /storage|image|registry|secrets_|runtime/.test(address))).toEqual([]);
  });

  it("starts the service after every other resource, and only what guards all against deletion after the service", () => {
    const resources = graph.elements.filter((element) => /^(google|terraform)_/.test(element));
    expect(resources.filter((element) => !graph.startsAfter(ADDRESS.service).includes(element))).toEqual([
      ADDRESS.guard,
      ADDRESS.service,
    ]);
    expect(resources.filter((element) => graph.startsAfter(element).includes(ADDRESS.service))).toEqual([
      ADDRESS.guard,
    ]);
  });

  it("lets only the service wait for the image, the database's preparation and the application's secrets together", () => {
    const waitForAll = graph.elements.filter(
      (element) =>
        !element.startsWith("output.") &&
        [ADDRESS.build, ADDRESS.job, ADDRESS.bucket, ADDRESS.secretKey].every((address) =>
          graph.startsAfter(element).includes(address),
        ),
    );
    expect(waitForAll).toEqual([ADDRESS.guard, ADDRESS.service]);
  });

  it("names no dependency twice", () => {
    const repeated = Object.entries(serverlessTerraform().resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, { depends_on: names = [] }]) => new Set(names as string[]).size < (names as string[]).length)
        .map(([name]) => `${type}.${name}`),
    );
    expect(repeated).toEqual([]);
  });
});

describe("The reading of references", () => {
  it("sees through string literals and nested expressions, and takes no literal for a reference", () => {
    const text = 'a.b ${f("x.y ${var.a} \\" z.w", google_x.y.id)} $${c.d} ${{k = {v = local.e}}["k"]}';
    expect(expressionsIn(text)).toEqual(["var.a", 'f("", google_x.y.id)', '{k = {v = local.e}}[""]']);
    expect(referencesIn({ list: [text] })).toEqual(["var.a", "google_x.y", "local.e"]);
  });
});
