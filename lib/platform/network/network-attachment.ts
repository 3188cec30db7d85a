import {
  Annotations,
  type ITerraformDependable,
  TerraformDataSource,
  TerraformResource,
  TerraformStack,
  Token,
} from "cdktf";
import { type Construct } from "constructs";

import { rendered } from "../../core/expr/locals";
import { elementProblem, type KnownPropsOf, propProblems } from "../../core/inputs/known-props";
import { type Problem } from "../../core/inputs/problem";
import { type ResourceWith, type Table } from "../../core/inputs/rows";
import { prose } from "../../core/prose";

/** An existing network for private addresses; an expression that is null at plan time means none. */
export interface ExistingNetwork {
  /** `projects/<project>/global/networks/<name>`; it must have private services access. */
  readonly network: string;

  /** `projects/<project>/regions/<region>/subnetworks/<name>`, in the region of the service, /26 or larger. */
  readonly subnetwork: string;

  /**
   * Only for a network of the same stack: its other resources, such as private services access, NAT and firewall rules.
   * They are created before everything in the network, and deleted after it.
   *
   * @default - nothing; the network is complete
   */
  readonly dependsOn?: ITerraformDependable[];
}

/** An existing network as a prop: resources may stand for network and subnetwork. */
export interface NetworkProps extends Pick<ExistingNetwork, "dependsOn"> {
  /** `projects/<project>/global/networks/<name>`, or its resource; it must have private services access. */
  readonly network: ResourceWith<"id"> | string;

  /**
   * `projects/<project>/regions/<region>/subnetworks/<name>`, or its resource, in the region of the service, /26 or
   * larger.
   */
  readonly subnetwork: ResourceWith<"id"> | string;
}

/** An existing network, and settings for its use by Cloud Run. */
export interface NetworkAttachment extends ExistingNetwork {
  /**
   * Traffic of Cloud Run that goes through the network: `PRIVATE_RANGES_ONLY` or `ALL_TRAFFIC`.
   *
   * @default "PRIVATE_RANGES_ONLY"
   */
  readonly egress?: string;

  /**
   * Network tags of Cloud Run's instances, to which firewall rules of the network refer.
   *
   * @default - none
   */
  readonly tags?: string[];
}

/** A network as a prop of a construct. */
export const NETWORK_PROP = {
  presence: "optional",
  members: {
    network: "required",
    subnetwork: "required",
    dependsOn: "optional",
    egress: "optional",
    tags: "optional",
  } satisfies KnownPropsOf<NetworkAttachment>,
} as const;

/** Inputs of an identity provider that replace members of a network attachment. */
const INSTEAD = { egress: "vpcEgress", tags: "networkTags" } as const;

/**
 * Problems of the network of an identity provider, as sentences.
 *
 * @param network network with attributes in place of resources
 * @param inputs inputs of the identity provider
 */
export function networkProblems(network: Partial<NetworkProps> | undefined, inputs: Table): Problem[] {
  const given = (network ?? {}) as Partial<NetworkAttachment>;
  const ofInputs = Object.entries(INSTEAD)
    .filter(([name]) => given[name as keyof typeof INSTEAD] !== undefined)
    .map(([name, input]): Problem => {
      const path = `network.${name}`;
      const fix = input in inputs ? `set ${input} instead` : "remove it";
      return { path, text: `${path} is no prop of an identity provider; it would have no effect; ${fix}` };
    });
  const ofResources = (["network", "subnetwork"] as const).flatMap(
    (name) => elementProblem(`network.${name}`, given[name], Object.keys(inputs[name]?.reads ?? {})) ?? [],
  );
  if (ofResources.length > 0) return [...ofInputs, ...ofResources];
  return [...ofInputs, ...propProblems({ network }, { network: NETWORK_PROP })];
}

/** Warns at synth of missing parts of a network in the same stack, or of a subnetwork in another region. */
export function warnOfNetwork(scope: Construct, attachment: ExistingNetwork, region: string): void {
  const warn = (text: string) => Annotations.of(scope).addWarning(text);
  const network = sourceOf(scope, attachment.network);
  if (TerraformResource.isTerraformResource(network) && attachment.dependsOn === undefined)
    warn(
      prose`
        network.network is ${network.node.path} of the same stack, and network.dependsOn is missing; without it,
        the database and the instances may start before private services access and NAT,
        and a destroy may delete these first; list them, or set [] if there are none
      `,
    );
  const subnetwork = sourceOf(scope, attachment.subnetwork);
  const { regionInput = region } = (subnetwork ?? {}) as { readonly regionInput?: string };
  if (regionInput !== region && !Token.isUnresolved(regionInput) && !Token.isUnresolved(region))
    warn(
      prose`
        network.subnetwork is ${subnetwork?.node.path} in region ${JSON.stringify(regionInput)},
        but region is ${JSON.stringify(region)}; addresses are taken from the same region only,
        so the apply would fail; use a subnetwork there
      `,
    );
}

/** The resource or data source of the stack with the given id. */
function sourceOf(scope: Construct, id: string): TerraformDataSource | TerraformResource | undefined {
  const text = String(rendered(scope, id));
  return TerraformStack.of(scope)
    .node.findAll()
    .filter((each) => TerraformResource.isTerraformResource(each) || TerraformDataSource.isTerraformDataSource(each))
    .find(({ fqn }) => text.startsWith(String(rendered(scope, fqn)).replace("}", ".")));
}
