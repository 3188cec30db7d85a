import { type Scripts, withoutAnswer } from "./dependency-graph";
import { type StagedFault } from "./fault-scenarios";

/** The gate of one API, which opens when the API answers; created in `lib/core/project-apis.ts`. */
export interface Gate {
  readonly api: string;
  /** Address of the resource that waits, without an index. */
  readonly address: string;
  /** Address of the resource that turns the API on, without an index. */
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

/** The scripts of the gates. */
export function gateScripts(gates: readonly Gate[]): Scripts {
  return Object.fromEntries(
    gates.map(({ api, address, service }) => [
      address,
      { needs: [service], before: (surroundings) => withoutAnswer(surroundings, api) },
    ]),
  );
}

/** The fault of a gate that stays closed until it times out. */
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
