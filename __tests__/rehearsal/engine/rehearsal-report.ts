/** A completed step. */
export interface StepReport {
  readonly step: string;
  readonly seconds: number;
}

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

/** A line that says that a step of a stack has succeeded. */
export function stepLine(stack: string, { step, seconds }: StepReport): string {
  return `${seconds.toFixed(1).padStart(6)} s  ${stack}  ${step}`;
}

/** A paragraph that describes the failure. */
export function failureParagraph(stack: string, { step, address, message, folder }: RehearsalFailure): string {
  return [
    `${stack}: the rehearsal failed in step "${step}"${address === undefined ? "" : `, at ${address}`}.`,
    message.trim(),
    `The deployment as it was then is in ${folder}.`,
  ].join("\n");
}
