import { randomInt } from "node:crypto";

import { type EphemeralKind } from "./resource-kind";
import { type ValueObject } from "./terraform-value";

/** Alphabets of the random provider: `internal/random/string.go` of its release 3.7.2. */
const ALPHABETS = {
  lower: "abcdefghijklmnopqrstuvwxyz",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  numeric: "0123456789",
  special: "!@#$%&*()-_=+[]{}<>:?",
} as const;

const KINDS = ["lower", "upper", "numeric", "special"] as const;

/** Really random text by the provider's own rules: every kind of character is on unless switched off. */
function randomText(config: ValueObject): string {
  const special =
    typeof config.override_special === "string" && config.override_special !== ""
      ? config.override_special
      : ALPHABETS.special;
  const alphabets = { ...ALPHABETS, special };
  const required = KINDS.flatMap((kind) =>
    Array.from({ length: Number(config[`min_${kind}`] ?? 0) }, () => pick(alphabets[kind])),
  );
  const alphabet = KINDS.filter((kind) => config[kind] !== false)
    .map((kind) => alphabets[kind])
    .join("");
  const rest = Array.from({ length: Math.max(0, Number(config.length) - required.length) }, () => pick(alphabet));
  return shuffled([...required, ...rest]).join("");
}

function pick(alphabet: string): string {
  return alphabet.charAt(randomInt(alphabet.length));
}

function shuffled(characters: readonly string[]): string[] {
  const result = [...characters];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [result[index], result[other]] = [result[other] ?? "", result[index] ?? ""];
  }
  return result;
}

/** What is known of the random provider's ephemeral types. */
export const RANDOM_EPHEMERAL_KINDS: Readonly<Record<string, EphemeralKind>> = {
  random_password: {
    open: (config, cloud) => {
      const result = randomText(config);
      cloud.handedOut.add(result);
      const defaults = { lower: true, upper: true, numeric: true, special: true };
      const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
      const least = Object.fromEntries(KINDS.map((kind) => [`min_${kind}`, 0]));
      return { ...config, ...defaults, ...least, ...given, result, bcrypt_hash: null };
    },
  },
};
