import { type StepReport } from "./journey";

/** The first failure. */
export interface RehearsalFailure {
  readonly step: string;
  /** Address of the resource that the failure names, if any. */
  readonly address: string | undefined;
  /** What was expected, or Terraform's message. */
  readonly message: string;
  /** Folder of the deployment at that time. */
  readonly folder: string;
}

/** Result of the rehearsal of one folder. */
export interface RehearsalReport {
  readonly stack: string;
  readonly steps: readonly StepReport[];
  readonly failure?: RehearsalFailure;
}

/** A table of everything that was rehearsed. */
export function reportTable(reports: readonly RehearsalReport[]): string {
  const rows = reports.flatMap(({ stack, steps }) =>
    steps.map(
      ({ step, seconds, resources }) =>
        [stack, step, seconds.toFixed(1), resources === undefined ? "-" : String(resources)] as const,
    ),
  );
  const all = [["stack", "step", "seconds", "resources"] as const, ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A paragraph that describes the failure. */
export function failureParagraph(stack: string, { step, address, message, folder }: RehearsalFailure): string {
  return [
    `${stack}: the rehearsal failed in step "${step}"${address === undefined ? "" : `, at ${address}`}.`,
    message.trim(),
    `The deployment as it was then is in ${folder}.`,
  ].join("\n");
}
