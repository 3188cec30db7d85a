import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { TerraformCount, Token } from "cdktf";
import { Construct } from "constructs";

import { expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { LAB_USER, LINUX_IMAGE } from "./contract";
import { bootDisk, HARDENED, VM_METADATA, type LabVmProps } from "./lab-vm";
import { labName } from "./lab-names";

export interface LinuxVmsProps extends LabVmProps {
  /** Number of VMs; may be 0. */
  readonly vmCount: number;

  /** One `authorized_keys` line. */
  readonly publicKey: string;
}

/**
 * The Linux VMs that the discovery client scans: no public address, no service account, and the lab's key for the lab
 * user.
 *
 * The key is installed twice, by metadata and by the start-up script, because either can fail. If an organization
 * enforces OS Login (`compute.requireOsLogin`), neither helps: Compute Engine refuses VMs that turn it off.
 */
export class LinuxVms extends Construct {
  readonly vmNames: string[];

  readonly internalIps: string[];

  /** Expression: whether there are any. */
  readonly exist: string;

  readonly instances: ComputeInstance;

  constructor(scope: Construct, id: string, props: LinuxVmsProps) {
    super(scope, id);
    const script = addScript(this, "lib/lab/scripts/linux-first-boot.sh");

    this.instances = new ComputeInstance(this, MAIN_CHILD_ID, {
      ...HARDENED,
      project: props.projectId,
      zone: props.zone,
      labels: props.labels,
      name: labName(props.deploymentId, "linvm-${count.index + 1}"),
      machineType: props.machineType,
      bootDisk: bootDisk(LINUX_IMAGE, props.bootDiskSizeGb),
      networkInterface: [{ network: props.networkId }],
      metadata: {
        "startup-script": script.text,
        // Read by the script: values inserted into it could be executed as code.
        "lab-user": LAB_USER,
        "lab-ssh-key": props.publicKey,
        "ssh-keys": `${LAB_USER}:${props.publicKey}`,
        "enable-oslogin": "FALSE",
        ...VM_METADATA,
      },
      count: TerraformCount.of(props.vmCount),
    });

    this.vmNames = Token.asList(expression(`${this.instances.fqn}[*].name`));
    this.internalIps = Token.asList(expression(`${this.instances.fqn}[*].network_interface[0].network_ip`));
    this.exist = `length(${this.instances.fqn}) > 0`;
  }
}
