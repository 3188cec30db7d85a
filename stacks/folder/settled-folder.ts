import { App } from "cdktf";

import { statedConditions } from "../../lib/core/expr/conditions";
import { declaredInputs } from "../../lib/core/inputs/declared-inputs";
import { type Input, isCollection, type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { type DeploymentSettings, settingOrDefault, type Settlement } from "../../lib/core/inputs/settled-inputs";
import { type PortableStack } from "../../lib/core/portable-stack";
import { usedInputs } from "./used-inputs";

/** Creates a stack in an app, with the settings of a deployment. */
type MakeStack = (app: App, deployment: DeploymentSettings) => PortableStack;

/**
 * Determines the effect of the settings on each input in a folder for one deployment. Creates the stack repeatedly,
 * until no remaining input decides which parts exist, and every remaining input is used.
 *
 * @param values of the deployment, under Terraform's names
 */
export function settlementsFor(
  inputs: Table,
  make: MakeStack,
  values: DeploymentSettings["values"],
): DeploymentSettings {
  const settlements = new Map<string, Settlement>();
  for (;;) {
    const stack = make(new App(), { values, settlements: new Map(settlements) });
    const { deciding, forced, used, usedParts } = usedInputs(stack.toTerraform(), statedConditions(stack));
    const decided = [...deciding].flatMap((reference) =>
      decidingParts(inputAt(reference, inputs, values), settlements).flatMap((input) => {
        const settlement = settlementOf(input, settlements.get(input.path));
        return settlement === undefined ? [] : [[input.path, settlement] as const];
      }),
    );
    const leftInputs = Object.entries(declaredInputs(stack)).map(([name, row]) => ({ row, path: terraformName(name) }));
    const unused = leftInputs
      .filter(({ path, row }) => row.default !== undefined && !used.has(path))
      .map(({ path }) => [path, "fixed"] as const);
    const parts = leftInputs.flatMap((input) => membersThere({ ...input, value: values[input.path] }, settlements));
    const idle = parts
      .filter(({ path }) => !isUsed(path, usedParts) || forced.has(path))
      .map(({ path }) => [path, "fixed"] as const);
    const single = leftInputs.filter(({ path }) => forced.has(path)).map(({ path }) => [path, "fixed"] as const);
    // Unused inputs can be found only after no input decides which parts exist.
    const changes = decided.length > 0 ? decided : [...unused, ...single, ...idle];
    if (changes.length === 0) return { values, settlements };
    for (const [path, settlement] of changes) settlements.set(path, settlement);
  }
}

/** An input, or the member of one. */
interface FoundInput {
  readonly row: Input;
  readonly path: string;
  readonly value: unknown;
}

/** The deciding parts of an input: the input itself, or the members of an object that always exists. */
function decidingParts(
  input: FoundInput | undefined,
  settlements: ReadonlyMap<string, Settlement>,
): readonly FoundInput[] {
  if (input === undefined) return [];
  const { path, row, value } = input;
  const isThere = (row.default !== null && row.nullable !== true) || settlements.has(path);
  if (row.members === undefined || value === null || !isThere) return [input];
  return Object.entries(row.members).flatMap(([name, member]) => {
    const memberValue = settingOrDefault(member, (value as DeploymentSettings["values"])[terraformName(name)]);
    return decidingParts({ row: member, value: memberValue, path: `${path}.${terraformName(name)}` }, settlements);
  });
}

/** Members of an object that always exists, including members of members. */
function membersThere(
  { path, row, value }: FoundInput,
  settlements: ReadonlyMap<string, Settlement>,
): readonly FoundInput[] {
  const isThere = value !== null && (row.default !== null || settlements.has(path));
  if (row.members === undefined || !isThere) return [];
  return Object.entries(row.members).flatMap(([name, member]) => {
    const memberValue = settingOrDefault(
      member,
      (value as DeploymentSettings["values"] | undefined)?.[terraformName(name)],
    );
    const memberPart = { row: member, value: memberValue, path: `${path}.${terraformName(name)}` };
    return [memberPart, ...membersThere(memberPart, settlements)];
  });
}

/** Whether a member is used: directly, by one of its own members, or with a whole object around it. */
function isUsed(path: string, used: ReadonlySet<string>): boolean {
  return [...used].some((each) => each === path || each.startsWith(`${path}.`) || path.startsWith(`${each}.`));
}

/** Effect of the settings on an input that decides which parts exist; undefined if it does not change. */
function settlementOf({ row, value }: FoundInput, former: Settlement | undefined): Settlement | undefined {
  if (former === "fixed") return undefined;
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  const isUnset = value === null || (isEmpty && row.members === undefined);
  if (isUnset) return "fixed";
  // A secret is not fixed, because a folder must not contain it.
  if (row.sensitive === true) return undefined;
  const mayBeUnset = (row.default ?? null) === null || row.nullable === true || isCollection(row);
  if (mayBeUnset && former === undefined) return "present";
  // A number may change without a part more or less, and of an object the members decide.
  return row.type === "number" || row.members !== undefined ? undefined : "fixed";
}

/** The input, or its member, that a reference refers to. */
function inputAt(reference: string, inputs: Table, values: DeploymentSettings["values"]): FoundInput | undefined {
  let found: FoundInput | undefined;
  let [table, value]: [Table, unknown] = [inputs, values];
  for (const name of reference.split(".")) {
    const [, row] = Object.entries(table).find(([each]) => terraformName(each) === name) ?? [];
    // For an object that is not set, only its absence decides.
    if (row === undefined || value === null) break;
    value = settingOrDefault(row, (value as DeploymentSettings["values"] | null)?.[name]);
    found = { row, value, path: found === undefined ? name : `${found.path}.${name}` };
    table = row.members ?? {};
  }
  return found;
}
