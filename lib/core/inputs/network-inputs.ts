import { type DeploymentInputs } from "../deployment-context";
import { anyOf, type Expr, interpolated } from "../expr/expr";
import { captured, every, jsonOf } from "../expr/functions";
import { prose } from "../prose";
import { type Relation } from "./relations";
import { orResource, text, texts } from "./rows";
import { matching } from "./rules";

/** Types of resources that may stand for a network, and for a subnetwork. */
const NETWORK_TYPES = ["google_compute_network"];
const SUBNETWORK_TYPES = ["google_compute_subnetwork"];

const NETWORK_TAG = "^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$";
const NETWORK = "^projects/[^/]+/global/networks/[^/]+$";
const SUBNETWORK = "^projects/[^/]+/regions/([^/]+)/subnetworks/[^/]+$";

/**
 * Inputs of an existing network.
 *
 * @param words parts of the descriptions that depend on the deployment: requirements, and effects of a change
 * @param group group in the form of a platform
 */
export function networkInputs(words: Readonly<Record<"network" | "subnetwork" | "tagged", string>>, group = "") {
  return {
    /**
     * Existing network, `projects/<project>/global/networks/<name>` or its resource; the page of the stack lists the
     * requirements.
     */
    network: orResource(
      "id",
      NETWORK_TYPES,
      text({
        default: null,
        description: `${group}Existing network, projects/<project>/global/networks/<name>, ${words.network}`,
        must: matching(
          NETWORK,
          "be projects/<project>/global/networks/<name>, because it may belong to another project; write it in full",
        ),
      }),
    ),
    /** `projects/<project>/regions/<region>/subnetworks/<name>`, or its resource, in the region of the deployment. */
    subnetwork: orResource(
      "id",
      SUBNETWORK_TYPES,
      text({
        default: null,
        description: prose`
          ${group}Subnetwork of network in the same region, projects/<project>/regions/<region>/subnetworks/<name>,
          ${words.subnetwork}
        `,
        must: matching(
          SUBNETWORK,
          prose`
            be projects/<project>/regions/<region>/subnetworks/<name>, because it may belong to another project;
            write it in full
          `,
        ),
      }),
    ),
    /** Network tags, to which firewall rules of the network refer. */
    networkTags: texts({
      default: [],
      description: prose`
        ${group}Network tags of ${words.tagged}, which rules of the network's firewall go by.
        Changing them later rolls out new instances, or changes VMs in place.
      `,
      must: {
        condition: (tags: Expr<readonly string[]>) => every(tags, (tag) => tag.matches(NETWORK_TAG), "tag"),
        must: prose`
          have tags of 1 to 63 lower-case letters, digits and hyphens that begin with a letter,
          because Compute Engine accepts no others; correct it
        `,
      },
    }),
  };
}

/** The region of a subnetwork. */
const regionOf = (subnetwork: Expr<string>) => captured(subnetwork, SUBNETWORK, 0).tryOr("");

export type NetworkInputs = ReturnType<typeof networkInputs>;
type Inputs = NetworkInputs & Pick<DeploymentInputs, "region">;

export const NETWORK_RELATIONS: readonly Relation<Inputs>[] = [
  {
    host: "subnetwork",
    holds: ({ network, region, subnetwork }) =>
      network.isNull().choose(
        subnetwork.isNull(),
        subnetwork.isSetAnd((given) => regionOf(given).eq(region)),
      ),
    message: ({ network, region, subnetwork }) => {
      const [one, other] = [jsonOf(network), jsonOf(subnetwork)];
      const rule = "they must be given together, because addresses are taken from a subnetwork";
      const fix = "set both, or remove both";
      const alone = interpolated`${network.name} is ${one} and ${subnetwork.name} is ${other}; ${rule}; ${fix}`;
      const its = regionOf(subnetwork.present);
      const because = "it must be in that region, because addresses are taken from the same region only";
      const are = interpolated`${subnetwork.name} is in ${its} and ${region.name} is ${region}`;
      const fixes = interpolated`use a subnetwork of ${region}, or correct ${region.name}`;
      const elsewhere = interpolated`${are}; ${because}; ${fixes}`;
      return anyOf(network.isNull(), subnetwork.isNull()).choose(alone, elsewhere).text;
    },
  },
];

/** The tags as an argument; undefined for an empty list. */
export function tagsIn(tags: Expr<readonly string[]>): string[] | undefined {
  const chosen = tags.length().gt(0).choose(tags, null);
  return chosen.isLiteral && chosen.literal === null ? undefined : chosen.list;
}
