import { type Labels } from "../core/labels";
import { DISK_TYPE } from "./contract";

/** Props common to all VMs of a lab. */
export interface LabVmProps {
  /** Part of the VM's name. */
  readonly deploymentId: string;

  readonly labels: Labels;

  /** Project of the VM. */
  readonly projectId: string;

  readonly zone: string;

  /** Network of the VM; its address comes from the network's subnetwork in the region. */
  readonly networkId: string;

  readonly machineType: string;

  readonly bootDiskSizeGb: number;
}

/** Settings of every VM: only signed boot code runs, and a change of the machine type does not replace it. */
export const HARDENED = {
  shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
  allowStoppingForUpdate: true,
} as const;

/**
 * Metadata of every VM: the start-up script's output goes to the project's logs, which outlive the VM, and the
 * project's SSH keys, which whole teams share, do not work on it.
 */
export const VM_METADATA = { "block-project-ssh-keys": "TRUE", "serial-port-logging-enable": "TRUE" } as const;

/** A boot disk from an image, deleted with its VM. */
export function bootDisk(image: string, sizeGb: number) {
  return { initializeParams: { image, size: sizeGb, type: DISK_TYPE } };
}
