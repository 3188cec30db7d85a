import {
  Annotations,
  TerraformDataSource,
  TerraformResource,
  TerraformStack,
  Token,
  type ITerraformDependable,
} from "cdktf";
import { type Construct } from "constructs";

import { CheckedRelation } from "../../core/checked-relation";
import { matching } from "../../core/checked-value";
import { rendered } from "../../core/expression";
import { type Rule } from "../../core/rules";

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
}

/** Full name of an existing network. */
export const NETWORK = matching("^projects/[^/]+/global/networks/[^/]+$", {
  must: "be projects/<project>/global/networks/<name>",
  reason: "the network may belong to another project",
  remedy: "write it in full",
});

/** An existing subnetwork, which must be in the region of the resources that take addresses from it. */
export const SUBNETWORK = new CheckedRelation<{ subnetwork: string | undefined; region: string }>({
  accepts: ({ region, subnetwork }) =>
    subnetwork === undefined || new RegExp(`^projects/[^/]+/regions/${region}/subnetworks/[^/]+$`).test(subnetwork),
  condition: ({ region, subnetwork }) =>
    `${subnetwork} == null ? true : can(regex("^projects/[^/]+/regions/\${${region}}/subnetworks/[^/]+$", ${subnetwork}))`,
  problem: (names, shown) =>
    `${names.subnetwork} is ${shown.subnetwork} in ${names.region} ${shown.region}; it must be projects/<project>/regions/<region>/subnetworks/<name> in that region, because addresses are taken from the same region only; write it in full`,
});

/** Network and subnetwork: both or neither. */
export const NETWORK_WITH_SUBNETWORK = new CheckedRelation<{ network: unknown; subnetwork: unknown }>({
  accepts: ({ network, subnetwork }) => (network === undefined) === (subnetwork === undefined),
  condition: ({ network, subnetwork }) => `(${network} == null) == (${subnetwork} == null)`,
  problem: (names, shown) =>
    `${names.network} is ${shown.network} and ${names.subnetwork} is ${shown.subnetwork}; they must be given together or not at all, because addresses are taken from the subnetwork; set both, or remove both`,
});

/** Rules of the attachment, for a construct that takes one. */
export function attachmentRules<Props extends { readonly network?: Partial<NetworkAttachment> }>(
  regionOf: (props: Props) => string,
): readonly Rule<Props>[] {
  const networkOf = ({ network }: Props) => network?.network;
  const subnetwork = ["network.subnetwork", ({ network }: Props) => network?.subnetwork] as const;
  return [
    NETWORK.ruleOn("network.network", networkOf),
    NETWORK_WITH_SUBNETWORK.ruleOn({ network: ["network.network", networkOf], subnetwork }),
    SUBNETWORK.ruleOn({ subnetwork, region: ["region", regionOf] }),
  ];
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
