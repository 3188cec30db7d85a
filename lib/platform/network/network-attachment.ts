import {
  Annotations,
  ref,
  TerraformDataSource,
  TerraformResource,
  TerraformStack,
  Token,
  type ITerraformDependable,
} from "cdktf";
import { type Construct } from "constructs";

import { rendered } from "../../core/expression";
import { text, texts, type Relation, type Value } from "../../core/inputs";
import { type PlaceInputs } from "../../core/place";

/** An existing network for private addresses; an expression that is null at plan time means none. */
export interface NetworkAttachment {
  /** `projects/<project>/global/networks/<name>`; it must have private services access. */
  readonly network: string;

  /** `projects/<project>/regions/<region>/subnetworks/<name>`, in the region of the service, /26 or larger. */
  readonly subnetwork: string;

  /**
   * For a network of the same stack: what it must have before anything starts in it, and until everything in it is
   * deleted, such as private services access, NAT and firewall rules.
   *
   * @default - nothing; the network is complete
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * What Cloud Run sends through it: `PRIVATE_RANGES_ONLY` or `ALL_TRAFFIC`.
   *
   * @default "PRIVATE_RANGES_ONLY"
   */
  readonly egress?: string;

  /**
   * Network tags of what runs on Cloud Run, which rules of the network's firewall go by.
   *
   * @default - none
   */
  readonly tags?: string[];
}

const NETWORK = "^projects/[^/]+/global/networks/[^/]+$";

/** Inputs of an existing network, in words of the platform: what it must have, and what a change does. */
export function networkInputs(words: Readonly<Record<"network" | "subnetwork" | "tagged", string>>) {
  return {
    /** `projects/<project>/global/networks/<name>`; it must have private services access. It cannot be removed later. */
    network: text({
      default: null,
      description: `Existing network, projects/<project>/global/networks/<name>, ${words.network}`,
      schema: { pattern: NETWORK },
    }),
    /** `projects/<project>/regions/<region>/subnetworks/<name>`, in the region of the deployment. */
    subnetwork: text({
      default: null,
      description: `Subnetwork of network in the same region, projects/<project>/regions/<region>/subnetworks/<name>, ${words.subnetwork}`,
    }),
    /** Network tags, which rules of the network's firewall go by. */
    networkTags: texts({
      default: [],
      description: `Network tags of ${words.tagged}, which rules of the network's firewall go by.`,
      must: [
        {
          condition: (tags) => `alltrue([for tag in ${tags} : can(regex("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", tag))])`,
          must: "have tags of 1 to 63 lower-case letters, digits and hyphens that begin with a letter, because Compute Engine accepts no others; correct it",
        },
      ],
    }),
  };
}

type Inputs = PlaceInputs & ReturnType<typeof networkInputs>;

export const NETWORK_RELATIONS: readonly Relation<Inputs>[] = [
  {
    of: "subnetwork",
    holds: ({ network, region, subnetwork }) =>
      `(${network} == null && ${subnetwork} == null) || (can(regex("${NETWORK}", ${network})) && can(regex("^projects/[^/]+/regions/\${${region}}/subnetworks/[^/]+$", ${subnetwork})))`,
    says: ({ network, region, subnetwork }) =>
      `${network.name} is ${network.shown} and ${subnetwork.name} is ${subnetwork.shown} in ${region.name} ${region.shown}; they must be given together or not at all, as projects/<project>/global/networks/<name> and projects/<project>/regions/<region>/subnetworks/<name> in that region, because they may belong to another project, and addresses are taken from the same region only; write both in full, or remove both`,
  },
];

/** The tags as an argument, which is missing without any. */
export function tagsIn(tags: Value): string[] | undefined {
  if (Array.isArray(tags.given) && tags.given.length === 0) return undefined;
  return Token.asList(ref(`(length(${tags}) > 0 ? ${tags} : null)`));
}

/** Warns at synth of what the network of the same stack lacks, or that its subnetwork is elsewhere. */
export function warnOfNetwork(scope: Construct, attachment: NetworkAttachment, region: string): void {
  const warn = (text: string) => Annotations.of(scope).addWarning(text);
  const network = sourceOf(scope, attachment.network);
  if (TerraformResource.isTerraformResource(network) && attachment.dependsOn === undefined)
    warn(
      `network.network is ${network.node.path} of the same stack, and network.dependsOn is missing; without it, the database and the instances may start before private services access and NAT, and a destroy may delete these first; list them, or set [] if there are none`,
    );
  const subnetwork = sourceOf(scope, attachment.subnetwork);
  const { regionInput = region } = (subnetwork ?? {}) as { readonly regionInput?: string };
  if (regionInput !== region && !Token.isUnresolved(regionInput) && !Token.isUnresolved(region))
    warn(
      `network.subnetwork is ${subnetwork?.node.path} in region ${JSON.stringify(regionInput)}, but region is ${JSON.stringify(region)}; addresses are taken from the same region only, so the apply would fail; use a subnetwork there`,
    );
}

/** The resource or data source of the stack that an id belongs to. */
function sourceOf(scope: Construct, id: string): TerraformDataSource | TerraformResource | undefined {
  const text = String(rendered(scope, id));
  return TerraformStack.of(scope)
    .node.findAll()
    .filter((each) => TerraformResource.isTerraformResource(each) || TerraformDataSource.isTerraformDataSource(each))
    .find(({ fqn }) => text.startsWith(String(rendered(scope, fqn)).replace("}", ".")));
}
