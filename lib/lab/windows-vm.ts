import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { Fn, TerraformLocal, Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { isOn, countIf, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { WINDOWS_IMAGE, WINDOWS_TAG } from "./contract";
import { FIRST_BOOT_VALUES_KEY, WINDOWS_FIRST_BOOT, windowsFirstBootValues } from "./first-boot-values";
import { bootDisk, HARDENED, VM_METADATA, type LabVmProps } from "./lab-vm";
import { windowsVmName } from "./lab-names";

export interface WindowsVmProps extends LabVmProps {
  /** Creates the VM. */
  readonly create: boolean | IResolvable;

  /** Password of the lab user; null if the VM generates one. */
  readonly labPassword: string;
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
    const script = addScript(this, WINDOWS_FIRST_BOOT.script);
    const values = new TerraformLocal(this, "FirstBootValues", windowsFirstBootValues(props.labPassword));

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
        [WINDOWS_FIRST_BOOT.metadataKey]: script.text,
        [FIRST_BOOT_VALUES_KEY]: Token.asString(Fn.jsonencode(values.expression)),
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
