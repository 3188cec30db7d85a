export interface Finding {
  readonly check: string;
  readonly asks: string;
  readonly stack: string;
  readonly resource: string;
  /** File and first line in HCL. */
  readonly place: string;
}

/** A check that fails on a type of resource, and stays so. */
export interface AcceptedFinding {
  readonly check: string;
  readonly type: string;
  readonly reason: string;
}

interface ScannerReport {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly resource: string;
      readonly file_path: string;
      readonly file_line_range: readonly [first: number, last: number];
    }[];
  };
  readonly summary: { readonly resource_count: number };
}

/**
 * What one run of the scanner found in one plan.
 *
 * @throws Error when it looked at no resource: it calls a plan without resources clean
 */
export function findingsOf(stack: string, output: string): Finding[] {
  const { results, summary } = JSON.parse(output) as Partial<ScannerReport>;
  if (results === undefined || summary === undefined || summary.resource_count === 0)
    throw new Error(`the scanner looked at no resource of ${stack}; it says: ${output.slice(0, 500)}`);
  return results.failed_checks.map(({ check_id: check, check_name: asks, resource, ...found }) => ({
    check,
    asks,
    stack,
    resource: resource.replace(/\[\d+\]$/, ""),
    place: `${found.file_path}:${found.file_line_range[0]}`,
  }));
}

const covers = (accepted: AcceptedFinding, { check, resource }: Finding): boolean =>
  accepted.check === check && resource.split(".")[0] === accepted.type;

export function findingProblems(findings: readonly Finding[], accepted: readonly AcceptedFinding[]): string[] {
  const unknown = findings.filter((finding) => !accepted.some((entry) => covers(entry, finding)));
  const stale = accepted.filter((entry) => !findings.some((finding) => covers(entry, finding)));
  return [
    ...unknown.map(
      ({ asks, check, place, resource, stack }) =>
        `${stack}/${place}: ${resource} fails ${check} (${asks}); fix it, or accept it with a reason`,
    ),
    ...stale.map(({ check, type }) => `${check} is accepted for ${type} and no longer found; remove it`),
  ];
}
