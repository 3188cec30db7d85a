import { matching } from "./inputs/rules";

/** Full name of a key, because it may belong to another project. */
export const KMS_KEY_PATTERN = "^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$";
export const KMS_KEY_REASON =
  "projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<key>, because a key may belong to another project";

export const KMS_KEY = matching(
  KMS_KEY_PATTERN,
  `be the name of a key in full, ${KMS_KEY_REASON}; look it up with gcloud kms keys list`,
);
