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

/** The fault of gates that all stay closed until they time out; none of them waits for another. */
export function closedGates(gates: readonly Gate[], stages: readonly RegExp[]): StagedFault {
  return {
    name: `the gates of ${gates.map(({ api }) => api).join(", ")} never open`,
    afterStage: stages.findIndex((pattern) => gates.every(({ address }) => pattern.test(address))),
    prepare: ({ environment, web }) => {
      environment.WAIT_SECONDS = "0";
      for (const { api } of gates) web.inject(api, { kind: "service-disabled" });
    },
    refusals: gates.map(({ api }) => `${api}.googleapis.com did not answer in project`),
    repair: ({ environment }) => {
      environment.WAIT_SECONDS = undefined;
    },
  };
}
