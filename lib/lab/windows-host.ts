import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { Fn, TerraformLocal, Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countWhen, expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { WINDOWS_IMAGE, WINDOWS_TAG } from "./contract";
import {
  FIRST_BOOT_VALUES_KEY,
  WINDOWS_FIRST_BOOT,
  windowsFirstBootValues,
  type WindowsHostFacts,
} from "./first-boot-values";
import { bootDisk, firstBootScript, HARDENED, HOST_METADATA, literalsOf, type LabHostProps } from "./lab-host";
import { windowsVmName } from "./lab-names";

export interface WindowsHostProps extends LabHostProps {
  readonly create: boolean | IResolvable;

  /** What the user on the host is told. */
  readonly facts: WindowsHostFacts;
}

/**
 * The host on which the discovery client runs, with an address for remote desktop and no service account.
 *
 * Its start-up script runs at every boot and does its work once; an edited script reaches the host at its next boot and
 * never replaces it.
 */
export class WindowsHost extends Construct {
  /** Null when there is no host. */
  readonly vmName: string;

  /** Null when there is no host; another one after each stop. */
  readonly externalIp: string;

  /** Expression: whether there is a host. */
  readonly exists: string;

  constructor(scope: Construct, id: string, props: WindowsHostProps) {
    super(scope, id);
    const script = firstBootScript(this, WINDOWS_FIRST_BOOT.script);
    const values = new TerraformLocal(this, "FirstBootValues", literalsOf(windowsFirstBootValues(props.facts)));

    const host = new ComputeInstance(this, MAIN_CHILD_ID, {
      ...HARDENED,
      project: props.projectId,
      zone: props.zone,
      name: windowsVmName(props.deploymentId),
      machineType: props.machineType,
      tags: [WINDOWS_TAG],
      bootDisk: bootDisk(WINDOWS_IMAGE, props.bootDiskSizeGb),
      networkInterface: [{ network: props.networkId, accessConfig: [{}] }],
      metadata: {
        [WINDOWS_FIRST_BOOT.metadataKey]: script.text,
        [FIRST_BOOT_VALUES_KEY]: Token.asString(Fn.jsonencode(values.expression)),
        ...HOST_METADATA,
      },
      count: countWhen(conditionOf(props.create)),
      // Written by the platform's own command when somebody resets a password.
      lifecycle: { ignoreChanges: ['metadata["windows-keys"]'] },
    });

    this.vmName = expression(`one(${host.fqn}[*].name)`);
    this.externalIp = expression(`one(${host.fqn}[*].network_interface[0].access_config[0].nat_ip)`);
    this.exists = `length(${host.fqn}[*]) > 0`;
  }
}
