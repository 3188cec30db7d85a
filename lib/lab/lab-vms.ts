import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { type IResolvable, type ITerraformDependable, TerraformCount, Token } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../core/expr/conditional";
import { expression } from "../core/expr/expression";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { DISK_TYPE, LAB_PASSWORD, LAB_USER, WINDOWS_TAG } from "./contract";
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
const labVm = ({ bootDiskSizeGb, labels, machineType, networkId, projectId, zone }: LabVmProps) => ({
  project: projectId,
  zone,
  labels,
  machineType,
  networkInterface: [{ network: networkId }],
  bootDisk: { initializeParams: { size: bootDiskSizeGb, type: DISK_TYPE } },
  shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
  allowStoppingForUpdate: true,
});

/**
 * Metadata of every VM. The project's SSH keys, which whole teams share, do not work on it. The start-up script reads
 * what differs: values inserted into it could be executed as code.
 */
const METADATA = { "lab-user": LAB_USER, "block-project-ssh-keys": "TRUE" } as const;

interface WindowsVmProps extends LabVmProps {
  readonly create: boolean | IResolvable;
  /** `fixed` or `unknown`. */
  readonly windowsPassword: string;
  /** Dependencies of the first boot, such as NAT. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * The VM on which the discovery client runs, without a service account.
 *
 * Its start-up script runs at every boot and does its work once; an edited script reaches the VM at its next boot and
 * never replaces it.
 */
export function addWindowsVm(scope: Construct, id: string, props: WindowsVmProps): ComputeInstance {
  const self = new Construct(scope, id);
  const { windowsPassword: password } = props;
  return new ComputeInstance(self, MAIN_CHILD_ID, {
    ...labVm(props),
    name: windowsVmName(props.deploymentId),
    tags: [WINDOWS_TAG],
    metadata: {
      ...METADATA,
      "windows-startup-script-ps1": addScript(self, "lib/lab/scripts/windows-first-boot.ps1").text,
      // Empty if the VM generates one.
      "lab-password": Token.isUnresolved(password)
        ? expression(`(${password} == "unknown" ? "" : "${LAB_PASSWORD}")`)
        : password === "unknown"
          ? ""
          : LAB_PASSWORD,
    },
    count: countIf(props.create),
    dependsOn: props.dependsOn,
    // gcloud writes it when it resets a password.
    lifecycle: { ignoreChanges: ['metadata["windows-keys"]'] },
  });
}

interface LinuxVmsProps extends LabVmProps {
  readonly vmCount: number;
  /** One `authorized_keys` line. */
  readonly publicKey: string;
}

/**
 * The Linux VMs that the discovery client scans: no public address, no service account, and the lab's key for the lab
 * user.
 *
 * The key is installed twice, by metadata and by the start-up script, because either can fail.
 */
export function addLinuxVms(scope: Construct, id: string, props: LinuxVmsProps): ComputeInstance {
  const self = new Construct(scope, id);
  return new ComputeInstance(self, MAIN_CHILD_ID, {
    ...labVm(props),
    name: labName(props.deploymentId, "linvm-${count.index + 1}"),
    metadata: {
      ...METADATA,
      "startup-script": addScript(self, "lib/lab/scripts/linux-first-boot.sh").text,
      "lab-ssh-key": props.publicKey,
      "ssh-keys": `${LAB_USER}:${props.publicKey}`,
    },
    count: TerraformCount.of(props.vmCount),
  });
}
