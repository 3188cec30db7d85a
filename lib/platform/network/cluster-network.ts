import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, idOf } from "../../core/expr/attributes";
import { allOf, type Condition, countIf, isUnset } from "../../core/expr/conditions";
import { type Expr, exprOf, interpolated, literal } from "../../core/expr/expr";
import { startsWith } from "../../core/expr/functions";
import { partName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";
import { type NetworkAttachment } from "./network-attachment";

interface ClusterNetworkProps extends PartProps {
  /**
   * Existing network to use instead. It must have NAT for nodes without public addresses. If it belongs to another
   * project, the subnetwork must also have ranges named `pods` and `services`.
   */
  readonly existing: NetworkAttachment | undefined;

  /** Whether a cluster is created; an existing cluster has its own network. */
  readonly isNeeded: Condition;
}

/**
 * The network of a cluster: a new one with a subnetwork and NAT for nodes without public addresses, or an existing one,
 * in which nothing is created.
 *
 * NAT is billed by the hour and by the gigabyte.
 */
export class ClusterNetwork extends Construct {
  /** Id of the network, as other resources refer to it. */
  readonly network: string;
  readonly subnetwork: string;

  /** Condition under which the subnetwork has named ranges for pods and services; otherwise GKE creates them. */
  readonly hasNamedRanges: Condition;

  /** Dependencies of parts in the network that use the internet. */
  readonly ready: ITerraformDependable[];

  /** Dependencies of everything in the network, besides the subnetwork. */
  readonly dependsOn: ITerraformDependable[];

  /** The created network; its count is 0 if an existing one is used. */
  readonly ownNetwork: ComputeNetwork;

  /** @internal */
  constructor(scope: Construct, id: string, props: ClusterNetworkProps) {
    super(scope, id);
    const { dependsOn, existing, isNeeded, context } = props;
    const { deployment, projectId: project, region } = context;
    const count = countIf(allOf(isUnset(existing?.network), isNeeded));
    const common = (part: string) => ({ project, name: partName(deployment, part), count });

    this.ownNetwork = new ComputeNetwork(this, MAIN_CHILD_ID, {
      ...common("network"),
      autoCreateSubnetworks: false,
      dependsOn,
    });
    const network = idOf(this.ownNetwork);
    const subnetwork = new ComputeSubnetwork(this, "Nodes", {
      ...common("nodes"),
      network,
      region,
      ipCidrRange: NETWORK_RANGES.nodes,
      secondaryIpRange: [
        { rangeName: RANGE_NAMES.pods, ipCidrRange: NETWORK_RANGES.pods },
        { rangeName: RANGE_NAMES.services, ipCidrRange: NETWORK_RANGES.services },
      ],
      privateIpGoogleAccess: true,
    });
    const router = new ComputeRouter(this, "Router", { ...common("router"), network, region });
    const nat = new ComputeRouterNat(this, "Nat", {
      ...common("nat"),
      region,
      router: attributeOf(router, "name").text,
      natIpAllocateOption: "AUTO_ONLY",
      sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
      // Each connection to the database takes one port.
      minPortsPerVm: 256,
      // NAT translates the subnetwork's ranges, so it must be deleted before them.
      dependsOn: [subnetwork],
    });

    this.network = exprOf(existing?.network ?? null).ifNull(network).text;
    this.subnetwork = exprOf(existing?.subnetwork ?? null).ifNull(idOf(subnetwork)).text;
    this.hasNamedRanges = hasNamedRanges(existing?.network, project);
    this.dependsOn = existing?.dependsOn ?? [];
    this.ready = [nat, ...this.dependsOn];
  }
}

/** Ranges of a created network. Nothing else is in the network. */
export const NETWORK_RANGES = { nodes: "10.0.0.0/22", pods: "10.4.0.0/17", services: "10.8.0.0/20" } as const;

/** Names of the subnetwork's secondary ranges. */
export const RANGE_NAMES = { pods: "pods", services: "services" } as const;

/**
 * A created network has these ranges, and an existing one of another project must have them; in an existing one of the
 * same project, GKE creates its own.
 */
function hasNamedRanges(existing: string | undefined, projectId: string): Expr<boolean> {
  if (existing === undefined) return literal(true);
  return exprOf(existing).isNullOr((network) => startsWith(network, interpolated`projects/${projectId}/`).not());
}
