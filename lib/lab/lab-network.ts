import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { DataGoogleComputeNetworks } from "@cdktf/provider-google/lib/data-google-compute-networks";
import { Fn, TerraformLocal, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countIf, oneAttribute } from "../core/conditional";
import { calledIn, expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { vpcName } from "./lab-names";

export interface LabNetworkProps {
  /** Part of the network's name. */
  readonly deploymentId: string;

  /** The same as the caller gave it, without which no network can exist before; null or undefined when it is random. */
  readonly givenDeploymentId: string | undefined;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Creates the network; otherwise one of that name must exist. */
  readonly create: boolean | IResolvable;

  /** Things that must exist before it: the gate of Compute Engine's API. */
  readonly dependsOn: ITerraformDependable[];

  /** Things that are destroyed after it. */
  readonly outlivedBy: ITerraformDependable[];
}

/** The auto-mode network of a lab: its own, or an existing one of the same name. */
export class LabNetwork extends Construct {
  readonly vpcName: string;

  /** `projects/<project>/global/networks/<name>`; what uses it waits for the network. */
  readonly networkId: string;

  /** The created network; there is one or none. */
  readonly network: ComputeNetwork;

  /** Expression: whether the network is created here. */
  readonly isCreated: string;

  constructor(scope: Construct, id: string, props: LabNetworkProps) {
    super(scope, id);
    const { create, deploymentId, givenDeploymentId, projectId } = props;
    const name = vpcName(deploymentId);

    this.network = new ComputeNetwork(this, MAIN_CHILD_ID, {
      project: projectId,
      name,
      autoCreateSubnetworks: true,
      count: countIf(conditionOf(create)),
      dependsOn: [...props.outlivedBy, ...props.dependsOn],
    });

    if (create !== true && givenDeploymentId !== undefined) this.lookUp(vpcName(givenDeploymentId), projectId, create);

    this.vpcName = name;
    this.isCreated = `length(${this.network.fqn}[*]) > 0`;
    this.networkId = new TerraformLocal(
      this,
      "NetworkId",
      Fn.coalesce([expression(oneAttribute(this.network, "id")), `projects/${projectId}/global/networks/${name}`]),
    ).asString;
  }

  /**
   * Refuses the plan when the network is not there.
   *
   * Asks for all networks: the look-up of a single one ends with the provider's own error when there is none, before any
   * postcondition could say what to do. Nothing here may refer to a resource, not even to one with a count of 0: Terraform
   * would look only at apply, after the first resources were created.
   */
  private lookUp(name: string, projectId: string, create: boolean | IResolvable): void {
    const called = calledIn(this, create, "createVpc");
    new DataGoogleComputeNetworks(this, "Existing", {
      project: projectId,
      count: countIf(create === false ? undefined : `!${Token.asString(create)}`),
      lifecycle: {
        postcondition: [
          {
            // There is no list at all for a project that does not exist.
            condition: Token.asString(Fn.contains(expression("self.networks == null ? [] : self.networks"), name)),
            errorMessage: `${called} is false and project ${projectId} has no network ${name}; it must exist, because firewall rules and VMs are put on it; create an auto-mode network of that name, or set ${called} to true.`,
          },
        ],
      },
    });
  }
}
