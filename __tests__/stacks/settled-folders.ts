import { App, type TerraformStack } from "cdktf";

import { parseStateBackend } from "../../lib/core/state-backend";
import { createStacks } from "../../stacks/all-stacks";
import { type SynthesizedFolder, synthesizeInto } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";

/** Values of inputs under Terraform's names. */
export type Settings = Readonly<Record<string, unknown>>;

/** A stack with nothing but what one deployment needs. */
export async function settledStack(name: string, settings: Settings, { hcl = false } = {}): Promise<TerraformStack> {
  const app = new App({ outdir: temporaryFolder(), hclOutput: hcl });
  const [stack] = await createStacks(app, { backend: parseStateBackend("STATE_BACKEND", "local") }, [name], settings);
  if (stack === undefined) throw new Error("there is one");
  return stack;
}

/** Its folder. */
export async function settledFolder(
  name: string,
  settings: Settings,
  options?: { readonly hcl?: boolean },
): Promise<SynthesizedFolder> {
  return synthesizeInto(App.of(await settledStack(name, settings, options)), name);
}
