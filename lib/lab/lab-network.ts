import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { DataGoogleComputeNetworks } from "@cdktf/provider-google/lib/data-google-compute-networks";
import { Fn, TerraformLocal, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countWhen, expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { vpcName } from "./lab-names";

export interface LabNetworkProps {
  /** Part of the network's name. */
  readonly deploymentId: string;

  /** The same as the caller gave it, without which no network can exist before; null or undefined when it is random. */
  readonly givenDeploymentId: string | undefined;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Creates the network; otherwise one of its name must exist. */
  readonly create: boolean | IResolvable;

  /** Things that must exist first: the gate of the network's API. */
  readonly dependsOn: ITerraformDependable[];
}

/** The auto-mode network of a lab: its own, or one of the same name that exists already. */
export class LabNetwork extends Construct {
  readonly vpcName: string;

  /** `projects/<project>/global/networks/<name>`; using it means waiting for the network. */
  readonly networkId: string;

  /** True when the network is created here; only for a text that is an expression anyway. */
  readonly isCreated: string;

  constructor(scope: Construct, id: string, props: LabNetworkProps) {
    super(scope, id);
    const { create, deploymentId, givenDeploymentId, projectId } = props;
    const name = vpcName(deploymentId);

    const network = new ComputeNetwork(this, MAIN_CHILD_ID, {
      project: projectId,
      name,
      autoCreateSubnetworks: true,
      count: countWhen(conditionOf(create)),
      dependsOn: props.dependsOn,
    });

    if (create !== true && givenDeploymentId !== undefined) this.lookUp(vpcName(givenDeploymentId), projectId, create);

    this.vpcName = name;
    this.isCreated = `length(${network.fqn}[*]) > 0`;
    this.networkId = new TerraformLocal(
      this,
      "NetworkId",
      Fn.coalesce([expression(`one(${network.fqn}[*].id)`), `projects/${projectId}/global/networks/${name}`]),
    ).asString;
  }

  /**
   * Refuses the plan when the network is not there.
   *
   * Asks for all networks: the look-up of a single one ends with the provider's own error when there is none, before any
   * postcondition could say what to do. Nothing here may refer to a resource, not even to one that there is none of:
   * Terraform would look only at apply, after the first things were created.
   */
  private lookUp(name: string, projectId: string, create: boolean | IResolvable): void {
    new DataGoogleComputeNetworks(this, "Existing", {
      project: projectId,
      count: countWhen(create === false ? undefined : `!${Token.asString(create)}`),
      lifecycle: {
        postcondition: [
          {
            // There is no list at all for a project that does not exist.
            condition: Token.asString(Fn.contains(expression("self.networks == null ? [] : self.networks"), name)),
            errorMessage: `create_vpc is false and project ${projectId} has no network ${name}; it must have it, because the lab's firewall rules and hosts would have nothing to be on; create an auto-mode network of that name, or set create_vpc to true.`,
          },
        ],
      },
    });
  }
}
