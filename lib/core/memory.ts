/** Memory, a whole number with its unit, in MiB: an HCL expression that fails for any other format. */
export function mebibytes(memory: string): string {
  const parts = `regex("^([0-9]+)(Mi|Gi)$", ${memory})`;
  return `tonumber(${parts}[0]) * (${parts}[1] == "Gi" ? 1024 : 1)`;
}
