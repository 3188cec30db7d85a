import { type IResolvable, type TerraformStack, type TerraformVariableValidationConfig } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import {
  ARM_MACHINE_TYPE_PATTERN,
  DEFAULT_LINUX_COUNT,
  DEFAULT_LINUX_DISK_SIZE_GB,
  DEFAULT_MACHINE_TYPE,
  DEFAULT_WINDOWS_DISK_SIZE_GB,
  LAB_USER,
  LARGEST_DISK_SIZE_GB,
  LINUX_LEAST_DISK_SIZE_GB,
  MACHINE_TYPE_PATTERN,
  SSH_KEY_OBJECT_NAME,
  WINDOWS_LEAST_DISK_SIZE_GB,
  WINDOWS_PASSWORDS,
} from "../../lib/lab/contract";

/** Groups of the deployment form. */
const COMPUTE = "[3 Compute]";
const KEY_STORAGE = "[7 SSH key storage]";

/** Which hosts a lab has, and where the key to them is. */
export class LabHostInputs extends Construct {
  readonly createWindowsVm: IResolvable;
  readonly windowsPassword: string;
  readonly windowsVmMachineType: string;
  readonly windowsVmBootDiskSizeGb: number;
  readonly linuxVmCount: number;
  readonly linuxVmMachineType: string;
  readonly linuxVmBootDiskSizeGb: number;
  readonly createSshKeyBucket: IResolvable;

