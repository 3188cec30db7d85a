import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import { packageFile } from "../../../lib/core/package-file";
import { type ProviderSchema, typesOf } from "./provider-schema";

/**
 * Writes the trimmed schemas beside this file: of the types that the synthesized stacks use, without prose.
 *
 * Arguments are full schemas, each a plain or compressed output of `terraform providers schema -json`, of one or several
 * providers. Without arguments Terraform is asked for those of each synthesized stack, which downloads the providers.
 */

const STACKS = packageFile("cdktf.out/stacks");

const folders = readdirSync(STACKS).map((stack) => join(STACKS, stack));
const used = folders.map(typesOf);
const usedOf = (kind: "data" | "ephemeral" | "resource", provider: string): string[] =>
  [...new Set(used.flatMap((types) => types[kind]))].filter((type) => type.startsWith(`${provider}_`)).sort();

interface FullDump {
  readonly provider_schemas: Readonly<Record<string, ProviderSchema>>;
}

const dumps = process.argv.length > 2 ? process.argv.slice(2).map(readDump) : folders.map(askTerraform);
for (const dump of dumps) {
  for (const [address, schema] of Object.entries(dump.provider_schemas)) {
    const name = address.split("/").at(-1) ?? "";
    if (name === "terraform") continue;
    const trimmed: ProviderSchema = {
      provider: withoutProse(schema.provider),
      resource_schemas: only(schema.resource_schemas, usedOf("resource", name)),
      data_source_schemas: only(schema.data_source_schemas, usedOf("data", name)),
      ephemeral_resource_schemas: only(schema.ephemeral_resource_schemas, usedOf("ephemeral", name)),
    };
    // The file system's name and the time stay out of the bytes, so that the same input gives the same file.
    writeFileSync(join(__dirname, `${name}.json.gz`), gzipSync(JSON.stringify(trimmed), { level: 9 }));
  }
}

function readDump(path: string): FullDump {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()) as FullDump;
}

function askTerraform(folder: string): FullDump {
  const place = mkdtempSync(join(tmpdir(), "provider-schemas-"));
  cpSync(folder, place, { recursive: true });
  const run = (...command: string[]) =>
    execFileSync("terraform", command, { cwd: place, maxBuffer: 2 ** 30 }).toString();
  run("init", "-input=false");
  const dump = JSON.parse(run("providers", "schema", "-json")) as FullDump;
  rmSync(place, { recursive: true });
  return dump;
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
