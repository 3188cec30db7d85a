import { type ProviderName } from "../../lib/core/provider-requirements";
import { type Terraform } from "../support/synthesis";
import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { providerSchema } from "./provider-schema/provider-schema";
import { shippedStacks } from "./shipped-stacks";

/** The schema of the provider whose name a type begins with; Terraform's own types have none. */
const schemaOf = (type: string) =>
  type.startsWith("terraform_") ? undefined : providerSchema(type.split("_")[0] as ProviderName);

const scenarios: readonly (readonly [string, Terraform])[] = [
  ...Object.entries(shippedStacks()),
  ["the serverless construct", literalServerless()],
  ["the Kubernetes construct", literalKubernetes()],
  ["the lab's construct", literalLabWithEverything()],
];

/** How a schema calls the blocks of each kind. */
const SCHEMAS_OF = { data: "data_source", ephemeral: "ephemeral_resource", resource: "resource" } as const;

/**
 * A version is in the project of `secret`, the full id of a resource that states it. The state of a version has no
 * project beside that, so that one added later would replace the version, and so generate another secret.
 */
const STATED_ELSEWHERE = ["google_secret_manager_secret_version.project"];

/** Every block of the given kind in every scenario, with its schema. */
const blocks = (kind: "data" | "resource" | "ephemeral") =>
  scenarios.flatMap(([scenario, terraform]) =>
    Object.entries(terraform[kind] ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements).map(([name, element]) => ({ path: `${scenario}: ${type}.${name}`, type, element })),
    ),
  );

describe("The real providers' schemas", () => {
  it("take project, region and zone from every block that can state them, and from no provider", () => {
    const silent = (["resource", "data", "ephemeral"] as const).flatMap((kind) =>
      blocks(kind).flatMap(({ path, type, element }) => {
        const { attributes = {} } = schemaOf(type)?.[`${SCHEMAS_OF[kind]}_schemas`]?.[type]?.block ?? {};
        return ["project", "region", "zone"]
          .filter((name) => attributes[name]?.optional === true && !STATED_ELSEWHERE.includes(`${type}.${name}`))
          .filter((name) => typeof element[name] !== "string")
          .map((name) => `${path}.${name}`);
      }),
    );
    expect(silent).toEqual([]);
  });

  it("replace the grants and files of a bucket with it, which another region does under the same name", () => {
    const inBuckets = blocks("resource").filter(({ type }) => type.startsWith("google_storage_bucket_"));
    expect(inBuckets.length).toBeGreaterThan(10);
    for (const { path, element } of inBuckets)
      expect([path, element.bucket]).toEqual([
        path,
        // No apply replaces one that exists.
        expect.stringMatching(
          /google_storage_bucket[.]\w+(\[\*\])?[.]id\b|^[^$]+$|^\$\{try[(]var[.]existing_bucket|^\$\{try\(var[.]dumps[.]copy_bucket, null\)\}$/,
        ),
      ]);
  });

  it("keep what is secret out of the state: it is written only to write-only arguments", () => {
    const written = blocks("resource").flatMap(({ type, element }) => {
      const attributes = schemaOf(type)?.resource_schemas?.[type]?.block.attributes ?? {};
      return Object.keys(element)
        .filter((name) => attributes[name]?.sensitive === true || attributes[name]?.write_only === true)
        .map((name) => `${type}.${name} ${attributes[name]?.write_only === true ? "write-only" : "stored"}`);
    });
    expect([...new Set(written)].sort()).toEqual([
      "google_secret_manager_secret_version.secret_data stored",
      "google_secret_manager_secret_version.secret_data_wo write-only",
      "google_sql_user.password_wo write-only",
      // The lab's key: its contract has it in state and bucket.
      "google_storage_bucket_object.content stored",
      "kubernetes_secret_v1.data_wo write-only",
    ]);
  });
});
