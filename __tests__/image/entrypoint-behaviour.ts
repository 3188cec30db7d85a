import { describeWith } from "../support/programs";
import { describeContainer } from "./entrypoint-container";
import { describePool } from "./entrypoint-pool";
import { describeRefusals } from "./entrypoint-refusals";
import { entrypointScene } from "./entrypoint-scene";
import { describeVariables } from "./entrypoint-variables";
import { describeWatch } from "./entrypoint-watch";
import { describeWorkerModes } from "./entrypoint-worker-modes";

/** What the script does; `thorough` has also what takes seconds each. */
export function describeEntrypoint(options: { thorough: boolean }): void {
  describeWith(["busybox", "dash", "dumb-init", "python3"], "cloud-entrypoint.sh", () => {
    const scene = entrypointScene();
    describeVariables(scene, options);
    describeRefusals(scene, options);
    describeContainer(scene, options);
    describePool(scene, options);
    describeWatch(scene, options);
    describeWorkerModes(scene, options);
  });
}
