import { AWS_TYPES } from "./aws-types";
import { requireClusterAccess } from "./google-cluster";
import { GOOGLE } from "./google-types";
import { KUBERNETES_TYPES } from "./kubernetes-types";
import { RANDOM_EPHEMERAL_TYPES, RANDOM_TYPES } from "./random-types";
import { type ProviderTypes } from "./resource-type";
import { TLS_TYPES } from "./tls-types";

/** Providers with a stand-in; those that no stack uses have no schema. */
export const PROVIDERS: Readonly<Record<string, ProviderTypes>> = {
  aws: { resources: AWS_TYPES },
  google: GOOGLE,
  kubernetes: { resources: KUBERNETES_TYPES, requireAccess: requireClusterAccess },
  random: { resources: RANDOM_TYPES, ephemeral: RANDOM_EPHEMERAL_TYPES },
  tls: { resources: TLS_TYPES },
};
