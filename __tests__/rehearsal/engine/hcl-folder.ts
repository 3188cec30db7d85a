import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { hclFiles } from "../../../lib/core/hcl/hcl-files";
import { KNOWN_BLOCKS, type HclBlocks } from "../../../lib/core/hcl/stack-origin";
import { packageFile } from "../../../lib/core/package-file";
import { type Deployment } from "../deployment/deployment";
import { type Protection } from "./journey";
import { type Episode } from "./stack-rehearsal";

const CONFIGURATION = "cdk.tf.json";

/** Puts the folder's configuration in HCL into its place; returns what puts it back. */
export function toHcl({ folder }: Pick<Deployment, "folder">): () => void {
  const json = readFileSync(join(folder, CONFIGURATION), "utf8");
  const blocks = JSON.parse(readFileSync(packageFile(KNOWN_BLOCKS), "utf8")) as HclBlocks;
  const files = hclFiles(JSON.parse(json) as Record<string, unknown>, {
    pathOf: (_, name) => name.split("_"),
    orderOf: () => 0,
    reasonOf: () => undefined,
    purposeOf: String,
    blocksOf: (type) => blocks[type] ?? {},
  });
  rmSync(join(folder, CONFIGURATION));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return () => {
    for (const name of Object.keys(files)) rmSync(join(folder, name));
    writeFileSync(join(folder, CONFIGURATION), json);
  };
}

/** A life in HCL, and a change of the format in the middle of one. */
export function episodesInHcl(protection?: Protection): readonly Episode[] {
  return [
    {
      name: "a life in HCL",
      fromNothing: true,
      play: async (deployment) => {
        const back = toHcl(deployment);
        await deployment.applyAtOnce();
        await deployment.requireEmptyPlan("plan in HCL");
        const begun = deployment.inputs;
        if (protection !== undefined) {
          await deployment.refuse(["destroy", "-auto-approve", "-input=false"], protection.refusal ?? "");
          deployment.inputs = { ...begun, ...protection.off };
          await deployment.applyAtOnce();
        }
        await deployment.succeed("destroy", "-auto-approve", "-input=false");
        deployment.inputs = begun;
        back();
        await deployment.applyAtOnce();
      },
    },
    {
      name: "a change of the format",
      play: async (deployment) => {
        const back = toHcl(deployment);
        await deployment.requireEmptyPlan("plan in HCL");
        deployment.inputs = { ...deployment.inputs, labels: { format: "hcl" } };
        await deployment.applyAtOnce();
        back();
      },
    },
  ];
}
