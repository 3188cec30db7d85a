import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { PROVIDER_REQUIREMENTS, type ProviderName } from "../../../lib/core/provider-requirements";

/** A type as the schema writes it: a name, or a collection with what is in it. */
export type AttributeType =
  string | readonly [string, AttributeType] | readonly [string, Readonly<Record<string, AttributeType>>];

export interface AttributeSchema {
  readonly type: AttributeType;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  readonly sensitive?: boolean;
  readonly write_only?: boolean;
}

export interface NestedBlockSchema {
  readonly block: BlockSchema;
  readonly nesting_mode: "list" | "set" | "single" | "map" | "group";
  readonly min_items?: number;
  readonly max_items?: number;
}

export interface BlockSchema {
  readonly attributes?: Readonly<Record<string, AttributeSchema>>;
  readonly block_types?: Readonly<Record<string, NestedBlockSchema>>;
}

export interface ElementSchema {
  readonly version: number;
  readonly block: BlockSchema;
}

export interface ProviderSchema {
  /** Release of the provider that it is of. */
  readonly release?: string;
  readonly provider: ElementSchema;
  readonly resource_schemas?: Readonly<Record<string, ElementSchema>>;
  readonly data_source_schemas?: Readonly<Record<string, ElementSchema>>;
  readonly ephemeral_resource_schemas?: Readonly<Record<string, ElementSchema>>;
}

/** Schemas by provider: unpacking one takes longer than any look at it. */
const SCHEMAS = new Map<string, ProviderSchema>();

/**
 * The parts of a real provider's schema that the stacks touch: `terraform providers schema -json` of the release that
 * it names, without descriptions; undefined when no stack uses the provider.
 */
export function trimmedSchema(provider: string): ProviderSchema | undefined {
  const file = join(__dirname, `${provider}.json.gz`);
  if (!SCHEMAS.has(provider) && existsSync(file)) {
    SCHEMAS.set(provider, JSON.parse(gunzipSync(readFileSync(file)).toString()) as ProviderSchema);
  }
  return SCHEMAS.get(provider);
}

/** The names of the nested blocks of every known type, as the library reads them: one type a line. */
export function nestedBlocks(): string {
  const blocksIn = ({ block_types: blocks = {} }: BlockSchema): object =>
    Object.fromEntries(Object.entries(blocks).map(([name, { block }]) => [name, blocksIn(block)]));
  const lines = (Object.keys(PROVIDER_REQUIREMENTS) as ProviderName[]).flatMap((name) => {
    const {
      data_source_schemas: data,
      ephemeral_resource_schemas: ephemeral,
      provider,
      resource_schemas,
    } = providerSchema(name);
    const types = { "data.": data, "ephemeral.": ephemeral, "": resource_schemas, "provider.": { [name]: provider } };
    return Object.entries(types).flatMap(([prefix, schemas = {}]) =>
      Object.entries(schemas).map(([type, { block }]) => `"${prefix}${type}": ${JSON.stringify(blocksIn(block))}`),
    );
  });
  return `{\n${lines.sort().join(",\n")}\n}\n`;
}

/** The same for a provider that the stacks do use. */
export function providerSchema(provider: ProviderName): ProviderSchema {
  const schema = trimmedSchema(provider);
  if (schema === undefined) throw new Error(`there is no schema of ${provider}`);
  return schema;
}

/** What Terraform itself has in `lifecycle`, which every resource may have. */
const LIFECYCLE = [
  "create_before_destroy",
  "ignore_changes",
  "postcondition",
  "precondition",
  "prevent_destroy",
  "replace_triggered_by",
];

/** Whether resources of a type have an argument at this path of keys and list positions, whether or not it is set. */
export function isKnownPath(type: string, path: string): boolean {
  const { block } = providerSchema(type.split("_")[0] as ProviderName).resource_schemas?.[type] ?? {};
  const [key = "", ...rest] = path.split(".").filter((each) => !/^\d+$/.test(each));
  if (block === undefined) return false;
  return key === "lifecycle" ? LIFECYCLE.includes(rest.join(".")) : isKnownIn(block, [key, ...rest]);
}

function isKnownIn({ attributes = {}, block_types: blocks = {} }: BlockSchema, keys: readonly string[]): boolean {
  const [key = "", ...rest] = keys;
  const attribute = attributes[key];
  if (attribute !== undefined) return isKnownInType(attribute.type, rest);
  const nested = blocks[key];
  return nested !== undefined && (rest.length === 0 || isKnownIn(nested.block, rest));
}

