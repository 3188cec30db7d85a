import { type Block, type Terraform } from "../support/synthesis";
import {
  providerSchema,
  type ProviderSchema,
  type AttributeSchema,
  type AttributeType,
  type BlockSchema,
} from "./provider-schema/provider-schema";
import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { shippedStacks } from "./shipped-stacks";

/** What Terraform itself understands in every resource. */
const META_ARGUMENTS = ["count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"];

const withoutMetaArguments = (element: Block): Block =>
  Object.fromEntries(Object.entries(element).filter(([name]) => !META_ARGUMENTS.includes(name)));

/** Everything in a block that the provider's schema does not allow, one sentence each. */
function problemsOf(path: string, block: Block, { attributes = {}, block_types: blocks = {} }: BlockSchema): string[] {
  const { dynamic = {}, ...fixed } = block as Block & { readonly dynamic?: Readonly<Record<string, Block | Block[]>> };
  const given = [...Object.keys(fixed), ...Object.keys(dynamic)];
  const missing = Object.entries(attributes)
    .filter(([name, { required }]) => required === true && !given.includes(name))
    .map(([name]) => `${path}.${name} is required and missing`);
  const tooFew = Object.entries(blocks)
    .filter(([name, { min_items: least = 0 }]) => least > 0 && !given.includes(name))
    .map(([name]) => `${path}.${name} is a required block and missing`);

  const ofFixed = Object.entries(fixed).flatMap(([name, value]) => {
    const attribute = attributes[name];
    if (attribute !== undefined) return problemsOfAttribute(`${path}.${name}`, value, attribute);
    const nested = blocks[name];
    if (nested === undefined) return [`${path}.${name} does not exist`];
    const items = (Array.isArray(value) ? value : [value]) as Block[];
    const { max_items: most = Infinity } = nested;
    return [
      ...(items.length > most ? [`${path}.${name} is given ${items.length} times, at most ${most} are allowed`] : []),
      ...items.flatMap((item) => problemsOf(`${path}.${name}`, item, nested.block)),
    ];
  });
  const ofDynamic = Object.entries(dynamic).flatMap(([name, repeated]) => {
    const nested = blocks[name];
    if (nested === undefined) return [`${path}.${name} does not exist`];
    return [repeated].flat().flatMap(({ content }) => problemsOf(`${path}.${name}`, content as Block, nested.block));
  });
  return [...missing, ...tooFew, ...ofFixed, ...ofDynamic];
}

function problemsOfAttribute(path: string, value: unknown, attribute: AttributeSchema): string[] {
  const { computed = false, optional = false, required = false, type } = attribute;
  if (computed && !optional && !required) return [`${path} is the provider's to set`];
  // To Terraform, null is an attribute that is left out.
  if (value === null && !required) return [];
  return fits(value, type) ? [] : [`${path} is ${JSON.stringify(value)}, the type is ${JSON.stringify(type)}`];
}

/** Rough on purpose: an expression may be of any type. */
function fits(value: unknown, type: AttributeType): boolean {
  if (typeof value === "string" && value.includes("${")) return true;
  // Terraform makes text of a number or a truth value.
  if (type === "string") return typeof value !== "object";
  if (typeof type === "string") return typeof value === (type === "bool" ? "boolean" : type);
  const [collection, item] = type;
  if (collection === "list" || collection === "set")
    return Array.isArray(value) && value.every((entry) => fits(entry, item as AttributeType));
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (collection === "object") return isObject;
  return isObject && Object.values(value).every((entry) => fits(entry, item as AttributeType));
}

const schemas = {
  aws: providerSchema("aws"),
  google: providerSchema("google"),
  kubernetes: providerSchema("kubernetes"),
  random: providerSchema("random"),
  tls: providerSchema("tls"),
};

/** The schema of the provider whose name a type begins with. */
const schemaOf = (type: string): ProviderSchema | undefined =>
  (schemas as Readonly<Record<string, ProviderSchema>>)[type.split("_")[0] ?? ""];

const scenarios: readonly (readonly [string, Terraform])[] = [
  ...Object.entries(shippedStacks()),
  ["the serverless construct", literalServerless()],
  ["the Kubernetes construct", literalKubernetes()],
  ["the lab's construct", literalLabWithEverything()],
];

/** How a schema calls the blocks of each kind. */
const SCHEMAS_OF = { data: "data_source", ephemeral: "ephemeral_resource", resource: "resource" } as const;

/**
 * A version is in the project of `secret`, the full id of a resource that states it. The state of a version has no project
 * beside that, so that one added later would replace the version, and so generate another secret.
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
  it("allow every resource that is emitted, with its attributes, blocks and types", () => {
    const resources = blocks("resource").filter(({ type }) => type !== "terraform_data");
    expect(resources.length).toBeGreaterThan(100);
    const problems = resources.flatMap(({ path, type, element }) => {
      const schema = schemaOf(type)?.resource_schemas?.[type];
      if (schema === undefined) return [`${path}: there is no such type`];
      const own = withoutMetaArguments(element);
      return problemsOf(path, own, schema.block);
    });
    expect(problems).toEqual([]);
  });

  it.each(["data", "ephemeral"] as const)("allow every element of the kind: %s", (kind) => {
    const problems = blocks(kind).flatMap(({ path, type, element }) => {
      const schema = schemaOf(type)?.[`${SCHEMAS_OF[kind]}_schemas`]?.[type];
      const own = withoutMetaArguments(element);
      return schema === undefined ? [`${path}: there is no such type`] : problemsOf(path, own, schema.block);
    });
    expect(problems).toEqual([]);
  });

  it("allow the configuration of the providers", () => {
    for (const [scenario, { provider = {} }] of scenarios)
      for (const name of ["aws", "google", "kubernetes"] as const)
        for (const block of provider[name] ?? []) {
          const own = Object.fromEntries(Object.entries(block).filter(([argument]) => argument !== "alias"));
          expect(problemsOf(`${scenario}: ${name}`, own, schemas[name].provider.block)).toEqual([]);
        }
  });

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
        expect.stringMatching(/google_storage_bucket[.]\w+(\[\*\])?[.]id\b/),
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
