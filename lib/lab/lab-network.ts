import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { ComputeRouter } from "@cdktf/provider-google/lib/compute-router";
import { ComputeRouterNat } from "@cdktf/provider-google/lib/compute-router-nat";
import { DataGoogleComputeNetworks } from "@cdktf/provider-google/lib/data-google-compute-networks";
import { Fn, type IResolvable, type ITerraformDependable, TerraformLocal, Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, idOf } from "../core/expr/attributes";
import { allOf, type Condition, countIf, isNever, isUnset, not } from "../core/expr/conditions";
import { hcl } from "../core/expr/expr";
import { settingName } from "../core/expr/locals";
import { expression } from "../core/expr/terraform-text";
import { explainUnused } from "../core/hcl/stack-origin";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { prose } from "../core/prose";
import { type LabPartProps } from "./lab-foundation";
import { labName, vpcName } from "./lab-names";

interface LabNetworkProps extends LabPartProps {
  /** The id given by the caller, needed to find an existing network; null or undefined if the id is random. */
  readonly givenDeploymentId: string | undefined;
  /** Creates the network; otherwise a network of that name must exist. */
  readonly create: boolean | IResolvable;
  /** Full name of an existing network with any name, or null or undefined. */
  readonly existing: string | undefined;
  /** Whether a created network has internet access. */
  readonly needsNat: Condition;
}

export interface LabNetwork {
  /** The new network, with a count. */
  readonly network: ComputeNetwork;
  /** Dependencies of VMs that use the internet without a public address. */
  readonly ready: ITerraformDependable[];
  readonly vpcName: string;
  /** `projects/<project>/global/networks/<name>`; whatever uses it waits for the network. */
  readonly networkId: string;
}

/** The network of a lab: a new one in auto mode, an existing one of the same name, or any other existing one. */
export function addLabNetwork(scope: Construct, id: string, props: LabNetworkProps): LabNetwork {
  const self = new Construct(scope, id);
  const { create, deploymentId, existing, givenDeploymentId, projectId } = props;
  const name = vpcName(deploymentId);
  const isCreated = allOf(isUnset(existing), create);

  const network = new ComputeNetwork(self, MAIN_CHILD_ID, {
    project: projectId,
    name,
    autoCreateSubnetworks: true,
    count: countIf(isCreated),
    dependsOn: [...props.outlivedBy, ...props.dependsOn],
  });
  if (create !== true && givenDeploymentId !== undefined) lookUp(self, vpcName(givenDeploymentId), projectId, create);
  const foundId = `projects/${projectId}/global/networks/${name}`;
  const ids = [...(existing === undefined ? [] : [existing]), idOf(network), foundId];
  return {
    network,
    ready: addNat(self, network, props, allOf(isCreated, props.needsNat)),
    vpcName: isUnset(existing).choose(name, hcl<string>`basename(${existing ?? null})`).text,
    networkId: new TerraformLocal(self, "NetworkId", Fn.coalesce(ids)).asString,
  };
}

function addNat(
  scope: Construct,
  network: ComputeNetwork,
  { deploymentId, projectId, region }: LabNetworkProps,
  condition: Condition,
): ITerraformDependable[] {
  if (isNever(condition)) return [];
  const common = (part: string) => ({
    project: projectId,
    region,
    count: countIf(condition),
    name: labName(deploymentId, part),
  });
  const router = new ComputeRouter(scope, "Router", { ...common("router"), network: idOf(network) });
  const nat = new ComputeRouterNat(scope, "Nat", {
    ...common("nat"),
    router: attributeOf(router, "name").text,
    natIpAllocateOption: "AUTO_ONLY",
    sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
  });
  return [nat];
}

/**
 * Fails the plan if the network does not exist.
 *
 * Lists all networks: the look-up of a single one that is missing fails with the provider's own error, before a
 * postcondition could say what to do. Nothing here may refer to a resource, not even to one with a count of 0, or
 * Terraform would postpone the look-up to the apply, after the first resources are created.
 */
function lookUp(scope: Construct, name: string, projectId: string, create: boolean | IResolvable): void {
  const messageName = settingName(scope, create, "createVpc");
  const look = new DataGoogleComputeNetworks(scope, "Existing", {
    project: projectId,
    count: countIf(not(create)),
    lifecycle: {
      postcondition: [
        {
          // The list is null if the project does not exist.
          condition: Token.asString(Fn.contains(expression("self.networks == null ? [] : self.networks"), name)),
          errorMessage: prose`
            ${messageName} is false and project ${projectId} has no network ${name}; it must exist,
            because firewall rules and VMs are created on it; create an auto-mode network of that name,
            or set ${messageName} to true.
          `,
        },
      ],
    },
  });
  explainUnused(look, "A check alone: it fails the plan if the network does not exist.");
}
