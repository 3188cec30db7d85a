import { KmsCryptoKeyIamMember } from "@cdktf/provider-google/lib/kms-crypto-key-iam-member";
import { TerraformResource } from "cdktf";
import { Construct } from "constructs";

import { allOf, countIf, isSet, setArgument } from "../core/conditional";
import { expression } from "../core/expression";
import { inFileOfExisting } from "../core/hcl/stack-origin";
import { type ApiName, type ProjectApis } from "../core/project-apis";

/** Agents of Google that encrypt with a key: the service that each is of, and where its account is. */
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

export type KeyName = keyof typeof AGENTS;

/**
 * Makes the agents, and grants them the use of keys that are managed elsewhere.
 *
 * @param keys expression of an object with a key by each name, null at plan without one, and `project_number`, that of the
 *   agents, of which nothing is made where it is null at plan
 * @returns the same keys, known to whatever they encrypt only once it can use them
 */
export function grantKeys(scope: Construct, apis: ProjectApis, keys: string, names: readonly KeyName[]) {
  const projectNumber = expression(`${keys}.project_number`);
  const grants = new Construct(scope, "KeyGrants");
  inFileOfExisting(grants, "keys");
  apis.enable("workloadidentity", isSet(projectNumber));
  const granted = (name: KeyName) => {
    const key = expression(`${keys}.${name}`);
    const count = countIf(allOf(isSet(projectNumber), isSet(key)));
    const used = AGENTS[name].map(([service, host]) => {
      const agent = new TerraformResource(grants, `${service}-agent`, {
        // The bindings lack this type.
        terraformResourceType: "google_workload_identity_service_agent",
        terraformGeneratorMetadata: { providerName: "google" },
        ...{ count, dependsOn: apis.ready("workloadidentity", service) },
      });
      const parent = `projects/${projectNumber}/locations/global/serviceProducers/${service}.googleapis.com`;
      setArgument(agent, "parent", parent);
      const grant = new KmsCryptoKeyIamMember(grants, `${service}-encrypts`, {
        ...{ count, cryptoKeyId: key, dependsOn: [agent] },
        role: "roles/cloudkms.cryptoKeyEncrypterDecrypter",
        member: `serviceAccount:service-${projectNumber}@${host}.iam.gserviceaccount.com`,
      });
      return `${grant.fqn}[*].crypto_key_id`;
    });
    return expression(`concat(${used.join(", ")}, [${key}])[0]`);
  };
  return Object.fromEntries(names.map((name) => [name, granted(name)]));
}
