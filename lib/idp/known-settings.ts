import { readFileSync } from "node:fs";

import { TerraformLocal, Token } from "cdktf";
import { type Construct } from "constructs";

import { settingName, expression } from "../core/expression";
import { packageFile } from "../core/package-file";
import { type Warning } from "../core/warnings";
import { addStackFile } from "../core/stack-file";
import { BLUEPRINT_VARIABLE_PREFIX, NEUTRAL_PREFIX, PINNED_VERSION, UPSTREAM_PREFIX } from "./contract";
import { type EnvironmentOverrides } from "./container-spec";
import { type SecretReferences } from "./secret-references";

/** Settings of the pinned release, one name per line, after a header with their source. */
export const KNOWN_SETTINGS_FILE = packageFile("lib/idp/known-settings.txt");

/** A name that is meant for the application: with a prefix, or with the separator of nested settings. */
const MEANT_FOR_IT = `^(${NEUTRAL_PREFIX}|${UPSTREAM_PREFIX})|__`;

const ANY_PREFIX = `^(${NEUTRAL_PREFIX}|${UPSTREAM_PREFIX})`;

/** What `*` in a name stands for. */
const ANY_WORD = "[A-Z0-9_]+";

/** Not settings of the application, but read by blueprints. */
const OF_BLUEPRINTS = `${BLUEPRINT_VARIABLE_PREFIX}*`;

/** Settings that the pinned release knows. */
export function knownSettings(): readonly string[] {
  return readFileSync(KNOWN_SETTINGS_FILE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith(NEUTRAL_PREFIX));
}

/** Names that are meant for the application but that it does not know, each with the most similar known one. */
export function unknownSettings(names: readonly string[]): Readonly<Record<string, string>> {
  const known = knownSettings();
  const pattern = new RegExp(`^(${[...known, OF_BLUEPRINTS].join("|").replaceAll("*", ANY_WORD)})$`);
  const isKnown = (name: string) =>
    new RegExp(ANY_PREFIX).test(name) && pattern.test(`${NEUTRAL_PREFIX}${bare(name).toUpperCase()}`);
  const unknown = names.filter((name) => new RegExp(MEANT_FOR_IT).test(name.toUpperCase()) && !isKnown(name));
  return Object.fromEntries(unknown.map((name) => [name, nearest(name, known)]));
}

function bare(name: string): string {
  return name.replace(new RegExp(ANY_PREFIX), "");
}

function nearest(name: string, known: readonly string[]): string {
  const own = bare(name).toUpperCase();
  const ranked = known.map((each) => `${rankOf(own, each)} ${each}`).sort();
  return ranked.at(-1)?.slice(RANK_DIGITS + 1) ?? "";
}

/** Number of digits, so that strings that start with a rank are sorted by it. */
const RANK_DIGITS = 4;

/**
 * Similarity of two names: letters and pairs of neighbouring letters of one that the other contains, relative to their
 * lengths.
 */
function rankOf(own: string, known: string): string {
  const parts = new Set([1, 2].flatMap((length) => piecesOf(own, length)));
  const shared = [...parts].filter((part) => known.includes(part)).length;
  return String(Math.floor((1000 * shared) / (own.length + known.length))).padStart(RANK_DIGITS, "0");
}

function piecesOf(text: string, length: number): string[] {
  return Array.from({ length: text.length - length + 1 }, (_, start) => text.slice(start, start + length));
}

/** The known names, for Terraform. */
interface KnownSettings {
  /** List of the names. */
  readonly names: string;

  /** Pattern that matches all known names, in capitals and with our prefix. */
  readonly pattern: string;
}

/** The names are in a file of their own, because they would double the size of the configuration. */
function knownSettingsLocals(scope: Construct): KnownSettings {
  const file = addStackFile(scope, KNOWN_SETTINGS_FILE, "settings/known-settings.txt");
  const local = (id: string, value: string) => new TerraformLocal(scope, id, expression(value)).fqn;
  const names = local(
    "KnownSettings",
    `[for line in split("\\n", ${file.text}) : line if startswith(line, "${NEUTRAL_PREFIX}")]`,
  );
  const pattern = local(
    "KnownSettingsPattern",
    `replace("^(\${join("|", ${names})}|${OF_BLUEPRINTS})$", "*", "${ANY_WORD}")`,
  );
  return { names, pattern };
}

