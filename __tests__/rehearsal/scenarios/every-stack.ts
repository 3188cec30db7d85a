import { type Inputs } from "../deployment/deployment";
import { type Action } from "../deployment/steps";
import { type StagedFault } from "../engine/fault-scenarios";
import { type ChangeScenario } from "../engine/journey";

/** The same action for each address. */
export const all = (action: Action, addresses: readonly string[]): Record<string, Action> =>
  Object.fromEntries(addresses.map((address) => [address, action]));

export const withInputs =
  (inputs: Inputs): ChangeScenario["change"] =>
  (deployment) => {
    deployment.inputs = { ...deployment.inputs, ...inputs };
  };

export const edited =
  (path: string): ChangeScenario["change"] =>
  (deployment) =>
    deployment.edit(path, (text) => `${text}# edited\n`);

/** Faults before anything of a stack exists. */
export const EARLY_FAULTS: readonly StagedFault[] = [
  {
    name: "the Resource Manager cannot be enabled",
    afterStage: 0,
    prepare: ({ web }) => {
      web.usage.operationError = { code: 7, message: "injected failure" };
    },
    refusals: ["injected failure"],
    repair: ({ web }) => {
      web.usage.operationError = undefined;
    },
  },
  {
    name: "the token is missing",
    afterStage: 0,
    prepare: ({ environment }) => {
      environment.GOOGLE_OAUTH_ACCESS_TOKEN = undefined;
    },
    refusals: ["No access token for Google's APIs"],
    repair: ({ environment }) => {
      environment.GOOGLE_OAUTH_ACCESS_TOKEN = "ya29.first";
    },
  },
];
