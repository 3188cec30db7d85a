import { readFileSync } from "node:fs";

import { RulesBrokenError } from "../lib/core/rules-broken-error";
import { type DeploymentSettings } from "../lib/core/settled-inputs";

/** Values of inputs under Terraform's names. */
type Values = DeploymentSettings["values"];

/**
 * Reads the settings of one deployment from a file as Terraform reads it: `*.tfvars.json` or `*.tfvars`.
 *
 * @throws RulesBrokenError if it cannot be read, or has anything but literals
 */
export async function readSettingsFile(path: string): Promise<Values> {
  const refuse = (problem: string): never => {
    throw new RulesBrokenError("settings", [`${path} ${problem}`]);
  };
  if (!/[.]tfvars([.]json)?$/.test(path))
    refuse("is not named *.tfvars or *.tfvars.json; it must be, because Terraform reads such files; rename it");
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    refuse(`cannot be read (${(error as NodeJS.ErrnoException).code}); it must be a file; correct the path`);
  }
  const parsed = path.endsWith(".json") ? parseJson(text, refuse) : await parseHcl(path, text, refuse);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return refuse("is not an object; it must have values of inputs by name; correct it");
  // A schema is for editors alone.
  const values = Object.fromEntries(Object.entries(parsed).filter(([name]) => name !== "$schema"));
  return values;
}

function parseJson(text: string, refuse: (problem: string) => never): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return refuse(`is not valid JSON: ${(error as Error).message}; correct it`);
  }
}

async function parseHcl(path: string, text: string, refuse: (problem: string) => never): Promise<unknown> {
  // Only a developer's checkout has it, and most syntheses need none.
  const { parse } = await import("@cdktf/hcl2json");
  let parsed: unknown;
  try {
    parsed = await parse(path, text);
  } catch (error) {
    return refuse(`is not valid HCL: ${(error as Error).message.trim()}; correct it`);
  }
  const calculated = calculatedIn(parsed as Values);
  if (calculated.length > 0)
    refuse(
      `calculates ${calculated.join(", ")}; it must have literals alone, because no plan reads it; write the value`,
    );
  return withoutEscapes(parsed);
}

/** What begins an expression in a text, and is not escaped. */
const EXPRESSION = /(?<![$%])[$%]\{/;

/** Names of values that are expressions, which the framework's reader of HCL leaves in braces. */
function calculatedIn(values: Values, prefix = ""): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (EXPRESSION.test(name) || (typeof value === "string" && EXPRESSION.test(value))) return [path];
    return typeof value === "object" && value !== null ? calculatedIn(value as Values, `${path}.`) : [];
  });
}

/** Texts as Terraform has them, in which `$${` stands for `${`. */
function withoutEscapes(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/([$%])\1\{/g, "$1{");
  if (Array.isArray(value)) return value.map(withoutEscapes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutEscapes(each)]));
}
