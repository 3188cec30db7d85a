import { randomBytes, randomInt } from "node:crypto";

import { type Lookup, type ResourceType, type ResourceTypes } from "./resource-type";
import { textAt, type ValueObject } from "./terraform-value";

/** Alphabets of the random provider: `internal/random/string.go` of its release 3.7.2. */
const ALPHABETS = {
  lower: "abcdefghijklmnopqrstuvwxyz",
  upper: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  numeric: "0123456789",
  special: "!@#$%&*()-_=+[]{}<>:?",
};
const KINDS = ["lower", "upper", "numeric", "special"] as const;

/** Random text of every kind of character that is not switched off. */
function randomText(config: ValueObject): string {
  const alphabets = { ...ALPHABETS, special: textAt(config, "override_special") || ALPHABETS.special };
  const alphabet = KINDS.filter((kind) => config[kind] !== false)
    .map((kind) => alphabets[kind])
    .join("");
  return Array.from({ length: Number(config.length) }, () => alphabet.charAt(randomInt(alphabet.length))).join("");
}

/** The provider's defaults. */
const TEXT_DEFAULTS: ValueObject = Object.fromEntries(
  KINDS.flatMap((kind): [string, boolean | number][] => [
    [kind, true],
    [`min_${kind}`, 0],
  ]),
);

export const RANDOM_EPHEMERAL_TYPES: Readonly<Record<string, Lookup>> = {
  random_password: (config, cloud) => {
    const result = randomText(config);
    cloud.handedOut.add(result);
    const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
    return { ...config, ...TEXT_DEFAULTS, ...given, result, bcrypt_hash: null };
  },
};

const TEXT: ResourceType = {
  id: () => randomBytes(16).toString("base64url"),
  replacedBy: ["keepers", "length", "override_special", ...KINDS],
  knownAtPlan: () => TEXT_DEFAULTS,
  computed: (values) => ({ result: randomText(values) }),
};

/** Their values are in the state, as with the real provider. */
export const RANDOM_TYPES: ResourceTypes = {
  random_password: TEXT,
  random_id: {
    id: () => randomBytes(16).toString("base64url"),
    replacedBy: ["keepers", "byte_length", "prefix"],
    computed: (values) => ({ hex: randomBytes(Number(values.byte_length)).toString("hex") }),
  },
};
