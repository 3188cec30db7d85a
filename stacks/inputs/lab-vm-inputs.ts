import {
  DEFAULT_LINUX_COUNT,
  DEFAULT_LINUX_DISK_SIZE_GB,
  DEFAULT_MACHINE_TYPE,
  DEFAULT_WINDOWS_DISK_SIZE_GB,
  LAB_USER,
  LINUX_LEAST_DISK_SIZE_GB,
  SSH_KEY_OBJECT_NAME,
  WINDOWS_LEAST_DISK_SIZE_GB,
  WINDOWS_PASSWORDS,
} from "../../lib/lab/contract";
import {
  LINUX_DISK_SIZE,
  LINUX_MACHINE_TYPE,
  LINUX_VM_COUNT,
  MACHINE_TYPE,
  WINDOWS_DISK_SIZE,
  WINDOWS_MACHINE_TYPE,
  WINDOWS_PASSWORD,
} from "../../lib/lab/lab-rules";
import { type Input } from "./input-table";

/** Groups of the deployment form. */
const COMPUTE = "[3 Compute]";
const KEY_STORAGE = "[7 SSH key storage]";

/** Inputs of the lab's VMs and their SSH key. */
export const LAB_VM_INPUTS = {
  create_windows_vm: {
    type: "bool",
    default: true,
    description: `${COMPUTE} Creates the Windows VM with the discovery client. Without it, nothing is scanned unless a discovery client of your own can reach the Linux VMs. Changing it later is safe for all other VMs.`,
  },
  windows_password: {
    type: "string",
    default: WINDOWS_PASSWORDS[0],
    description: `${COMPUTE} Password of ${LAB_USER} on the Windows VM. fixed: the same in every lab, and in the VM's metadata. unknown: generated on the VM at its first boot and not stored; set one before you sign in, with the command in the output windows_vm_external_ip. It is read when the VM is created: changing it later changes no password, unless the VM is replaced with -replace='google_compute_instance.lab_windows_vm[0]'.`,
    must: WINDOWS_PASSWORD,
  },
  windows_vm_machine_type: {
    type: "string",
    default: DEFAULT_MACHINE_TYPE,
    description: `${COMPUTE} Machine type of the Windows VM, of a family with x86 processors. Changing it later stops and starts the VM, which gets another public address.`,
    must: MACHINE_TYPE,
    together: [WINDOWS_MACHINE_TYPE.validationOf({ value: "windows_vm_machine_type", existence: "create_windows_vm" })],
  },
  windows_vm_boot_disk_size_gb: {
    type: "number",
    default: DEFAULT_WINDOWS_DISK_SIZE_GB,
    description: `${COMPUTE} Boot disk of the Windows VM in GB, at least ${WINDOWS_LEAST_DISK_SIZE_GB}. Raising it later grows the disk in place; it cannot be lowered.`,
    together: [
      WINDOWS_DISK_SIZE.validationOf({ value: "windows_vm_boot_disk_size_gb", existence: "create_windows_vm" }),
    ],
  },
  linux_vm_count: {
    type: "number",
    default: DEFAULT_LINUX_COUNT,
    description: `${COMPUTE} Number of Linux VMs, the scan targets; 0 deploys none. Raising it later adds VMs and lowering it removes the last ones; no other VM is touched.`,
    must: LINUX_VM_COUNT,
  },
  linux_vm_machine_type: {
    type: "string",
    default: DEFAULT_MACHINE_TYPE,
    description: `${COMPUTE} Machine type of the Linux VMs, of a family with x86 processors. Changing it later stops and starts them.`,
    must: MACHINE_TYPE,
    together: [LINUX_MACHINE_TYPE.validationOf({ value: "linux_vm_machine_type", existence: "linux_vm_count" })],
  },
  linux_vm_boot_disk_size_gb: {
    type: "number",
    default: DEFAULT_LINUX_DISK_SIZE_GB,
    description: `${COMPUTE} Boot disk of each Linux VM in GB, at least ${LINUX_LEAST_DISK_SIZE_GB}. Raising it later grows the disks in place; it cannot be lowered.`,
    together: [LINUX_DISK_SIZE.validationOf({ value: "linux_vm_boot_disk_size_gb", existence: "linux_vm_count" })],
  },
  create_ssh_key_bucket: {
    type: "bool",
    default: true,
    description: `${KEY_STORAGE} Stores the private key as ${SSH_KEY_OBJECT_NAME} in a private bucket, which every reader of the project may read. False keeps it only in the state, so no file can be downloaded. The state contains it either way. Changing it later is safe.`,
  },
} as const satisfies Record<string, Input>;
