import { describeWith } from "../support/programs";
import { describeContainer } from "./entrypoint-container";
import { describeRefusals } from "./entrypoint-refusals";
import { type COMMANDS, entrypointScene } from "./entrypoint-scene";
import { describeVariables } from "./entrypoint-variables";
import { describeWorkerModes } from "./entrypoint-worker-modes";

/** What the script does, whichever shell runs it; `thorough` has also what takes seconds each. */
export function describeEntrypoint(program: keyof typeof COMMANDS, options: { thorough: boolean }): void {
  describeWith([program, "dash", "dumb-init"], `cloud-entrypoint.sh under ${program}`, () => {
    const scene = entrypointScene(program);
    describeVariables(scene, options);
    describeRefusals(scene, options);
    describeContainer(scene, options);
    describeWorkerModes(scene, options);
  });
}
