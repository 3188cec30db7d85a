import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { TerraformCount, Token, type IResolvable } from "cdktf";
import { Construct } from "constructs";

import { isOn, countIf, oneAttribute } from "../core/conditional";
import { expression } from "../core/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { DISK_TYPE, LAB_PASSWORD, LAB_USER, LINUX_IMAGE, WINDOWS_IMAGE, WINDOWS_TAG } from "./contract";
import { type LabContext } from "./lab-foundation";
import { labName, windowsVmName } from "./lab-names";

interface LabVmProps extends LabContext {
  readonly zone: string;

  /** Network of the VM; its address comes from the network's subnetwork in the region. */
  readonly networkId: string;

  readonly machineType: string;
  readonly bootDiskSizeGb: number;
}

/** Settings of every VM: only signed boot code runs, and a change of the machine type does not replace it. */
const labVm = ({ bootDiskSizeGb, labels, machineType, projectId, zone }: LabVmProps, image: string) => ({
  project: projectId,
  zone,
  labels,
  machineType,
  bootDisk: { initializeParams: { image, size: bootDiskSizeGb, type: DISK_TYPE } },
  shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
  allowStoppingForUpdate: true,
});

/**
 * Metadata of every VM. The start-up script's output goes to the project's logs, which outlive the VM, and the project's
 * SSH keys, which whole teams share, do not work on it. The script reads what differs: values inserted into it could be
 * executed as code.
 */
const METADATA = {
  "lab-user": LAB_USER,
  "block-project-ssh-keys": "TRUE",
  "serial-port-logging-enable": "TRUE",
} as const;

interface WindowsVmProps extends LabVmProps {
  readonly create: boolean | IResolvable;

  /** `fixed` or `unknown`. */
  readonly windowsPassword: string;
}

/**
 * The VM on which the discovery client runs, with a public address for remote desktop and no service account.
 *
 * Its start-up script runs at every boot and does its work once; an edited script reaches the VM at its next boot and
 * never replaces it.
 */
export class WindowsVm extends Construct {
  readonly vmName: string;

  /** Changes with each stop. */
  readonly externalIp: string;

  /** Expression: whether there is a VM. */
  readonly exists: string;

  readonly instance: ComputeInstance;

  constructor(scope: Construct, id: string, props: WindowsVmProps) {
    super(scope, id);
    const password = props.windowsPassword;
    this.instance = new ComputeInstance(this, MAIN_CHILD_ID, {
      ...labVm(props, WINDOWS_IMAGE),
      name: windowsVmName(props.deploymentId),
      tags: [WINDOWS_TAG],
      networkInterface: [{ network: props.networkId, accessConfig: [{}] }],
      metadata: {
        ...METADATA,
        "windows-startup-script-ps1": addScript(this, "lib/lab/scripts/windows-first-boot.ps1").text,
        // Empty if the VM generates one.
        "lab-password": Token.isUnresolved(password)
          ? expression(`(${password} == "unknown" ? "" : "${LAB_PASSWORD}")`)
          : password === "unknown"
            ? ""
            : LAB_PASSWORD,
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

interface LinuxVmsProps extends LabVmProps {
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
    this.instances = new ComputeInstance(this, MAIN_CHILD_ID, {
      ...labVm(props, LINUX_IMAGE),
      name: labName(props.deploymentId, "linvm-${count.index + 1}"),
      networkInterface: [{ network: props.networkId }],
      metadata: {
        ...METADATA,
        "startup-script": addScript(this, "lib/lab/scripts/linux-first-boot.sh").text,
        "lab-ssh-key": props.publicKey,
        "ssh-keys": `${LAB_USER}:${props.publicKey}`,
        "enable-oslogin": "FALSE",
      },
      count: TerraformCount.of(props.vmCount),
    });

    this.vmNames = Token.asList(expression(`${this.instances.fqn}[*].name`));
    this.internalIps = Token.asList(expression(`${this.instances.fqn}[*].network_interface[0].network_ip`));
    this.exist = `length(${this.instances.fqn}) > 0`;
  }
}
