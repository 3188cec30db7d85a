import { generateKeyPairSync, randomBytes } from "node:crypto";

import { type ResourceTypes } from "./resource-type";

/** Resource types of the tls provider. The key is in the state, as with the real one. */
export const TLS_TYPES: ResourceTypes = {
  tls_private_key: {
    id: () => randomBytes(20).toString("hex"),
    replacedBy: ["algorithm", "rsa_bits"],
    knownAtPlan: () => ({ ecdsa_curve: "P224" }),
    computed: () => {
      // Fewer bits than asked for take less time.
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
      const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
      const wire = publicKey.export({ type: "pkcs1", format: "der" }).toString("base64");
      // Programs that read the newer OpenSSH format read this older one as well.
      return { private_key_pem: pem, private_key_openssh: pem, public_key_openssh: `ssh-rsa ${wire}\n` };
    },
  },
};
