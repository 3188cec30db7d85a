import { readFileSync } from "node:fs";

import { parse } from "yaml";

import { packageFile } from "../../../../lib/core/package-file";
import { SHIPPED_BLUEPRINTS } from "../../../../lib/idp/blueprints";
import { valueAt } from "../../../stacks/configuration-graph";
import { type Block } from "../../../support/synthesis";

/** The configuration of each outpost that a shipped blueprint makes, by the name of the blueprint. */
export const OUTPOST_CONFIGS: ReadonlyMap<string, Block> = new Map(
  Object.keys(SHIPPED_BLUEPRINTS).flatMap((name) => {
    const text = readFileSync(packageFile(`image/blueprints/${name}.yaml`), "utf8").replaceAll(/!\w+/g, "");
    const { entries } = parse(text) as { readonly entries: readonly Block[] };
    const outposts = entries.filter(({ model }) => model === "authentik_outposts.outpost");
    return outposts.map((outpost) => [name, valueAt(outpost, "attrs.config") as Block] as const);
  }),
);
