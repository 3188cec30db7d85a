import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Deployment } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { edited, withInputs } from "./every-stack";

const FOLDER = "blueprints";
const FILE = `${FOLDER}/groups.yaml`;

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

function dropFile({ folder }: Deployment): void {
  mkdirSync(join(folder, FOLDER));
  writeFileSync(join(folder, FILE), TEXT);
}

const requireBuilt =
  (list: string): ChangeScenario["verify"] =>
  ({ web }) => {
    const [step] = web.builds.accepted.at(-1)?.steps ?? [];
    const carried = step?.env.find((entry) => entry.startsWith("BLUEPRINTS="));
    if (carried !== `BLUEPRINTS=${list}`) throw new Error(`the last build carries ${String(carried)}`);
  };

/** A custom blueprint and a shipped one are added. */
const blueprintsCome = (expected: ChangeScenario["expected"]): ChangeScenario => ({
  name: "a file in the folder of blueprints, and a shipped blueprint",
  change: (deployment) => {
    dropFile(deployment);
    withInputs(WITH_BLUEPRINTS)?.(deployment);
  },
  expected,
  verify: requireBuilt("own/groups.yaml shipped/branding.yaml"),
});

/** They come, one is edited, and both go. */
export const blueprintChanges = (expected: ChangeScenario["expected"]): readonly ChangeScenario[] => [
  blueprintsCome(expected),
  {
    name: "edit of a blueprint",
    change: edited(FILE),
    expected,
    verify: ({ web }) => {
      const images = web.builds.accepted.slice(-2).map(({ images: [image] }) => image);
      if (new Set(images).size !== 2) throw new Error("the edit makes no other image");
    },
  },
  {
    name: "no blueprints any more",
    change: (deployment) => {
      rmSync(join(deployment.folder, FOLDER), { recursive: true });
      withInputs({ blueprints: [] })?.(deployment);
    },
    expected,
  },
];
