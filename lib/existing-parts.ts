import { OWN_PARTS_INPUT } from "./core/existing";
import { type IdentityPart } from "./core/identity-guard";
import { type Relation, type ValuesOf } from "./core/inputs";
import { type ImageInputs } from "./idp/idp-image";
import { EXISTING_SECRETS, type SECRETS } from "./idp/idp-secrets";
import { EXISTING_BUCKET } from "./idp/media-bucket";
import { EXISTING_SERVICE_ACCOUNTS } from "./platform/identity/service-identity";
import { EXISTING_REPOSITORY } from "./platform/registry/image-registry";

/** Inputs of parts that exist, of both variants. */
export const EXISTING_PARTS = {
  ...EXISTING_BUCKET,
  ...EXISTING_REPOSITORY,
  ...EXISTING_SECRETS,
  ...EXISTING_SERVICE_ACCOUNTS,
  ...OWN_PARTS_INPUT,
};

type Inputs = ImageInputs & typeof EXISTING_PARTS & typeof SECRETS;

/** What a protected deployment cannot take in or give back, because data would stay behind. */
export function existingIdentity({
  existingBucket,
  existingSecrets,
}: ValuesOf<typeof EXISTING_PARTS>): readonly IdentityPart[] {
  const parts = {
    existingBucket: existingBucket.at.name,
    existingSecretKey: existingSecrets.at.secretKey.at.secretId,
  };
  return Object.entries(parts).map(([prop, { given, name, text }]) => ({
    ...{ prop, called: name, leavesNullOut: true, value: given === null ? undefined : text },
  }));
}

export const EXISTING_RELATIONS: readonly Relation<Inputs>[] = [
  {
    of: "existingRepository",
    holds: (v) => `${v.existingRepository} == null || ${v.existingContainerImage} == null`,
    says: (v) =>
      `${v.existingRepository.name} and ${v.existingContainerImage.name} are given; there must be one of them, because nothing is pushed where nothing is built; remove one`,
  },
  {
    of: "existingSecrets",
    holds: ({ bootstrapPasswordVersion: version, existingSecrets: { at } }) =>
      `${at.bootstrapPassword} == null || ${version} == 1`,
    says: ({ bootstrapPasswordVersion: version, existingSecrets: { at } }) =>
      `${at.bootstrapPassword.name} is given and ${version.name} is ${version.shown}; it must be 1, because an existing secret is never written; name another version of the secret instead`,
  },
];
