import { readFileSync } from "node:fs";

import { type CostInputs } from "./input-values";

/** Why a file of variables cannot be used. */
export class VariableFileError extends Error {}

/**
 * The inputs in a file of variables: HCL, or JSON if its name ends in `.json`, as for Terraform.
 *
 * @param path where it is
 * @param name what it is called in messages
 * @throws VariableFileError when it cannot be read, or holds anything but values
 */
export async function readVariableFile(path: string, name: string): Promise<CostInputs> {
  const values = await parsed(name, textOf(path, name));
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new VariableFileError(`${name} holds no inputs; it must be an object with a member for each input`);
  const inputs = Object.fromEntries(Object.entries(values).filter(([key]) => !UNREAD_KEYS.includes(key)));
  const computed = Object.keys(inputs).filter((key) => !name.endsWith(".json") && isComputed(inputs[key]));
  if (computed.length > 0)
    throw new VariableFileError(
      `${name} computes ${computed.join(", ")}; a file of variables must contain only values, as for Terraform; write the value`,
    );
  return inputs;
}

/** JSON members that are not inputs: Terraform's comments, and the reference to inputs.schema.json for editors. */
const UNREAD_KEYS: readonly string[] = ["//", "$schema"];

function textOf(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new VariableFileError(`${name} cannot be read: ${reasonOf(error)}; check its name and the current folder`);
  }
}

async function parsed(name: string, text: string): Promise<unknown> {
  try {
    if (name.endsWith(".json")) return JSON.parse(text);
    // WebAssembly of two megabytes, which a file in JSON does not need.
    const { parse } = await import("@cdktf/hcl2json");
    return await parse(name, text);
  } catch (error) {
    throw new VariableFileError(`${name} is not valid: ${reasonOf(error)}`);
  }
}

/** Whether a value, or a part of one, is an expression: the parser leaves these as templates. */
function isComputed(value: unknown): boolean {
  if (typeof value === "string") return /(?<![$%])[$%]\{/.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(isComputed);
}

function reasonOf(error: unknown): string {
  return (error as Error).message.replaceAll(/\s+/g, " ").trim();
}
