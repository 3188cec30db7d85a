import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { isOn, countIf, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { LAB_PASSWORD, LAB_USER, WINDOWS_IMAGE, WINDOWS_PASSWORDS, WINDOWS_TAG } from "./contract";
import { bootDisk, HARDENED, VM_METADATA, type LabVmProps } from "./lab-vm";
import { windowsVmName } from "./lab-names";

export interface WindowsVmProps extends LabVmProps {
  /** Creates the VM. */
  readonly create: boolean | IResolvable;

  /**
   * Password of the lab user: fixed, or unknown.
   * @default fixed
   */
  readonly windowsPassword: string | undefined;
}

/**
 * The VM on which the discovery client runs, with a public address for remote desktop and no service account.
 *
 * Its start-up script runs at every boot and does its work once; an edited script reaches the VM at its next boot and
 * never replaces it.
 */
export class WindowsVm extends Construct {
  /** Null when there is no VM. */
  readonly vmName: string;

  /** Null when there is no VM; changes with each stop. */
  readonly externalIp: string;

  /** Expression: whether there is a VM. */
  readonly exists: string;

  readonly instance: ComputeInstance;

  constructor(scope: Construct, id: string, props: WindowsVmProps) {
    super(scope, id);
    const script = addScript(this, "lib/lab/scripts/windows-first-boot.ps1");

    this.instance = new ComputeInstance(this, MAIN_CHILD_ID, {
      ...HARDENED,
      project: props.projectId,
      zone: props.zone,
      labels: props.labels,
      name: windowsVmName(props.deploymentId),
      machineType: props.machineType,
      tags: [WINDOWS_TAG],
      bootDisk: bootDisk(WINDOWS_IMAGE, props.bootDiskSizeGb),
      networkInterface: [{ network: props.networkId, accessConfig: [{}] }],
      metadata: {
        "windows-startup-script-ps1": script.text,
        // Read by the script: values inserted into it could be executed as code.
        "lab-user": LAB_USER,
        "lab-password": labPassword(props.windowsPassword),
        ...VM_METADATA,
      },
      count: countIf(isOn(props.create)),
      // gcloud writes it when it resets a password.
      lifecycle: { ignoreChanges: ['metadata["windows-keys"]'] },
    });

    this.vmName = expression(oneAttribute(this.instance, "name"));
    this.externalIp = expression(oneAttribute(this.instance, "network_interface[0].access_config[0].nat_ip"));
    this.exists = `length(${this.instance.fqn}[*]) > 0`;
  }
}

/** Password for the caller's choice; empty if the VM generates one. */
function labPassword(choice: string = WINDOWS_PASSWORDS[0]): string {
  if (Token.isUnresolved(choice)) return expression(`(${choice} == "unknown" ? "" : "${LAB_PASSWORD}")`);
  return choice === "unknown" ? "" : LAB_PASSWORD;
}
