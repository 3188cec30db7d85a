import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type ChangeScenario } from "../engine/journey";
import { edited, withInputs } from "./every-stack";

const FILE = "blueprints/groups.yaml";

const TEXT = `version: 1
metadata:
  name: Groups
entries:
  - model: authentik_core.group
    identifiers:
      name: !Env [IDP_BLUEPRINT_GROUP, staff]
`;

/** Inputs with a shipped blueprint. */
export const WITH_BLUEPRINTS = { blueprints: ["branding"] };

/** A custom blueprint and a shipped one come, and one is edited. */
export const blueprintChanges = (expected: ChangeScenario["expected"]): readonly ChangeScenario[] => [
  {
    name: "a file in the folder of blueprints, and a shipped blueprint",
    change: (deployment) => {
      mkdirSync(join(deployment.folder, "blueprints"));
      writeFileSync(join(deployment.folder, FILE), TEXT);
      withInputs(WITH_BLUEPRINTS)?.(deployment);
    },
    expected,
    verify: ({ web }) => {
      const [step] = web.builds.accepted.at(-1)?.steps ?? [];
      const files = step?.env.find((entry) => entry.startsWith("FILES="));
      if (files?.endsWith(" own/groups.yaml shipped/branding.yaml") !== true)
        throw new Error(`the last build carries ${String(files)}`);
    },
  },
  { name: "edit of a blueprint", change: edited(FILE), expected },
];
