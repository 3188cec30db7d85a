import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { DataGoogleComputeNetworks } from "@cdktf/provider-google/lib/data-google-compute-networks";
import { Fn, TerraformLocal, Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { countIf, isOn, not, oneAttribute } from "../core/conditional";
import { settingName, expression } from "../core/expression";
import { explainUnused } from "../core/hcl/stack-origin";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { type LabPartProps } from "./lab-foundation";
import { vpcName } from "./lab-names";

interface LabNetworkProps extends LabPartProps {
  /** The id given by the caller, needed to find an existing network; null or undefined if the id is random. */
  readonly givenDeploymentId: string | undefined;

  /** Creates the network; otherwise one of that name must exist. */
  readonly create: boolean | IResolvable;
}

/** The auto-mode network of a lab: created here, or an existing one of the same name. */
export class LabNetwork extends Construct {
  readonly vpcName: string;

  /** `projects/<project>/global/networks/<name>`; whatever uses it waits for the network. */
  readonly networkId: string;

  /** The created network; its count is 1 or 0. */
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
      count: countIf(isOn(create)),
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
   * Fails the plan if the network does not exist.
   *
   * Lists all networks: the look-up of a single one that is missing fails with the provider's own error, before a
   * postcondition could say what to do. Nothing here may refer to a resource, not even to one with a count of 0, or
   * Terraform would postpone the look-up to the apply, after the first resources are created.
   */
  private lookUp(name: string, projectId: string, create: boolean | IResolvable): void {
    const called = settingName(this, create, "createVpc");
    const look = new DataGoogleComputeNetworks(this, "Existing", {
      project: projectId,
      count: countIf(not(isOn(create))),
      lifecycle: {
        postcondition: [
          {
            // The list is null if the project does not exist.
            condition: Token.asString(Fn.contains(expression("self.networks == null ? [] : self.networks"), name)),
            errorMessage: `${called} is false and project ${projectId} has no network ${name}; it must exist, because firewall rules and VMs are created on it; create an auto-mode network of that name, or set ${called} to true.`,
          },
        ],
      },
    });
    explainUnused(look, "A check alone: it fails the plan if the network does not exist.");
  }
}
