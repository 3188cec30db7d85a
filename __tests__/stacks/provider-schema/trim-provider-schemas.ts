import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import { KNOWN_BLOCKS } from "../../../lib/core/hcl/stack-origin";
import { packageFile } from "../../../lib/core/package-file";
import { PROVIDERS } from "../../rehearsal/project/provider-types";
import { nestedBlocks, type ProviderSchema, typesOf } from "./provider-schema";

/**
 * Writes the trimmed schemas beside this file: of the types that the synthesized stacks use or the rehearsal describes,
 * without prose; and the names of their nested blocks where the library reads them.
 *
 * Arguments that are folders are synthesized stacks of other projects, whose types are added. All others are
 * full schemas, each a plain or compressed output of `terraform providers schema -json`, called
 * `<provider>-<release>.json` or `.json.gz`; the second of a provider is that of its newest release. Without any,
 * Terraform is asked for those of each stack, which downloads the providers.
 */

const STACKS = packageFile("cdktf.out/stacks");

const isFolder = (path: string): boolean => existsSync(join(path, "cdk.tf.json"));
const given = process.argv.slice(2);
const folders = [...readdirSync(STACKS).map((stack) => join(STACKS, stack)), ...given].filter(isFolder);
const used = folders.map(typesOf);
const described = Object.values(PROVIDERS).flatMap(({ resources }) => Object.keys(resources));
const usedOf = (kind: "data" | "ephemeral" | "resource", provider: string): string[] =>
  [...new Set([...used.flatMap((types) => types[kind]), ...(kind === "resource" ? described : [])])]
    .filter((type) => type.startsWith(`${provider}_`))
    .sort();

interface FullDump {
  readonly provider_schemas: Readonly<Record<string, ProviderSchema>>;
  /** Releases by the address of the provider. */
  readonly provider_selections?: Readonly<Record<string, string>>;
}

const files = given.filter((path) => !isFolder(path));
const dumps = files.length > 0 ? files.map(readDump) : folders.map(askTerraform);
const written = new Set<string>();
for (const dump of dumps) {
  for (const [address, schema] of Object.entries(dump.provider_schemas)) {
    const name = address.split("/").at(-1) ?? "";
    if (name === "terraform") continue;
    const trimmed: ProviderSchema = {
      release: dump.provider_selections?.[address],
      provider: withoutProse(schema.provider),
      resource_schemas: only(schema.resource_schemas, usedOf("resource", name)),
      data_source_schemas: only(schema.data_source_schemas, usedOf("data", name)),
      ephemeral_resource_schemas: only(schema.ephemeral_resource_schemas, usedOf("ephemeral", name)),
    };
    // The file system's name and the time stay out of the bytes, so that the same input gives the same file.
    const file = written.has(name) ? `${name}.newest` : name;
    written.add(name);
    writeFileSync(join(__dirname, `${file}.json.gz`), gzipSync(JSON.stringify(trimmed), { level: 9 }));
  }
}

writeFileSync(packageFile(KNOWN_BLOCKS), nestedBlocks());

function readDump(path: string): FullDump {
  const [, release] = /-(\d+\.\d+\.\d+)\.json(\.gz)?$/.exec(path) ?? [];
  if (release === undefined) throw new Error(`${path} does not say its release; call it <provider>-<release>.json.gz`);
  const bytes = readFileSync(path);
  const dump = JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()) as FullDump;
  const addresses = Object.keys(dump.provider_schemas);
  return { ...dump, provider_selections: Object.fromEntries(addresses.map((address) => [address, release])) };
}

function askTerraform(folder: string): FullDump {
  const place = mkdtempSync(join(tmpdir(), "provider-schemas-"));
  cpSync(folder, place, { recursive: true });
  const run = (...command: string[]) =>
    execFileSync("terraform", command, { cwd: place, maxBuffer: 2 ** 30 }).toString();
  run("init", "-input=false");
  const dump = JSON.parse(run("providers", "schema", "-json")) as FullDump;
  const { provider_selections: releases } = JSON.parse(run("version", "-json")) as FullDump;
  rmSync(place, { recursive: true });
  return { ...dump, provider_selections: releases };
}

function only<Schema>(
  schemas: Readonly<Record<string, Schema>> = {},
  types: readonly string[],
): Record<string, Schema> {
  return Object.fromEntries(
    types.map((type) => {
      const schema = schemas[type];
      if (schema === undefined) throw new Error(`the dump has no ${type}; it is of another release or provider`);
      return [type, withoutProse(schema)];
    }),
  );
}

function withoutProse<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) =>
      typeof item === "string" && /^description(_kind)?$/.test(key) ? undefined : item,
    ),
  ) as Value;
}
