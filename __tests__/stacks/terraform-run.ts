import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programPath } from "../support/programs";
import { type Block } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { referencesIn } from "./configuration-graph";

/** Values of inputs; those left out have their defaults. */
export type Inputs = Readonly<Record<string, unknown>>;

/** Variable blocks by name. */
type Variables = Readonly<Record<string, Block>>;

/** The part of a configuration that judges inputs. */
interface JudgingPart {
  readonly locals?: Block;
  readonly variable?: Variables;
}

interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail: string;
  readonly range?: { readonly filename: string; readonly start: { readonly line: number } };
}

/** What Terraform appends to the text of a validation. */
const VALIDATION_SUFFIX = /\n\nThis was checked by the validation rule at .*$/s;

/**
 * The complaints of Terraform about several sets of inputs at once, one list per set, sorted.
 *
 * Each set calls a module of the variables that it can concern, all in one plan, without a provider or a network.
 * Terraform looks at constants first and goes on only when all of them are fine: validations that compare several
 * inputs are reached only when no set breaks a rule of a single one, and only for an input that the set names.
 */
export function refusals({ locals = {}, variable: all = {} }: JudgingPart, sets: readonly Inputs[]): string[][] {
  return judged("error", sets, (inputs) => {
    const variable = concernedBy(all, locals, Object.keys(inputs));
    // Terraform refuses an empty block of variables.
    return Object.keys(variable).length === 0 ? {} : { variable, locals: localsOf(variable, locals) };
  });
}

/** What a value refers to, also through locals. */
function reachedFrom(value: unknown, locals: Block): Set<string> {
  const names = new Set(referencesIn(value));
  // A set grows while it is walked, and the walk goes on to what is new.
  for (const name of names) referencesIn(locals[name.replace("local.", "")]).forEach((other) => names.add(other));
  return names;
}

/** The locals to which a value refers, also through others. */
export function localsOf(value: unknown, locals: Block): Block {
  const names = reachedFrom(value, locals);
  return Object.fromEntries(Object.entries(locals).filter(([name]) => names.has(`local.${name}`)));
}

/** What the checks warn of, one list per set of inputs; such checks refer to nothing but variables and these locals. */
export function warnings(
  { check, locals = {}, variable }: { readonly check?: unknown; readonly locals?: Block; readonly variable?: unknown },
  sets: readonly Inputs[],
): string[][] {
  return judged("warning", sets, () => ({ check, variable, locals: localsOf([check, variable], locals) }));
}

/** What the preconditions of several configurations refuse, one list each, sorted; they depend on no provider. */
export function refusalsOfPlans(configurations: readonly object[]): string[][] {
  return judged(
    "error",
    configurations.map(() => ({})),
    (_, index) => configurations[index] ?? {},
  );
}

/** What Terraform says of several sets of inputs, each of which calls a module of its own. */
function judged(
  severity: Diagnostic["severity"],
  sets: readonly Inputs[],
  moduleOf: (inputs: Inputs, index: number) => object,
): string[][] {
  // Terraform refuses an empty block of modules.
  if (sets.length === 0) return [];
  const folder = temporaryFolder();
  const calls = sets.map((inputs, index) => {
    writeModule(folder, moduleName(index), moduleOf(inputs, index));
    return `"${moduleName(index)}": ${asConstant({ ...sourceOf(index), ...inputs })}`;
  });
  // One call per line, so that a complaint's line tells the set.
  writeFileSync(join(folder, "main.tf.json"), `{"module": {\n${calls.join(",\n")}\n}}`);
  installModules(folder, sets.length);

  const complaints = diagnosticsOfPlan(folder)
    .filter((complaint) => complaint.severity === "error" || complaint.severity === severity)
    .map((complaint) => ({ ...complaint, set: setOf(complaint) }));
  // Anything else may have kept Terraform from judging at all.
  const stray = complaints.find((complaint) => complaint.severity !== severity || sets[complaint.set] === undefined);
  if (stray !== undefined) throw new Error(`${stray.summary}: ${stray.detail}`);
  return sets.map((_, index) =>
    complaints
      .filter(({ set }) => set === index)
      .map(({ detail }) => detail.replace(VALIDATION_SUFFIX, ""))
      .sort(),
  );
}

/** Number of the set that is complained of: by the line of its call, or by the place of what complains. */
function setOf({ detail, range }: Diagnostic): number {
  if (range?.filename === "main.tf.json") return range.start.line - 2;
  return Number(/(?:^|validation rule at )set_([0-9]+)\//m.exec(`${range?.filename ?? ""}\n${detail}`)?.[1] ?? -1);
}

/**
 * The complaints about one set of inputs, given as the file that `-var-file` takes; a text is one in Terraform's own
 * format.
 */
export function refusalsOfFile({ locals = {}, variable = {} }: JudgingPart, inputs: Inputs | string): string[] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ variable, locals: localsOf(variable, locals) }));
  const [file, text] =
    typeof inputs === "string" ? ["inputs.tfvars", inputs] : ["inputs.tfvars.json", JSON.stringify(inputs)];
  writeFileSync(join(folder, file), text);
  return errorsOfPlan(folder, `-var-file=${file}`)
    .map(({ summary, detail }) =>
      summary.startsWith("Invalid value") ? detail.replace(VALIDATION_SUFFIX, "") : detail,
    )
    .sort();
}

