import { generateKeyPairSync, randomBytes } from "node:crypto";

import { type ResourceTypes } from "./resource-type";

/** Resource types of the tls provider. The key is in the state, as with the real one. */
export const TLS_TYPES: ResourceTypes = {
  tls_private_key: {
    // The real id is a hash of the key; only its uniqueness matters.
    id: () => randomBytes(20).toString("hex"),
    replacedBy: ["algorithm", "rsa_bits"],
    knownAtPlan: () => ({ ecdsa_curve: "P224" }),
    computed: () => {
      const { privateKey, publicKey } = nextKeyPair();
      const privatePem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
      const wire = publicKey.export({ type: "pkcs1", format: "der" }).toString("base64");
      return {
        private_key_pem: privatePem,
        private_key_pem_pkcs8: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        // Programs that read the newer OpenSSH format read this older one as well.
        private_key_openssh: privatePem,
        public_key_pem: publicKey.export({ type: "spki", format: "pem" }).toString(),
        public_key_openssh: `ssh-rsa ${wire}\n`,
      };
    },
  },
};

type KeyPair = ReturnType<typeof generateRsaKeyPair>;

/** Generating keys is slow: two alternate, so that each key differs from the previous one. */
const KEY_PAIRS: KeyPair[] = [];

function nextKeyPair(): KeyPair {
  const next = KEY_PAIRS.length < 2 ? generateRsaKeyPair() : KEY_PAIRS.shift();
  if (next === undefined) throw new Error("there is no key");
  KEY_PAIRS.push(next);
  return next;
}

/** Of fewer bits than asked for, which takes less time. */
function generateRsaKeyPair() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 });
}
