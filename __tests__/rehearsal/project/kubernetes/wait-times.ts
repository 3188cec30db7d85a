import { Refusal } from "../cloud";
import { textAt, valueAt, type ValueObject } from "../terraform-value";

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds of a duration in Go's format, for example `25m` or `1h30m`. */
function durationSeconds(text: string): number {
  return [...text.matchAll(/([\d.]+)([smh])/g)].reduce(
    (sum, [, digits = "", unit = ""]) => sum + Number(digits) * (SECONDS[unit] ?? 0),
    0,
  );
}

/** A wait for a step: how long it may take, and how long the provider waits. */
export interface Wait {
  readonly step: "create" | "update";
  readonly worstSeconds: number;
  /** The provider's default time limit. */
  readonly defaultSeconds: number;
  /** The provider's message when the time is up. */
  readonly expired: string;
}

/** Refuses a time limit shorter than the step may take. */
export function requirePatience(values: ValueObject, { step, worstSeconds, defaultSeconds, expired }: Wait): void {
  const given = textAt(valueAt(values, "timeouts"), step);
  const limit = given === "" ? defaultSeconds : durationSeconds(given);
  if (limit >= worstSeconds) return;
  throw new Refusal(`${expired} (timeout while waiting: ${limit} s to ${step}, but it may take ${worstSeconds} s)`);
}