/** What can be evaluated without a provider: local expressions, which may refer to each other and to variables. */
interface Expressions {
  readonly locals?: Block;
  readonly variable?: unknown;
}

/** Values of local expressions, computed by Terraform from each other and from the defaults of the variables. */
export function evaluated({ locals = {}, variable }: Expressions): Block {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "main.tf.json"), JSON.stringify({ locals, variable }));
  return consoleValue(folder, objectOf(Object.keys(locals))) as Block;
}

/** The values of some locals of many configurations, in one process. */
export function evaluatedTogether<Name extends string>(
  wanted: readonly string[],
  configurations: Readonly<Record<Name, Expressions>>,
): Readonly<Record<Name, Block>> {
  const folder = temporaryFolder();
  const names = Object.keys(configurations) as Name[];
  names.forEach((name, index) => {
    const { locals, variable } = configurations[name];
    writeModule(folder, moduleName(index), { locals, variable, output: { all: { value: `\${${objectOf(wanted)}}` } } });
  });
  writeFileSync(
    join(folder, "main.tf.json"),
    JSON.stringify({ module: Object.fromEntries(names.map((_, index) => [moduleName(index), sourceOf(index)])) }),
  );
  installModules(folder, names.length);
  const values = consoleValue(folder, `[${names.map((_, index) => `module.${moduleName(index)}.all`).join(", ")}]`);
  return Object.fromEntries(names.map((name, index) => [name, (values as Block[])[index]])) as Record<Name, Block>;
}

function objectOf(locals: readonly string[]): string {
  return `{${locals.map((name) => `${name} = local.${name}`).join(", ")}}`;
}

function consoleValue(folder: string, expression: string): unknown {
  const text = terraform(folder, ["console"], `base64encode(jsonencode(${expression}))\n`);
  const [, base64 = ""] = /^"([^"]*)"$/m.exec(text) ?? [];
  if (base64 === "") throw new Error(`terraform console says: ${text}`);
  return JSON.parse(Buffer.from(base64, "base64").toString());
}

const moduleName = (index: number): string => `set_${index}`;
const sourceOf = (index: number) => ({ source: `./${moduleName(index)}` });

function writeModule(folder: string, name: string, content: object): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "main.tf.json"), JSON.stringify(content));
}

/** Writes what `terraform get` would. */
function installModules(folder: string, count: number): void {
  const names = Array.from({ length: count }, (_, index) => moduleName(index));
  const modules = names.map((name) => ({ Key: name, Source: `./${name}`, Dir: name }));
  mkdirSync(join(folder, ".terraform", "modules"), { recursive: true });
  writeFileSync(
    join(folder, ".terraform", "modules", "modules.json"),
    JSON.stringify({ Modules: [{ Key: "", Source: "", Dir: "." }, ...modules] }),
  );
}

/** A value as Terraform reads it back unchanged from a place where it expects an expression. */
function asConstant(value: unknown): string {
  return JSON.stringify(value).replace(/\$\{/g, "$$$${").replace(/%\{/g, "%%{");
}

/** The variables of some names, those whose rules look at them, and what these look at in turn. */
function concernedBy(variables: Variables, locals: Block, names: readonly string[]): Variables {
  const lookedAt = (name: string) =>
    [...reachedFrom(variables[name], locals)].map((reference) => reference.replace("var.", ""));
  const concerned = new Set(names);
  for (const name of Object.keys(variables)) {
    if (lookedAt(name).some((other) => names.includes(other))) concerned.add(name);
  }
  // A set grows while it is walked, and the walk goes on to what is new.
  for (const name of concerned) lookedAt(name).forEach((other) => concerned.add(other));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => concerned.has(name)));
}

export function errorsOfPlan(folder: string, ...options: string[]): Diagnostic[] {
  return diagnosticsOfPlan(folder, ...options).filter(({ severity }) => severity === "error");
}

function diagnosticsOfPlan(folder: string, ...options: string[]): Diagnostic[] {
  return terraform(folder, ["plan", "-json", "-input=false", "-refresh=false", "-lock=false", ...options])
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => (JSON.parse(line) as { diagnostic?: Diagnostic }).diagnostic)
    .filter((diagnostic): diagnostic is Diagnostic => diagnostic !== undefined);
}

function terraform(folder: string, command: readonly string[], input = ""): string {
  const { stdout, stderr } = spawnSync(programPath("terraform"), command, {
    cwd: folder,
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    // A short process needs little of its garbage collection.
    env: { HOME: folder, CHECKPOINT_DISABLE: "true", TF_IN_AUTOMATION: "true", GOGC: "400" },
  });
  return `${stdout}\n${stderr}`;
}
