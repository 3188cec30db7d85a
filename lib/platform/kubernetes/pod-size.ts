import { type Check } from "../../core/checks";
import { mebibytes } from "../instances";

const isCpu = (cpu: string) => `${cpu} >= 0.5 && ${cpu} <= 28 && ${cpu} % 0.25 == 0`;

/**
 * CPUs of a pod: Autopilot's limits, minus what the containers beside the server take.
 *
 * @param usual recommended number
 */
export const podCpu = (usual: number): Check => ({
  accepts: (cpu: number) => cpu >= 0.5 && cpu <= 28 && cpu % 0.25 === 0,
  condition: isCpu,
  must: `be 0.5 to 28 in steps of 0.25, because Autopilot offers no other pods; use ${usual}`,
  schema: { minimum: 0.5, maximum: 28, multipleOf: 0.25 },
});

export const POD_CPU_CHOICE = "0.5 to 28 in steps of 0.25";

/** Memory of a pod, which depends on its CPUs; a wrong number of these has its own rule. */
export const POD_MEMORY = {
  rule: "that fits the CPU, 1 to 6.5Gi per CPU and 108Gi at most, because Autopilot raises other requests and bills them",
  fits: (cpu: string, memory: string) => {
    const gib = `${mebibytes(memory)} / 1024`;
    return `!(${isCpu(cpu)}) || (${gib} >= ${cpu} * 1 && ${gib} <= ${cpu} * 6.5 && ${gib} <= 108)`;
  },
} as const;