/** The same as `unknownSettings` in Terraform, which has no string distance but can count letters and pairs. */
function unknownInTerraform(variables: string, known: KnownSettings): string {
  const bareName = `replace(name, "/${ANY_PREFIX}/", "")`;
  const isKnown = `can(regex("${ANY_PREFIX}", name)) && can(regex(${known.pattern}, "${NEUTRAL_PREFIX}\${upper(${bareName})}"))`;
  const unknown = `{for name in keys(${variables}) : name => upper(${bareName}) if can(regex("${MEANT_FOR_IT}", upper(name))) && !(${isKnown})}`;
  const parts = `distinct(concat(${["own", "own", "substr(own, 1, -1)"].map((text, index) => `regexall("${index === 0 ? "." : ".."}", ${text})`).join(", ")}))`;
  const withParts = `{for name, own in ${unknown} : name => { length = length(own), parts = ${parts} }}`;
  const shared = "length([for part in own.parts : part if strcontains(each, part)])";
  const rank = `floor(1000 * ${shared} / (own.length + length(each)))`;
  const ranked = `[for each in ${known.names} : format("%0${RANK_DIGITS}d %s", ${rank}, each)]`;
  return expression(
    `{for name, own in ${withParts} : name => substr(reverse(sort(${ranked}))[0], ${RANK_DIGITS + 1}, -1)}`,
  );
}

/**
 * Risks that a setting has no effect, because its name is misspelled or that of another release.
 *
 * @param maps variables by the prop that has them
 */
export function unknownSettingsRisks(
  scope: Construct,
  maps: Readonly<Record<string, EnvironmentOverrides | SecretReferences>>,
): Warning[] {
  const advice = `release ${PINNED_VERSION} has no setting of that name and ignores it; compare the spelling`;
  let known: KnownSettings | undefined;
  return Object.entries(maps).map(([prop, variables]) => {
    const called = settingName(scope, variables, prop);
    if (!Token.isUnresolved(variables)) {
      const unknown = Object.entries(unknownSettings(Object.keys(variables)));
      const shown = unknown.map(([name, nearestName]) => `${name} (${nearestName}?)`).join(", ");
      const message = `${called} has ${shown}; ${advice}`;
      return { value: variables, ok: unknown.length === 0, condition: "true", message };
    }
    known ??= knownSettingsLocals(scope);
    const id = `Unknown${prop.charAt(0).toUpperCase()}${prop.slice(1)}`;
    const unknown = new TerraformLocal(scope, id, unknownInTerraform(Token.asString(variables), known)).fqn;
    const shown = expression(`join(", ", [for name, known in ${unknown} : "\${name} (\${known}?)"])`);
    return {
      value: variables,
      ok: false,
      condition: `length(${unknown}) == 0`,
      message: `${called} has ${shown}; ${advice}`,
    };
  });
}

/** Settings that the application reads only when it first migrates an empty database; later its own page counts. */
const INITIAL_SETTINGS = [
  "AVATARS",
  "DEFAULT_TOKEN_DURATION",
  "DEFAULT_TOKEN_LENGTH",
  "DEFAULT_USER_CHANGE_EMAIL",
  "DEFAULT_USER_CHANGE_NAME",
  "DEFAULT_USER_CHANGE_USERNAME",
  "FOOTER_LINKS",
  "GDPR_COMPLIANCE",
  "IMPERSONATION",
];

/**
 * Risks that a setting is changed in vain, because it counts at the first start only.
 *
 * @param variables settings by name, of the prop `environmentVariables`
 */
export function initialSettingsRisk(scope: Construct, variables: EnvironmentOverrides): Warning {
  const called = settingName(scope, variables, "environmentVariables");
  const pattern = `${ANY_PREFIX}(${INITIAL_SETTINGS.join("|")})$`;
  const advice =
    "that counts at the first start only, after which the application keeps it itself; change it there, at System > Settings";
  if (!Token.isUnresolved(variables)) {
    const initial = Object.keys(variables).filter((name) => new RegExp(pattern, "i").test(name));
    const message = `${called} has ${initial.join(", ")}; ${advice}`;
    return { value: variables, ok: initial.length === 0, condition: "true", message };
  }
  const initial = `[for name in keys(${Token.asString(variables)}) : name if can(regex("(?i)${pattern}", name))]`;
  return {
    value: variables,
    ok: false,
    condition: `length(${initial}) == 0`,
    message: `${called} has ${expression(`join(", ", ${initial})`)}; ${advice}`,
  };
}
