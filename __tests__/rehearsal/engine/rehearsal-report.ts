import { type StepReport } from "./journey";

/** What went wrong first. */
export interface RehearsalFailure {
  readonly step: string;
  /** Address of the resource that the failure names; undefined when it names none. */
  readonly address: string | undefined;
  /** What was expected or what was said. */
  readonly message: string;
  /** Folder of the deployment as it was then. */
  readonly folder: string;
}

/** How the rehearsal of one folder went. */
export interface RehearsalReport {
  readonly stack: string;
  readonly steps: readonly StepReport[];
  readonly failure?: RehearsalFailure;
}

/** One table of everything that was rehearsed. */
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

/** One paragraph that says what to look at. */
export function failureParagraph(stack: string, { step, address, message, folder }: RehearsalFailure): string {
  return [
    `${stack}: the rehearsal failed in step "${step}"${address === undefined ? "" : `, at ${address}`}.`,
    message.trim(),
    `The deployment as it was then is in ${folder}.`,
  ].join("\n");
}
