import { createPrivateKey, createPublicKey } from "node:crypto";

import { Cloud } from "./cloud";
import { RANDOM_EPHEMERAL_TYPES, RANDOM_TYPES } from "./random-types";
import { TLS_TYPES } from "./tls-types";
import { textAt, type ValueObject } from "./terraform-value";

const cloud = new Cloud({ enabledApis: new Set(), hasImage: () => false, hasAnswered: () => false });

function computed(kinds: typeof RANDOM_TYPES, type: string, values: ValueObject): ValueObject {
  return kinds[type]?.computed?.(values, { id: "", cloud }) ?? {};
}

describe("Random values of the stand-in", () => {
  it("have the length, the alphabets and the least numbers that were asked for", () => {
    for (let round = 0; round < 50; round += 1) {
      const config = { length: 24, special: false, min_lower: 1, min_upper: 1, min_numeric: 3 };
      const result = textAt(RANDOM_EPHEMERAL_TYPES.random_password?.open(config, cloud) ?? null, "result");
      expect(result).toMatch(/^[A-Za-z0-9]{24}$/);
      expect(result).toMatch(/[a-z].*[A-Z]|[A-Z].*[a-z]/);
      expect(result.replace(/\D/g, "").length).toBeGreaterThanOrEqual(3);
    }
  });

  it("never come twice, and have every kind of character that is not switched off", () => {
    const results = Array.from({ length: 20 }, () => computed(RANDOM_TYPES, "random_password", { length: 200 }).result);
    expect(new Set(results).size).toBe(20);
    for (const result of results)
      expect(result).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!@#$%&*()\-_=+[\]{}<>:?]).{200}$/);
  });

  it("say the same bytes in every notation of an id", () => {
    const { hex, dec, b64_std: base64 } = computed(RANDOM_TYPES, "random_id", { byte_length: 4, prefix: null });
    expect(hex).toMatch(/^[0-9a-f]{8}$/);
    expect(dec).toBe(String(Number.parseInt(hex as string, 16)));
    expect(base64).toBe(Buffer.from(hex as string, "hex").toString("base64"));
  });
});

describe("Keys of the stand-in", () => {
  it("are RSA keys of the size that was asked for, whose parts belong together", () => {
    const key = computed(TLS_TYPES, "tls_private_key", { algorithm: "RSA", rsa_bits: 4096 });
    const privateKey = createPrivateKey(textAt(key, "private_key_pem"));
    expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(4096);
    expect(createPublicKey(privateKey).export({ type: "spki", format: "pem" })).toBe(key.public_key_pem);
    expect(key.public_key_openssh).toMatch(/^ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB/);
  });
});
