import { geoipWith } from "../../stacks/accepted-inputs";
import { type ChangeScenario } from "../engine/journey";
import { withInputs } from "./every-stack";
import { othersPayload } from "./settings";

const COPY = "kubernetes_secret_v1.workload_geoip_secrets[0]";

/** Inputs with databases of addresses. */
export const WITH_GEOIP = { geoip: geoipWith(1) };

/** Fails unless the updater has this key; without one, there must be no copy of any. */
function requireKey(key: string | undefined): ChangeScenario["verify"] {
  return ({ cloud }) => {
    const keys = cloud
      .ofType("kubernetes_secret_v1")
      .flatMap(({ writeOnly }) => writeOnly["data_wo.GEOIPUPDATE_LICENSE_KEY"] ?? []);
    if (keys.join() !== (key ?? "")) throw new Error(`the updater has ${keys.length} keys, not the expected one`);
  };
}

/**
 * Databases of addresses come, their key changes, and they go.
 *
 * @param deployment address of what rolls out new pods
 */
export function geoipChanges(deployment: string): readonly ChangeScenario[] {
  return [
    {
      name: "databases of addresses",
      change: withInputs(WITH_GEOIP),
      expected: { [deployment]: "update", [COPY]: "create" },
      verify: requireKey(othersPayload("maxmind", "my-project", 1)),
    },
    {
      name: "another version of their licence key",
      change: withInputs({ geoip: geoipWith(2) }),
      expected: { [deployment]: "update", [COPY]: "replace" },
      verify: requireKey(othersPayload("maxmind", "my-project", 2)),
    },
    {
      name: "no databases of addresses any more",
      change: withInputs({ geoip: null }),
      expected: { [deployment]: "update", [COPY]: "delete" },
      verify: requireKey(undefined),
    },
  ];
}
