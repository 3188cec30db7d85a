import { type StagedFault } from "../engine/fault-scenarios";

/** What goes wrong before anything of a stack exists. */
export const EARLY_FAULTS: readonly StagedFault[] = [
  {
    name: "the Resource Manager cannot be enabled",
    afterStage: 0,
    prepare: ({ web }) => {
      web.usage.operationError = { code: 7, message: "injected failure" };
    },
    refusal: "injected failure",
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
    refusal: "No access token for Google's APIs",
    repair: ({ environment }) => {
      environment.GOOGLE_OAUTH_ACCESS_TOKEN = "ya29.first";
    },
  },
];
