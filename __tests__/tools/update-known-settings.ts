import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NEUTRAL_PREFIX, PINNED_VERSION, UPSTREAM_PREFIX } from "../../lib/idp/contract";
import { KNOWN_SETTINGS_FILE } from "../../lib/idp/known-settings";

/**
 * Renews the list of the application's settings from its source code.
 *
 *   node --require sucrase/register __tests__/tools/update-known-settings.ts FOLDER DATE SOURCE
 *
 * FOLDER holds the source code of the pinned release, DATE is the day it was published, and SOURCE says what it is.
 */
const [folder, date, source] = process.argv.slice(2);
if (folder === undefined || date === undefined || source === undefined) {
  console.error("usage: update-known-settings.ts FOLDER DATE SOURCE");
  process.exit(2);
}

/** Settings of later releases that this library or its pages name; they do no harm before. */
const OF_LATER_RELEASES = [
  "WEB__BASE_URL",
  ...["HOST", "NAME", "PASSWORD", "PORT", "SSLCERT", "SSLKEY", "SSLMODE", "SSLROOTCERT", "USER"].map(
    (name) => `POSTGRESQL__DIRECT__${name}`,
  ),
];

/** By release notes, and read by programs in other languages. */
const OF_NO_FILE = ["BOOTSTRAP_PASSWORD_HASH", "ENV", "PYROSCOPE_HOST"];

function textOf(path: string): string {
  return readFileSync(join(String(folder), path), "utf8");
}

/** Keys of a YAML file that have a value, each with those above it. */
function leaves(yaml: string): string[] {
  const keys = yaml.split("\n").flatMap((line) => {
    const [, indent = "", key, value = ""] = /^( *)"?(\w+)"?:(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ depth: indent.length / 2, key, hasValue: value.trim() !== "" }];
  });
  const path: string[] = [];
  return keys.flatMap(({ depth, hasValue, key }, index) => {
    path.length = depth;
    path.push(key);
    return hasValue || (keys[index + 1]?.depth ?? 0) <= depth ? [path.join("__")] : [];
  });
}

/** Settings that the code reads, whether or not they have a default. */
function readByCode(): string[] {
  const files = readdirSync(String(folder), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".py") && !path.includes("test"),
  );
  const read = /(?:CONFIG\.(?:get|refresh)\w*\(\s*|config\.get\w*\(\s*(?="[a-z]+\.))"([a-z0-9_.]+)"/g;
  return files.flatMap((path) => matchesOf(textOf(path), read)).map((name) => name.replaceAll(".", "__"));
}

function documented(): string[] {
  const page = textOf("website/docs/install-config/configuration/configuration.mdx");
  return matchesOf(page, new RegExp(`${UPSTREAM_PREFIX}([A-Z0-9_]*[A-Z0-9])\``, "g"));
}

/** Read by the first start alone, straight from the environment. */
function ofFirstStart(): string[] {
  return matchesOf(textOf("blueprints/system/bootstrap.yaml"), new RegExp(`${UPSTREAM_PREFIX}(\\w+)`, "g"));
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);
}

/** `*` stands for what the operator chooses: the number of a replica, the name of a module. */
function generalized(name: string): readonly string[] {
  if (name.startsWith("LOG__RUST_LOG__")) return ["LOG__RUST_LOG__*"];
  // Each use of the storage takes all settings of the storage.
  const [, ofStorage] = /^STORAGE__((?:FILE|S3)__\w+|BACKEND)$/.exec(name) ?? [];
  if (ofStorage !== undefined) {
    return [name, ...["MEDIA", "REPORTS"].map((use) => `STORAGE__${use}__${ofStorage}`)];
  }
  return [name.replace(/__READ_REPLICAS__\d+__/, "__READ_REPLICAS__*__")];
}

/** Headings of sections, what only the upstream's own tests use, and what is documented as removed. */
const NO_SETTINGS =
  /^(EMAIL|ERROR_REPORTING|OUTPOSTS|POSTGRESQL__READ_REPLICAS|POSTGRESQL__TEST__NAME|SESSION_STORAGE|WEB__TIMEOUT_HTTP)$/;

const found = [...leaves(textOf("authentik/lib/default.yml")), ...readByCode(), ...documented(), ...ofFirstStart()];
const names = [...found, ...OF_NO_FILE, ...OF_LATER_RELEASES]
  .map((name) => name.toUpperCase())
  .filter((name) => !NO_SETTINGS.test(name))
  .flatMap(generalized)
  .map((name) => `${NEUTRAL_PREFIX}${name}`);
const header = [
  `# Settings of the application in release ${PINNED_VERSION}, by name; * stands for any word.`,
  `# Made on ${date} from ${source} by __tests__/tools/update-known-settings.ts.`,
];
writeFileSync(KNOWN_SETTINGS_FILE, [...header, ...[...new Set(names)].sort(), ""].join("\n"));
