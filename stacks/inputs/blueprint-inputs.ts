import { EACH_ONCE } from "../../lib/core/checked-value";
import { SHIPPED_BLUEPRINTS } from "../../lib/idp/blueprint-files";
import { BLUEPRINTS_NEED_BUILD, blueprintsInFolder, SHIPPED_NAMES } from "../../lib/idp/blueprint-props";
import { type Input } from "./input-table";

/** Inputs for the configuration of the application as files. */
export const BLUEPRINT_INPUTS = {
  blueprints: {
    type: "list(string)",
    default: [],
    description: `Shipped blueprints to apply: ${Object.entries(SHIPPED_BLUEPRINTS)
      .map(([name, meaning]) => `${name} (${meaning})`)
      .join(
        ", ",
      )}. Blueprints of your own go into the folder blueprints beside the configuration. A change builds an image and rolls it out. Removing a blueprint does not remove what it created.`,
    must: [SHIPPED_NAMES, EACH_ONCE],
    together: [
      BLUEPRINTS_NEED_BUILD.validationOf(
        { image: "existing_container_image", count: "blueprints" },
        { count: `(length(var.blueprints) + length(${blueprintsInFolder("blueprints")}))` },
      ),
    ],
  },
} as const satisfies Record<string, Input>;
