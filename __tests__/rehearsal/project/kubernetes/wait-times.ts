import { Refusal } from "../cloud";
import { textAt, valueAt, type ValueObject } from "../terraform-value";

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** A length of time as Go writes it, for example `25m` or `1h30m`, in seconds. */
export function durationSeconds(text: string): number {
  return [...text.matchAll(/([\d.]+)([smh])/g)].reduce(
    (sum, [, digits = "", unit = ""]) => sum + Number(digits) * (SECONDS[unit] ?? 0),
    0,
  );
}

/** How long a step may take at worst, and what is waited for. */
export interface Wait {
  readonly step: "create" | "update";
  readonly worstSeconds: number;
  /** Time limit of the provider where the configuration has none. */
  readonly defaultSeconds: number;
  /** What the provider says when the time is up. */
  readonly expired: string;
}

/** Refuses a time limit that would end the wait before the platform has had all the time that it may take. */
export function requirePatience(values: ValueObject, { step, worstSeconds, defaultSeconds, expired }: Wait): void {
  const given = textAt(valueAt(values, "timeouts"), step);
  const limit = given === "" ? defaultSeconds : durationSeconds(given);
  if (limit >= worstSeconds) return;
  throw new Refusal(`${expired} (timeout while waiting: ${limit} s to ${step}, but it may take ${worstSeconds} s)`);
}
