import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";

import { type ResourceTypes } from "./resource-type";

const DEFAULT_RSA_BITS = 2048;

/** Resource types of the tls provider. The key is in the state, as with the real one. */
export const TLS_TYPES: ResourceTypes = {
  tls_private_key: {
    replacedBy: ["algorithm", "ecdsa_curve", "rsa_bits"],
    source: "internal/provider/resource_private_key.go",
    knownAtPlan: () => ({ rsa_bits: DEFAULT_RSA_BITS, ecdsa_curve: "P224" }),
    problems: ({ algorithm }) => (algorithm === "RSA" ? [] : ["the stand-in makes RSA keys only"]),
    // The real id is a hash of the key; only its uniqueness matters.
    id: () => randomBytes(20).toString("hex"),
    computed: (values) => {
      const { privateKey, publicKey } = nextKeyPair(Number(values.rsa_bits ?? DEFAULT_RSA_BITS));
      const { e = "", n = "" } = publicKey.export({ format: "jwk" });
      const parts = [Buffer.from("ssh-rsa"), integer(e), integer(n)];
      const wire = Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
      const publicPem = publicKey.export({ type: "spki", format: "pem" }).toString();
      return {
        private_key_pem: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
        private_key_pem_pkcs8: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        // Programs that read the newer OpenSSH format read this older one as well.
        private_key_openssh: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
        public_key_pem: publicPem,
        public_key_openssh: `ssh-rsa ${wire.toString("base64")}\n`,
        public_key_fingerprint_md5: createHash("md5")
          .update(wire)
          .digest("hex")
          .replace(/(..)(?=.)/g, "$1:"),
        public_key_fingerprint_sha256: `SHA256:${createHash("sha256").update(wire).digest("base64").replace(/=+$/, "")}`,
      };
    },
  },
};

type KeyPair = ReturnType<typeof generateRsaKeyPair>;

/** Generating keys is slow: two per size alternate, so that each key differs from the previous one. */
const KEY_PAIRS = new Map<number, KeyPair[]>();

function nextKeyPair(bits: number): KeyPair {
  const made = KEY_PAIRS.get(bits) ?? [];
  const [oldest, newest] = made;
  const next = oldest === undefined || newest === undefined ? generateRsaKeyPair(bits) : oldest;
  KEY_PAIRS.set(bits, [...made.slice(-1), next]);
  return next;
}

function generateRsaKeyPair(bits: number) {
  return generateKeyPairSync("rsa", { modulusLength: bits });
}

/** A positive number in SSH's format: with a leading zero byte if the first bit is set. */
function integer(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, "base64url");
  return (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}
