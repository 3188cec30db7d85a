import { randomBytes, randomInt } from "node:crypto";

import { type EphemeralType, type ResourceTypes } from "./resource-type";
import { textAt, type ValueObject } from "./terraform-value";

/** Alphabets of the random provider: `internal/random/string.go` of its release 3.7.2. */
const ALPHABETS = {
  lower: "abcdefghijklmnopqrstuvwxyz",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  numeric: "0123456789",
  special: "!@#$%&*()-_=+[]{}<>:?",
} as const;

const KINDS = ["lower", "upper", "numeric", "special"] as const;

/** The provider's defaults. */
const TEXT_DEFAULTS: ValueObject = Object.fromEntries(
  KINDS.flatMap((kind): [string, boolean | number][] => [
    [kind, true],
    [`min_${kind}`, 0],
  ]),
);

/** Random text by the provider's rules: every kind of character unless switched off. */
function randomText(config: ValueObject): string {
  const special = textAt(config, "override_special") || ALPHABETS.special;
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

/** Ephemeral types of the random provider. */
export const RANDOM_EPHEMERAL_TYPES: Readonly<Record<string, EphemeralType>> = {
  random_password: {
    open: (config, cloud) => {
      const result = randomText(config);
      cloud.handedOut.add(result);
      const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
      return { ...config, ...TEXT_DEFAULTS, ...given, result, bcrypt_hash: null };
    },
  },
};

/** Every argument forces a replacement, which is the only purpose of `keepers`. */
const TEXT_ARGUMENTS = [
  ...["keepers", "length", "lower", "upper", "numeric", "special", "override_special"],
  ...["min_lower", "min_upper", "min_numeric", "min_special"],
];

/** Resource types of the random provider. Their values are in the state, as with the real one. */
export const RANDOM_TYPES: ResourceTypes = {
  random_id: {
    replacedBy: ["keepers", "byte_length", "prefix"],
    source: "internal/provider/resource_id.go",
    knownAtPlan: () => ({}),
    id: () => randomBytes(16).toString("base64url"),
    computed: (values) => {
      const bytes = randomBytes(Number(values.byte_length));
      const prefix = typeof values.prefix === "string" ? values.prefix : "";
      const hex = bytes.toString("hex");
      return {
        hex: prefix + hex,
        dec: prefix + String(BigInt(`0x${hex}`)),
        b64_url: prefix + bytes.toString("base64url"),
        b64_std: prefix + bytes.toString("base64"),
      };
    },
  },
  random_password: {
    replacedBy: TEXT_ARGUMENTS,
    source: "internal/provider/resource_password.go",
    knownAtPlan: () => TEXT_DEFAULTS,
    id: () => randomBytes(16).toString("base64url"),
    computed: (values) => ({ result: randomText(values) }),
  },
  random_string: {
    replacedBy: TEXT_ARGUMENTS,
    source: "internal/provider/resource_string.go",
    knownAtPlan: () => TEXT_DEFAULTS,
    id: () => randomBytes(16).toString("base64url"),
    computed: (values) => ({ result: randomText(values) }),
  },
};
