import { type Scripts, withoutAnswer } from "./dependency-graph";
import { type StagedFault } from "./fault-scenarios";

/** The gate of one API, which opens when that answers: `lib/core/project-apis.ts` makes them. */
export interface Gate {
  readonly api: string;
  /** Address, without an index, of what waits. */
  readonly address: string;
  /** The same of what turns the API on. */
  readonly service: string;
}

/** Gates among the addresses of a state. */
export function gatesAmong(addresses: readonly string[]): Gate[] {
  return addresses.flatMap((address) => {
    const [, prefix, api] = /^terraform_data\.(\w*apis)_(\w+)_answers\b/.exec(address) ?? [];
    if (prefix === undefined || api === undefined) return [];
    return [
      { api, address: `terraform_data.${prefix}_${api}_answers`, service: `google_project_service.${prefix}_${api}` },
    ];
  });
}

/** What the gates wait for. */
export function gateScripts(gates: readonly Gate[]): Scripts {
  return Object.fromEntries(
    gates.map(({ api, address, service }) => [
      address,
      { needs: [service], before: (surroundings) => withoutAnswer(surroundings, api) },
    ]),
  );
}

/** A gate that stays closed until its time is up. */
export function closedGate({ api, address }: Gate, stages: readonly RegExp[]): StagedFault {
  return {
    name: `the gate of ${api} never opens`,
    afterStage: stages.findIndex((pattern) => pattern.test(address)),
    prepare: ({ environment, web }) => {
      environment.WAIT_SECONDS = "0";
      web.inject(api, { kind: "service-disabled" });
    },
    refusal: `${api}.googleapis.com did not answer in project`,
    repair: ({ environment }) => {
      environment.WAIT_SECONDS = undefined;
    },
  };
}