/** A map may have every key, an object those of its type alone, and what is not a collection has none. */
function isKnownInType(type: AttributeType, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  if (typeof type === "string") return false;
  const [collection, item] = type;
  if (collection === "object") {
    const member = (item as Readonly<Record<string, AttributeType>>)[key];
    return member !== undefined && isKnownInType(member, rest);
  }
  return isKnownInType(item as AttributeType, collection === "map" ? rest : keys);
}

const FOLDER_SCHEMAS = new Map<string, ProviderSchema>();

/**
 * The schema of a provider with the types alone that a folder uses, made once: every run of Terraform asks for it; all
 * that are known for a folder that is not synthesized.
 */
export function schemaOfFolder(provider: string, folder: string, isNewest = false): ProviderSchema | undefined {
  const whole = (isNewest ? trimmedSchema(`${provider}.newest`) : undefined) ?? trimmedSchema(provider);
  if (!existsSync(join(folder, "cdk.tf.json"))) return whole;
  const types = typesOf(folder);
  const key = JSON.stringify([provider, types, isNewest]);
  const known = FOLDER_SCHEMAS.get(key) ?? whole;
  if (known === undefined || FOLDER_SCHEMAS.has(key)) return known;
  const used = (schemas: Readonly<Record<string, ElementSchema>> = {}, names: readonly string[]) =>
    Object.fromEntries(Object.entries(schemas).filter(([type]) => names.includes(type)));
  const schema: ProviderSchema = {
    ...known,
    resource_schemas: used(known.resource_schemas, types.resource),
    data_source_schemas: used(known.data_source_schemas, types.data),
    ephemeral_resource_schemas: used(known.ephemeral_resource_schemas, types.ephemeral),
  };
  FOLDER_SCHEMAS.set(key, schema);
  return schema;
}

/** Types that a synthesized folder uses, by kind of block; Terraform's own are not among them. */
export function typesOf(folder: string): Readonly<Record<"data" | "ephemeral" | "resource", readonly string[]>> {
  const configuration = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as Record<
    string,
    object | undefined
  >;
  const types = (kind: string) =>
    Object.keys(configuration[kind] ?? {}).filter((type) => !type.startsWith("terraform_"));
  return { data: types("data"), ephemeral: types("ephemeral"), resource: types("resource") };
}

const EMPTY: ElementSchema = { version: 0, block: {} };

/** What a folder needs of the schemas that they do not have, with the command that brings it; undefined for nothing. */
export function schemaProblem(folder: string): string | undefined {
  const files = readdirSync(__dirname).filter((file) => file.endsWith(".json.gz"));
  const known = files.map((file) => trimmedSchema(file.replace(".json.gz", "")) ?? { provider: EMPTY });
  const { data, ephemeral, resource } = typesOf(folder);
  const missing = [
    ...data.filter((type) => !known.some(({ data_source_schemas: schemas = {} }) => type in schemas)),
    ...resource.filter((type) => !known.some(({ resource_schemas: schemas = {} }) => type in schemas)),
    ...ephemeral.filter((type) => !known.some(({ ephemeral_resource_schemas: schemas = {} }) => type in schemas)),
  ];
  const problems = [
    ...(missing.length === 0 ? [] : [`there is no schema of ${missing.join(", ")}`]),
    ...staleSchemas(folder),
  ];
  return problems.length === 0 ? undefined : `${problems.join("; ")}; run: npm run rehearse:schemas -- ${folder}`;
}

/** Schemas of a release that is older than those that the folder takes. */
function staleSchemas(folder: string): string[] {
  const { terraform: { required_providers: required = {} } = {} } = JSON.parse(
    readFileSync(join(folder, "cdk.tf.json"), "utf8"),
  ) as { terraform?: { required_providers?: Readonly<Record<string, { readonly version?: string }>> } };
  return Object.entries(required).flatMap(([provider, { version = "" }]) => {
    const { release } = trimmedSchema(provider) ?? {};
    // Lower bound of accepted releases, for example of `>= 7.42.0, < 9.0.0`.
    const least = /(?:^|,)\s*(?:>=?|~>|=)?\s*(\d+(?:\.\d+)*)/.exec(version)?.[1];
    if (release === undefined || least === undefined) return [];
    if (release.localeCompare(least, "en", { numeric: true }) >= 0) return [];
    return [`the schema of ${provider} is of ${release}, and the folder needs ${version}`];
  });
}
