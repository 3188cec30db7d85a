import { type DeploymentInputs } from "../deployment-context";
import { interpolated, type Expr } from "../expr/expr";
import { every } from "../expr/functions";
import { type Relation } from "./relations";
import { orResource, text, texts } from "./rows";

/** Types of resources that may stand for a network, and for a subnetwork. */
const NETWORK_TYPES = ["google_compute_network"];
const SUBNETWORK_TYPES = ["google_compute_subnetwork"];

const NETWORK_TAG = "^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$";
const NETWORK = "^projects/[^/]+/global/networks/[^/]+$";

/**
 * Inputs of an existing network, in words of the deployment: what it must have, and what a change does.
 *
 * @param group of a form
 */
export function networkInputs(words: Readonly<Record<"network" | "subnetwork" | "tagged", string>>, group = "") {
  return {
    /**
     * Existing network, `projects/<project>/global/networks/<name>` or its resource; the page of the stack says what it
     * must have.
     */
    network: orResource(
      "id",
      NETWORK_TYPES,
      text({
        default: null,
        description: `${group}Existing network, projects/<project>/global/networks/<name>, ${words.network}`,
        schema: { pattern: NETWORK },
      }),
    ),
    /** `projects/<project>/regions/<region>/subnetworks/<name>`, or its resource, in the region of the deployment. */
    subnetwork: orResource(
      "id",
      SUBNETWORK_TYPES,
      text({
        default: null,
        description: [
          `${group}Subnetwork of network in the same region, projects/<project>/regions/<region>/subnetworks/<name>,`,
          words.subnetwork,
        ].join(" "),
      }),
    ),
    /** Network tags, which rules of the network's firewall go by. */
    networkTags: texts({
      default: [],
      description: [
        `${group}Network tags of ${words.tagged}, which rules of the network's firewall go by.`,
        "Changing them later rolls out new instances, or changes VMs in place.",
      ].join(" "),
      must: {
        condition: (tags: Expr<readonly string[]>) => every(tags, (tag) => tag.matches(NETWORK_TAG), "tag"),
        must: [
          "have tags of 1 to 63 lower-case letters, digits and hyphens that begin with a letter,",
          "because Compute Engine accepts no others; correct it",
        ].join(" "),
      },
    }),
  };
}

export type NetworkInputs = ReturnType<typeof networkInputs>;
type Inputs = NetworkInputs & Pick<DeploymentInputs, "region">;

export const NETWORK_RELATIONS: readonly Relation<Inputs>[] = [
  {
    of: "subnetwork",
    holds: ({ network, region, subnetwork }) => {
      const inRegion = interpolated`^projects/[^/]+/regions/${region}/subnetworks/[^/]+$`;
      const areInFull = network.matches(NETWORK).and(subnetwork.matches(inRegion));
      return network.isNull().and(subnetwork.isNull()).or(areInFull);
    },
    says: ({ network, region, subnetwork }) =>
      [
        `${network.name} is ${network.shown} and ${subnetwork.name} is ${subnetwork.shown}`,
        `in ${region.name} ${region.shown}; they must be given together or not at all,`,
        "as projects/<project>/global/networks/<name>",
        "and projects/<project>/regions/<region>/subnetworks/<name> in that region,",
        "because they may belong to another project, and addresses are taken from the same region only;",
        "write both in full, or remove both",
      ].join(" "),
  },
];

/** The tags as an argument, which is missing without any. */
export function tagsIn(tags: Expr<readonly string[]>): string[] | undefined {
  const chosen = tags.length().gt(0).choose(tags, null);
  return chosen.isLiteral && chosen.literal === null ? undefined : chosen.list;
}