  constructor(stack: TerraformStack) {
    super(stack, "lab-host-inputs");

    this.createWindowsVm = new InputVariable(this, "create_windows_vm", {
      type: "bool",
      default: true,
      description: `${COMPUTE} Creates the Windows host with the discovery client. Without it nothing is scanned unless a client of your own reaches the targets. Changing it later is safe for all other hosts.`,
    }).booleanValue;

    this.windowsPassword = new InputVariable(this, "windows_password", {
      type: "string",
      default: WINDOWS_PASSWORDS[0],
      description: `${COMPUTE} Password of ${LAB_USER} on the Windows host. fixed is the same in every lab, and in the host's metadata. unknown is made on the host at its first boot and kept nowhere; set one before you sign in, with the command in the output windows_vm_external_ip. It is read when the host is made: changing it later changes no password, unless the host is replaced with -replace='google_compute_instance.lab_windows_vm[0]'.`,
      validation: [
        {
          condition: `\${contains(${JSON.stringify(WINDOWS_PASSWORDS)}, var.windows_password)}`,
          // Without the value: it may be a password.
          errorMessage: `windows_password is not one of the two words; it must be ${WINDOWS_PASSWORDS.join(" or ")}, because a password of your own would be in the state and in the host's metadata; take unknown, and set one with gcloud compute reset-windows-password.`,
        },
      ],
    }).stringValue;

    this.windowsVmMachineType = new InputVariable(this, "windows_vm_machine_type", {
      type: "string",
      default: DEFAULT_MACHINE_TYPE,
      description: `${COMPUTE} Machine type of the Windows host, of a family with x86 processors. Changing it later stops and starts the host, which gets another public address.`,
      validation: [
        machineTypeValidation("windows_vm_machine_type"),
        {
          condition: `\${!var.create_windows_vm || ${isForX86("windows_vm_machine_type")}}`,
          errorMessage: `windows_vm_machine_type is "\${var.windows_vm_machine_type}"; it must be of a family with x86 processors, because there is no Windows Server for Arm; use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4, or set create_windows_vm to false.`,
        },
      ],
    }).stringValue;

    this.windowsVmBootDiskSizeGb = new InputVariable(this, "windows_vm_boot_disk_size_gb", {
      type: "number",
      default: DEFAULT_WINDOWS_DISK_SIZE_GB,
      description: `${COMPUTE} Boot disk of the Windows host in GB, at least ${WINDOWS_LEAST_DISK_SIZE_GB}. Raising it later grows the disk in place; it cannot be lowered.`,
      validation: [
        {
          condition: `\${!var.create_windows_vm || ${isDiskSize("windows_vm_boot_disk_size_gb", WINDOWS_LEAST_DISK_SIZE_GB)}}`,
          errorMessage: `windows_vm_boot_disk_size_gb is \${var.windows_vm_boot_disk_size_gb}; it must be a whole number from ${WINDOWS_LEAST_DISK_SIZE_GB} to ${LARGEST_DISK_SIZE_GB}, because the server image alone needs ${WINDOWS_LEAST_DISK_SIZE_GB}; raise it, or set create_windows_vm to false.`,
        },
      ],
    }).numberValue;

    this.linuxVmCount = new InputVariable(this, "linux_vm_count", {
      type: "number",
      default: DEFAULT_LINUX_COUNT,
      description: `${COMPUTE} Number of Linux targets; 0 deploys none. Raising it later adds hosts and lowering it removes the last ones; no other host is touched.`,
      validation: [
        {
          condition: "${var.linux_vm_count >= 0 && floor(var.linux_vm_count) == var.linux_vm_count}",
          errorMessage:
            "linux_vm_count is ${var.linux_vm_count}; it must be a whole number from 0, because it counts hosts; use 0 for none.",
        },
      ],
    }).numberValue;

    this.linuxVmMachineType = new InputVariable(this, "linux_vm_machine_type", {
      type: "string",
      default: DEFAULT_MACHINE_TYPE,
      description: `${COMPUTE} Machine type of the Linux targets, of a family with x86 processors. Changing it later stops and starts them.`,
      validation: [
        machineTypeValidation("linux_vm_machine_type"),
        {
          condition: `\${var.linux_vm_count == 0 || ${isForX86("linux_vm_machine_type")}}`,
          errorMessage: `linux_vm_machine_type is "\${var.linux_vm_machine_type}"; it must be of a family with x86 processors, because the targets' image is for these; use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4, or set linux_vm_count to 0.`,
        },
      ],
    }).stringValue;

    this.linuxVmBootDiskSizeGb = new InputVariable(this, "linux_vm_boot_disk_size_gb", {
      type: "number",
      default: DEFAULT_LINUX_DISK_SIZE_GB,
      description: `${COMPUTE} Boot disk of each Linux target in GB, at least ${LINUX_LEAST_DISK_SIZE_GB}. Raising it later grows the disks in place; it cannot be lowered.`,
      validation: [
        {
          condition: `\${var.linux_vm_count == 0 || ${isDiskSize("linux_vm_boot_disk_size_gb", LINUX_LEAST_DISK_SIZE_GB)}}`,
          errorMessage: `linux_vm_boot_disk_size_gb is \${var.linux_vm_boot_disk_size_gb}; it must be a whole number from ${LINUX_LEAST_DISK_SIZE_GB} to ${LARGEST_DISK_SIZE_GB}, because the image alone needs ${LINUX_LEAST_DISK_SIZE_GB}; raise it, or set linux_vm_count to 0.`,
        },
      ],
    }).numberValue;

    this.createSshKeyBucket = new InputVariable(this, "create_ssh_key_bucket", {
      type: "bool",
      default: true,
      description: `${KEY_STORAGE} Stores the private key as ${SSH_KEY_OBJECT_NAME} in a private bucket, which every reader of the project may read. False leaves it in the state alone, and no file can be downloaded. The state holds it either way. Changing it later is safe.`,
    }).booleanValue;
  }
}

function isDiskSize(variable: string, least: number): string {
  const size = `var.${variable}`;
  return `(${size} >= ${least} && ${size} <= ${LARGEST_DISK_SIZE_GB} && floor(${size}) == ${size})`;
}

function isForX86(variable: string): string {
  return `!can(regex("${ARM_MACHINE_TYPE_PATTERN}", var.${variable}))`;
}

function machineTypeValidation(variable: string): TerraformVariableValidationConfig {
  return {
    condition: `\${can(regex("${MACHINE_TYPE_PATTERN}", var.${variable}))}`,
    errorMessage: `${variable} is "\${var.${variable}}"; it must be the name of a machine type, because the platform knows no other sizes; use for example ${DEFAULT_MACHINE_TYPE} or n2-standard-4.`,
  };
}
