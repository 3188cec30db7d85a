/** Format of memory: a whole number with its unit. */
const MEMORY_PATTERN = "^([0-9]+)(Mi|Gi)$";

/** Memory in MiB, as an HCL expression that fails for any other format. */
export function mebibytes(memory: string): string {
  const parts = `regex("${MEMORY_PATTERN}", ${memory})`;
  return `tonumber(${parts}[0]) * (${parts}[1] == "Gi" ? 1024 : 1)`;
}
