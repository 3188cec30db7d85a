import { EPHEMERAL_STORAGE } from "../../lib/platform/kubernetes/kubernetes-defaults";
import { cpus, gibibytes } from "./input-values";
import { times, type Part, type PartGroup, type Range } from "./part";

/** What a container of a pod requests. */
export interface PodSize {
  readonly cpu: number;
  readonly memoryGib: number;
  readonly diskGib: number;
}

/** The billed resources of a pod. */
const BILLED = [
  { word: "CPU", price: "podCpu", member: "cpu" },
  { word: "memory", price: "podMemory", member: "memoryGib" },
  { word: "disk", price: "podDisk", member: "diskGib" },
] as const;

/** CPU, memory and disk that the containers of a pod request together. */
export function podParts(
  name: string,
  group: PartGroup,
  containers: readonly PodSize[],
  { hours, varies }: { readonly hours: Range; readonly varies: string },
): Part[] {
  return BILLED.map(({ member, price, word }) => {
    const requested = containers.reduce((sum, size) => sum + size[member], 0);
    return { name: `${name}, ${word}`, group, price, varies, quantity: times(hours, requested) };
  });
}

/** Size of a container, with the disk that Autopilot gives every container. */
export function sizeOf({ cpu, memory }: { readonly cpu: string; readonly memory: string }): PodSize {
  return { cpu: cpus(cpu), memoryGib: gibibytes(memory), diskGib: gibibytes(EPHEMERAL_STORAGE) };
}
