import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import { type ProviderSchema } from "./provider-schema";

/**
 * Writes the trimmed schemas beside this file, from the full ones given as arguments: each a plain or compressed output
 * of `terraform providers schema -json`, of one or several providers.
 */

/** Types that the stacks use. */
const USED = {
  google: {
    resources: [
      "google_artifact_registry_repository",
      "google_artifact_registry_repository_iam_member",
      "google_cloud_run_v2_job",
      "google_cloud_run_v2_service",
      "google_project_iam_member",
      "google_project_service",
      "google_secret_manager_secret",
      "google_secret_manager_secret_iam_member",
      "google_secret_manager_secret_version",
      "google_service_account",
      "google_sql_database_instance",
      "google_storage_bucket",
      "google_storage_bucket_iam_member",
    ],
    ephemeral: ["google_secret_manager_secret_version"],
  },
  random: { resources: [], ephemeral: ["random_password"] },
} as const;

interface FullDump {
  readonly provider_schemas: Readonly<Record<string, ProviderSchema>>;
}

for (const path of process.argv.slice(2)) {
  const bytes = readFileSync(path);
  const dump = JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()) as FullDump;
  for (const [address, schema] of Object.entries(dump.provider_schemas)) {
    const name = address.split("/").at(-1) as keyof typeof USED;
    const { resources, ephemeral } = USED[name];
    const trimmed: ProviderSchema = {
      provider: withoutProse(schema.provider),
      resource_schemas: only(schema.resource_schemas, resources),
      ephemeral_resource_schemas: only(schema.ephemeral_resource_schemas, ephemeral),
    };
    // The file system's name and the time stay out of the bytes, so that the same input gives the same file.
    writeFileSync(join(__dirname, `${name}.json.gz`), gzipSync(JSON.stringify(trimmed), { level: 9 }));
  }
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
