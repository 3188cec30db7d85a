/** One line of the report: what we cost beside a peer, and what we aim at. */
export interface Figure {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  readonly ratio: string;
  readonly goal: string;
  readonly reached: boolean;
}
