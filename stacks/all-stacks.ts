import { type App } from "cdktf";
import { type Construct } from "constructs";

import { nearest } from "../lib/core/inputs/nearest";
import { type Table } from "../lib/core/inputs/rows";
import { RulesBrokenError } from "../lib/core/inputs/rules-broken-error";
import { type DeploymentSettings } from "../lib/core/inputs/settled-inputs";
import { type PortableStack } from "../lib/core/portable-stack";
import { prose } from "../lib/core/prose";
import { requireStatesApart } from "../lib/core/state-backend";
import { convertedSettings } from "./folder/converted-settings";
import { settlementsFor } from "./folder/settled-folder";
import { hintOfUnknown, isInput } from "./former-inputs";
import { type Settings, type StackSettings, STATE_BACKEND } from "./settings";
import { withoutSourceMaps } from "./without-source-maps";

interface StackClass {
  /** All inputs of the stack. */
  readonly inputs: Table;

  new (scope: Construct, name: string, settings: StackSettings): PortableStack;
}

/**
 * Every stack by its name. Each is loaded only when needed, because a synthesis spends most of its time loading
 * bindings.
 */
const STACKS: Readonly<Record<string, () => Promise<StackClass>>> = {
  "idp-serverless": async () => (await import("./idp-serverless")).IdpServerlessStack,
  "idp-kubernetes": async () => (await import("./idp-kubernetes")).IdpKubernetesStack,
  "assessment-lab": async () => (await import("./assessment-lab")).AssessmentLabStack,
};

/**
 * Adds the named stacks to an app, or all stacks if none is named.
 *
 * @param values values of the inputs, for a folder with only the parts of one deployment
 * @throws RulesBrokenError that lists every unknown name, or if the stacks would share a state
 */
export async function createStacks(
  app: App,
  settings: Settings,
  names: readonly string[] = [],
  values?: DeploymentSettings["values"],
): Promise<PortableStack[]> {
  const known = Object.keys(STACKS);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new RulesBrokenError(
      "stacks to synthesize",
      unknown.map((name) => {
        const near = nearest(name, known);
        const hint = near === undefined ? `name ${known.join(", ")}` : `did you mean ${near}? Otherwise name another`;
        return `${name} is no stack; ${hint}, or none for all stacks`;
      }),
    );
  if (values !== undefined && names.length !== 1)
    throw new RulesBrokenError("stacks to synthesize", [
      prose`
        --settings is given for ${names.length === 0 ? "all stacks" : names.join(" and ")}; it needs one stack,
        because settings are those of one deployment; name the stack before it
      `,
    ]);
  const wanted = Object.entries(STACKS).filter(([name]) => names.length === 0 || names.includes(name));
  const wantedNames = wanted.map(([name]) => name);
  requireStatesApart(STATE_BACKEND, settings.backend, wantedNames);
  const hintOf = values === undefined ? undefined : await hintFor(wantedNames[0] ?? "", values);
  const classes = await Promise.all(wanted.map(async ([name, load]) => ({ name, Stack: await load() })));
  const created = ({ name, Stack }: (typeof classes)[number]) => {
    const make = (scope: App, deployment: DeploymentSettings) =>
      new Stack(scope, name, { ...settings, deployment: { ...deployment, hintOf } });
    return values === undefined
      ? new Stack(app, name, settings)
      : make(app, settlementsFor(Stack.inputs, make, convertedSettings(Stack.inputs, values)));
  };
  return withoutSourceMaps(() => classes.map(created));
}

/** Explanations of settings that are not inputs of a stack; other stacks are loaded only if there are such settings. */
async function hintFor(
  stack: string,
  values: DeploymentSettings["values"],
): Promise<DeploymentSettings["hintOf"] | undefined> {
  const inputs = await inputsOf(stack);
  if (Object.keys(values).every((name) => isInput(name, inputs))) return undefined;
  const otherInputs: Record<string, Table> = {};
  for (const other of Object.keys(STACKS).filter((each) => each !== stack)) otherInputs[other] = await inputsOf(other);
  return (name) => hintOfUnknown(name, inputs, otherInputs);
}

async function inputsOf(stack: string): Promise<Table> {
  const Stack = await STACKS[stack]?.();
  return Stack?.inputs ?? {};
}
