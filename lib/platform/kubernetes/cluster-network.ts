import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { ComputeSubnetwork } from "@cdktf/provider-google/lib/compute-subnetwork";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { expression } from "../../core/expression";
import { NETWORK_NAME_MAX_LENGTH, networkName, type DeploymentName } from "../../core/names";
import { nameRules } from "../../core/name-rules";
import { countWithout, onlyAttribute, orElse, type OptionalValue } from "../../core/optional-value";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireAll, requireProps } from "../../core/rules";
import { type NetworkAttachment } from "../network-attachment";
import { NAT_PORTS_PER_NODE, NETWORK_RANGES, PLATFORM_NAME, RANGE_NAMES } from "./contract";

export interface ClusterNetworkProps {
  /** What the names are made of. */
  readonly deployment: DeploymentName;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Region of the subnetwork. */
  readonly region: string;

  /**
   * Things that must exist first: the gate of the network API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Existing network to use instead. It needs a way out for nodes without public addresses; one of another project also
   * needs ranges named `pods` and `services` in the subnetwork.
   *
   * @default - a network of its own
   */
  readonly existing?: NetworkAttachment;
}

/**
 * The network of a cluster: its own, with one subnetwork and a way out for nodes without public addresses, or an existing
 * one, in which nothing is created.
 *
 * The way out is billed by the hour and by the gigabyte.
 */
export class ClusterNetwork extends Construct {
  /** Address of the network, as other resources take it. */
  readonly network: string;

  /** Address of the subnetwork. */
  readonly subnetwork: string;

  /** Existing network, if one is given. */
  readonly existing: OptionalValue;

  /** What must exist before a pod can reach anything outside. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: ClusterNetworkProps) {
    super(scope, id);
    requireProps(this.node.path, props, { deployment: true, projectId: true, region: true });
    const { deployment, existing, projectId: project, region } = props;
    requireAll(this, props, RULES);
    const count = countWithout(existing?.network);

    const network = new ComputeNetwork(this, MAIN_CHILD_ID, {
      project,
      name: networkName(deployment, "network"),
      autoCreateSubnetworks: false,
      count,
      dependsOn: props.dependsOn,
    });
    const ownNetwork = onlyAttribute(network, "id");

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
    const wayOut = new ComputeRouterNat(this, "WayOut", {
      project,
      region,
      name: networkName(deployment, "nat"),
      router: expression(onlyAttribute(router, "name")),
      natIpAllocateOption: "AUTO_ONLY",
      sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
      minPortsPerVm: NAT_PORTS_PER_NODE,
      count,
      // The subnetwork's ranges are what it translates; it must be gone before they go.
      dependsOn: [subnetwork],
    });

    this.existing = existing?.network;
    this.network = orElse(existing?.network, ownNetwork);
    this.subnetwork = orElse(existing?.subnetwork, onlyAttribute(subnetwork, "id"));
    this.ready = [wayOut];
  }
}

/** Longest of the names that are built here. */
const RULES = nameRules<ClusterNetworkProps>(({ deployment }) => networkName(deployment, "network"), {
  ...PLATFORM_NAME,
  what: "network name",
  maxLength: NETWORK_NAME_MAX_LENGTH,
  lengthReason: "the platform takes no longer one",
});
