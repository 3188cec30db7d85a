import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { Fn, Token, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { claimName } from "../../core/claimed-names";
import { countIfUnset, ifSet, isUnset, oneAttribute, valueOr, type OptionalValue } from "../../core/conditional";
import { expression } from "../../core/expression";
import { NETWORK_NAME_MAX_LENGTH, networkName } from "../../core/names";
import { type DeploymentPlace, PLACE_RULES, REQUIRED_PLACE } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { nameRules, requireProps, RESOURCE_NAME, type Rule } from "../../core/rules";
import { type Network } from "../parts";
import { attachmentRules, type NetworkAttachment } from "./network-attachment";

export interface ClusterNetworkProps {
  /** What the names are made of, and the region of the subnetwork. */
  readonly place: DeploymentPlace;

  /**
   * Things that must exist first: the gate of the network API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Existing network to use instead. It needs a NAT for nodes without public addresses; one of another project also
   * needs ranges named `pods` and `services` in the subnetwork.
   *
   * @default - a network of its own
   */
  readonly existing?: NetworkAttachment;
}

/**
 * The network of a cluster: its own, with one subnetwork and a NAT for nodes without public addresses, or an existing one,
 * in which nothing is created.
 *
 * The NAT is billed by the hour and by the gigabyte.
 */
export class ClusterNetwork extends Construct implements Network {
  readonly network: string;

  readonly subnetwork: string;

  readonly hasNamedRanges: string;

  readonly ready: ITerraformDependable[];

  /** The created network; there is one or none. */
  readonly ownNetwork: ComputeNetwork;

  constructor(scope: Construct, id: string, props: ClusterNetworkProps) {
    super(scope, id);
    requireProps(this, props, { place: REQUIRED_PLACE }, RULES);
    const { existing, place } = props;
    const { deployment, projectId: project, region } = place;
    const count = countIfUnset(existing?.network);
    const name = networkName(deployment, "network");
    // Stands for the subnetwork, the router and the NAT as well: their names have the same beginning.
    if (isUnset(existing?.network) !== "false") claimName(this, `network in ${project}`, name);

    this.ownNetwork = new ComputeNetwork(this, MAIN_CHILD_ID, {
      project,
      name,
      autoCreateSubnetworks: false,
      count,
      dependsOn: props.dependsOn,
    });
    const ownNetwork = oneAttribute(this.ownNetwork, "id");

    const subnetwork = new ComputeSubnetwork(this, "Nodes", {
      project,
      region,
      name: networkName(deployment, "nodes"),
      network: expression(ownNetwork),
      ipCidrRange: NETWORK_RANGES.nodes,
      secondaryIpRange: [
        { rangeName: RANGE_NAMES.pods, ipCidrRange: NETWORK_RANGES.pods },
        { rangeName: RANGE_NAMES.services, ipCidrRange: NETWORK_RANGES.services },
      ],
      privateIpGoogleAccess: true,
      count,
    });

    const router = new ComputeRouter(this, "Router", {
      project,
      region,
      name: networkName(deployment, "router"),
      network: expression(ownNetwork),
      count,
    });
    const nat = new ComputeRouterNat(this, "Nat", {
      project,
      region,
      name: networkName(deployment, "nat"),
      router: expression(oneAttribute(router, "name")),
      natIpAllocateOption: "AUTO_ONLY",
      sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
      minPortsPerVm: NAT_PORTS_PER_NODE,
      count,
      // The subnetwork's ranges are what it translates; it must be gone before they go.
      dependsOn: [subnetwork],
    });

    this.network = valueOr(existing?.network, ownNetwork);
    this.subnetwork = valueOr(existing?.subnetwork, oneAttribute(subnetwork, "id"));
    this.hasNamedRanges = hasNamedRanges(existing?.network, project);
    this.ready = [nat];
  }
}

/** Ranges of the network that a deployment makes for itself; nothing else is in it. */
export const NETWORK_RANGES = {
  nodes: "10.0.0.0/22",
  pods: "10.4.0.0/17",
  services: "10.8.0.0/20",
} as const;

/** Names of the ranges in the subnetwork. */
export const RANGE_NAMES = { pods: "pods", services: "services" } as const;

/** NAT ports per node: every connection to the same database takes one. */
const NAT_PORTS_PER_NODE = 256;

/**
 * A network of our own has them, and so must a network of another project; in an existing network of the same project
 * GKE makes its own.
 */
function hasNamedRanges(existing: OptionalValue, projectId: string): string {
  if (existing === undefined) return "true";
  const network = Token.isUnresolved(existing) ? existing : JSON.stringify(existing);
  const ofThisProject = `startswith(${network}, ${Fn.join("", ["projects/", projectId, "/"])})`;
  return ifSet(existing, `!${ofThisProject}`, "true");
}

const RULES: readonly Rule<ClusterNetworkProps>[] = [
  ...PLACE_RULES,
  ...attachmentRules<ClusterNetworkProps>(
    "existing",
    ({ existing }) => existing,
    ({ place }) => place.region,
  ),
  // Longest of the names that are built here.
  ...nameRules<ClusterNetworkProps>(({ place }) => networkName(place.deployment, "network"), {
    ...RESOURCE_NAME,
    what: "network name",
    maxLength: NETWORK_NAME_MAX_LENGTH,
    lengthReason: "Compute Engine takes no longer one",
  }),
];
