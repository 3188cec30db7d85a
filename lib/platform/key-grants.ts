import { DataGoogleLoggingProjectCmekSettings } from "@cdktf/provider-google/lib/data-google-logging-project-cmek-settings";
import { KmsCryptoKeyIamMember } from "@cdktf/provider-google/lib/kms-crypto-key-iam-member";
import { TerraformResource } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, attributesOf, setArgument } from "../core/expr/attributes";
import { type Condition, countIf, isNever } from "../core/expr/conditions";
import { allOf, type Expr, exprOf } from "../core/expr/expr";
import { concat, element } from "../core/expr/functions";
import { inFileOfExisting } from "../core/hcl/stack-origin";
import { type ApiName, type ProjectApis } from "../core/project-apis";

/** Google's service agents that encrypt with a key, with their services and accounts. */
const AGENTS = {
  cluster: [
    ["compute", "compute-system"],
    ["container", "container-engine-robot"],
  ],
  database: [["sqladmin", "gcp-sa-cloud-sql"]],
  registry: [["artifactregistry", "gcp-sa-artifactregistry"]],
  secrets: [["secretmanager", "gcp-sa-secretmanager"]],
  service: [["run", "serverless-robot-prod"]],
  storage: [["storage", "gs-project-accounts"]],
} as const satisfies Readonly<Record<string, readonly (readonly [service: ApiName, host: string])[]>>;

/** Kinds of encrypted data. For `logs`, Cloud Logging itself determines the account that uses the key. */
export type KeyName = keyof typeof AGENTS | "logs";

const ROLE = "roles/cloudkms.cryptoKeyEncrypterDecrypter";

/**
 * Creates the service agents, and grants them the use of keys that are managed elsewhere.
 *
 * @param projectId project of the agents
 * @param keys keys by kind of encrypted data; may be null at plan
 * @param projectNumber number of the agents' project; without it, no agents or grants are created
 * @returns the same keys, as references that wait for the grants
 */
export function grantKeys(
  scope: Construct,
  apis: ProjectApis,
  projectId: string,
  keys: Readonly<Record<string, Expr<string | null>>>,
  projectNumber: Expr<string | null>,
): Readonly<Record<string, string>> {
  const grants = new Construct(scope, "KeyGrants");
  inFileOfExisting(grants, "keys");
  apis.enable("workloadidentity", projectNumber.isSet());
  const granted = (name: KeyName, key: Expr<string | null>): string => {
    const isGranted = allOf(projectNumber.isSet(), key.isSet());
    if (isNever(isGranted)) return key.text;
    const count = countIf(isGranted);
    if (name === "logs") {
      const grant = grantToLogging(grants, apis, { count: isGranted, key: key.text, projectId });
      return element(concat<unknown>(attributesOf(grant, "crypto_key_id"), exprOf<readonly unknown[]>([key])), 0).text;
    }
    const used = AGENTS[name].map(([service, host]) => {
      const agent = new TerraformResource(grants, `${service}-agent`, {
        // The bindings lack this type.
        terraformResourceType: "google_workload_identity_service_agent",
        terraformGeneratorMetadata: { providerName: "google" },
        count,
        dependsOn: apis.ready("workloadidentity", service),
      });
      const number = projectNumber.text;
      setArgument(agent, "parent", `projects/${number}/locations/global/serviceProducers/${service}.googleapis.com`);
      const grant = new KmsCryptoKeyIamMember(grants, `${service}-encrypts`, {
        count,
        cryptoKeyId: key.text,
        dependsOn: [agent],
        role: ROLE,
        member: `serviceAccount:service-${number}@${host}.iam.gserviceaccount.com`,
      });
      return attributesOf(grant, "crypto_key_id");
    });
    return element(concat<unknown>(...used, exprOf<readonly unknown[]>([key])), 0).text;
  };
  const isThere = ([, key]: readonly [string, Expr<string | null>]) => !isNever(key.isSet());
  const entries = Object.entries(keys).filter(isThere) as [KeyName, Expr<string | null>][];
  return Object.fromEntries(entries.map(([name, key]) => [name, granted(name, key)]));
}

/** Lets the account that Cloud Logging names use a key; looking up its name creates the account. */
function grantToLogging(
  grants: Construct,
  apis: ProjectApis,
  { count: isGranted, key, projectId }: { readonly count: Condition; readonly key: string; readonly projectId: string },
): KmsCryptoKeyIamMember {
  const count = countIf(isGranted);
  const settings = new DataGoogleLoggingProjectCmekSettings(grants, "logging-settings", {
    project: projectId,
    count,
    dependsOn: apis.ready("logging"),
  });
  return new KmsCryptoKeyIamMember(grants, "logging-encrypts", {
    count,
    cryptoKeyId: key,
    role: ROLE,
    member: `serviceAccount:${attributeOf(settings, "service_account_id").text}`,
  });
}
