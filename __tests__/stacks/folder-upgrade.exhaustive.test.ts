import { App } from "cdktf";

import { Deployment } from "../rehearsal/deployment/deployment";
import { type Action, requireActions } from "../rehearsal/deployment/steps";
import { REHEARSALS } from "../rehearsal/scenarios/stacks";
import { describeWith, findProgram } from "../support/programs";
import { synthesizeInto } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { KUBERNETES_STACK_NAME, kubernetesStack } from "./kubernetes-stack";
import { LAB_STACK_NAME, labStack } from "./lab-stack";
import { type KeptFolder, keptFolder, lastRelease, unpack } from "./releases/kept-release";
import { UPGRADE_PLANS, type UpgradePlan } from "./releases/upgrade-plans";
import { serverlessStack, STACK_NAME } from "./serverless-stack";

const STACKS = {
  [STACK_NAME]: serverlessStack,
  [KUBERNETES_STACK_NAME]: kubernetesStack,
  [LAB_STACK_NAME]: labStack,
};

/** The folder of this version, as the texts of its files. */
function newFolder(name: keyof typeof STACKS): KeptFolder {
  const folder = synthesizeInto(App.of(STACKS[name]()), name);
  return Object.fromEntries(folder.files.map((path) => [path, folder.read(path)]));
}

/**
 * Applies the folder of the last release with every part that inputs can ask for, replaces its files by those of this
 * version, and applies that.
 *
 * @returns what the plan has shown
 */
async function upgraded(name: keyof typeof STACKS, before: KeptFolder): Promise<UpgradePlan> {
  const { admission, faultInputs, inputs, externalResourcesExist, prepare } = REHEARSALS[name] ?? { inputs: {} };
  const source = temporaryFolder();
  unpack(before, source);
  const program = findProgram("terraform") ?? "";
  const old = await Deployment.start({
    source,
    inputs: faultInputs ?? inputs,
    program,
    admission,
    externalResourcesExist,
  });
  prepare?.(old);
  try {
    await old.init();
    await old.applyAtOnce();
    unpack(newFolder(name), old.folder);
    // A fork, because its providers know the types of the new folder.
    const next = await old.fork();
    try {
      await next.init();
      const plan = await next.plan();
      await next.apply(plan);
      requireActions("the plan after it", await next.plan(), {});
      return { actions: Object.fromEntries<Action>(plan.actions), outputs: [...plan.outputs].sort() };
    } finally {
      await next.stop();
    }
  } finally {
    await old.stop();
  }
}

describeWith(["terraform", "curl", "jq"], `A state of ${lastRelease()} under the folder of this version`, () => {
  it.each(Object.keys(STACKS) as (keyof typeof STACKS)[])("is taken over as the changelog says: %s", async (name) => {
    const before = keptFolder(name);
    if (before === undefined) throw new Error(`${name} is newer than ${lastRelease()}; leave it out here`);
    expect(await upgraded(name, before)).toEqual(UPGRADE_PLANS[name]);
  });
});
