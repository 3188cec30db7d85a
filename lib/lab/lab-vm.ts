import { Token } from "cdktf";

import { literal } from "../core/expression";
import { DISK_TYPE } from "./contract";

/** What every VM of a lab is made of. */
export interface LabVmProps {
  /** Part of the VM's name. */
  readonly deploymentId: string;

  /** Project that it goes into. */
  readonly projectId: string;

  readonly zone: string;

  /** Network that it is on; its address comes from the network's subnetwork in the region. */
  readonly networkId: string;

  readonly machineType: string;

  readonly bootDiskSizeGb: number;
}

/** What holds for every VM: only signed boot code runs, and a change of the machine type does not replace it. */
export const HARDENED = {
  shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
  allowStoppingForUpdate: true,
} as const;

/**
 * Metadata of every VM: what the start-up script reports stays in the project's log, also after the VM is gone, and the SSH
 * keys of the project, which whole teams share, do not work on it.
 */
export const VM_METADATA = { "block-project-ssh-keys": "TRUE", "serial-port-logging-enable": "TRUE" } as const;

/** A boot disk of an image, deleted with its VM. */
export function bootDisk(image: string, sizeGb: number) {
  return { initializeParams: { image, size: sizeGb, type: DISK_TYPE } };
}

/** The same value with every string in it as Terraform reads it back unchanged. */
export function literalsOf<Value>(value: Value): Value {
  if (typeof value === "string") return literal(value) as Value;
  if (typeof value !== "object" || value === null || Token.isUnresolved(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, literalsOf(item as unknown)]);
  return Object.fromEntries(entries) as Value;
}
