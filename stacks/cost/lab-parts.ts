import { type InputValues } from "./input-values";
import { exactly, type Part } from "./part";
import { machineType } from "./machine-types";
import { MONTH_HOURS } from "./prices";

/** The parts of a lab, and what is not known about its price. */
interface Lab {
  readonly parts: Part[];
  readonly unknown: string[];
}

/** Parts of the lab, while its VMs run. */
export function labParts(inputs: InputValues): Lab {
  const windowsType = inputs.text("windows_vm_machine_type");
  const linuxType = inputs.text("linux_vm_machine_type");
  const windowsCount = Number(inputs.flag("create_windows_vm"));
  const linuxCount = inputs.number("linux_vm_count");
  const windows = vmParts("Windows VM", windowsType, windowsCount);
  const linux = vmParts("Linux VMs", linuxType, linuxCount);
  const licence = machineType(windowsType);
  return {
    parts: [
      ...windows.parts,
      ...(windowsCount > 0 && licence !== undefined
        ? [
            {
              name: "Licence of Windows Server",
              group: "VMs",
              price: "windowsLicence",
              quantity: exactly(licence.cpus * MONTH_HOURS),
            } as const,
          ]
        : []),
      ...diskParts("Disk of the Windows VM", windowsCount, inputs.number("windows_vm_boot_disk_size_gb")),
      ...(windowsCount > 0
        ? [
            {
              name: "Address of the Windows VM",
              group: "VMs",
              price: "address",
              quantity: exactly(MONTH_HOURS),
            } as const,
          ]
        : []),
      ...linux.parts,
      ...diskParts("Disks of the Linux VMs", linuxCount, inputs.number("linux_vm_boot_disk_size_gb")),
    ],
    unknown: [...windows.unknown, ...linux.unknown],
  };
}

function vmParts(name: string, type: string, count: number): Lab {
  if (count === 0) return { parts: [], unknown: [] };
  const machine = machineType(type);
  if (machine === undefined)
    return {
      parts: [],
      unknown: [`${name}: the price table has no machine type ${type}; the sum does not include it.`],
    };
  const { billedCpus, cpuPrice, memoryGib, memoryPrice } = machine;
  const hours = count * MONTH_HOURS;
  return {
    parts: [
      { name: `${name}, CPU`, group: "VMs", price: cpuPrice, quantity: exactly(hours * billedCpus) },
      { name: `${name}, memory`, group: "VMs", price: memoryPrice, quantity: exactly(hours * memoryGib) },
    ],
    unknown: [],
  };
}

function diskParts(name: string, count: number, sizeGb: number): Part[] {
  if (count === 0) return [];
  return [{ name, group: "VMs", price: "balancedDisk", quantity: exactly(count * sizeGb) }];
}
