import { SecretV1 } from "@cdktf/provider-kubernetes/lib/secret-v1";
import { Fn, TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { type DynamicBlock } from "../../core/expr/blocks";
import { type Condition, countIf } from "../../core/expr/conditions";
import { expression } from "../../core/expr/terraform-text";
import { EphemeralResource } from "../../core/secrets/ephemeral-resource";
import { type ContainerSpec } from "../../idp/container-spec";
import { mergedReferences, secretRevisions, type SecretSettings } from "../../idp/secret-settings";
import { metadataName, shortHash, type WorkloadNamespace } from "./workload-namespace";

interface WorkloadSecretProps {
  /** Beginning of the name within the namespace. */
  readonly name: string;
  readonly namespace: WorkloadNamespace;
  readonly projectId: string;
  readonly condition?: Condition | undefined;
}

/** The secrets of a container. */
interface ContainerSecrets extends Pick<ContainerSpec, "secretEnvironment"> {
  readonly secretSettings?: readonly Pick<SecretSettings, "ready" | "references">[];
}

/** Ids of all constructs that `addWorkloadSecret` adds. */
export const SECRET_PARTS = ["Secrets", "SecretsFurther", "SecretsReferences", "SecretsVersions"] as const;

/** Copies of a container's secrets for the pods of one workload. */
export interface WorkloadSecret {
  /** The copies, for overrides. */
  readonly secret: SecretV1;
  /** Name of the copies; a reference to it waits for the values. */
  readonly secretName: string;
  /**
   * The variables that a container reads from the copies: the deployment's own variables, and the variables of further
   * secrets.
   */
  readonly entries: { readonly own?: DynamicBlock; readonly further?: DynamicBlock };
}

/**
 * Copies secrets of Secret Manager for the pods of one workload.
 *
 * Terraform reads the values at apply and writes them through a write-only argument, so its state contains none. The
 * name ends in a hash of the versions. Another version therefore creates another object, and the new name starts new
 * pods. The account that plans or applies must be allowed to read all these secrets; the pods need no access to Secret
 * Manager.
 */
export function addWorkloadSecret(
  scope: Construct,
  { secretEnvironment: values, secretSettings: settings = [] }: ContainerSecrets,
  props: WorkloadSecretProps,
): WorkloadSecret {
  const { condition, name, namespace } = props;
  const copies = Object.fromEntries(
    Object.entries(values).map(([variable, secret]) => [
      variable,
      secret.valueOnceKnown?.(namespace.firstId) ?? secret.ephemeralValue,
    ]),
  );
  const merged = mergedReferences(settings);
  const further = merged === undefined ? undefined : furtherSecrets(scope, merged, settings, props);
  const versions = new TerraformLocal(scope, "SecretsVersions", secretRevisions(values, further?.references));

  // Deleted before its successor exists, so that no pod can start until the rollout: create_before_destroy would spread
  // to the cluster, which cannot exist twice.
  const secret = new SecretV1(scope, "Secrets", {
    count: countIf(condition),
    metadata: namespace.metadataOf(`${name}-${shortHash(Fn.sha256(versions.asString))}`),
    type: "Opaque",
    immutable: true,
    dataWo: further === undefined ? copies : (Fn.merge([copies, further.copies]) as Record<string, string>),
    dataWoRevision: 1,
    dependsOn: Object.values(values).flatMap(({ ready }) => ready),
  });

  const secretName = metadataName(secret);
  // Copies that are being removed are deleted before the workload is updated, and its pods must be able to start until
  // then.
  const optional = condition === undefined ? {} : { optional: true };
  const entry = (name: string, key: string, more = {}) => ({
    name: `\${${name}}`,
    value_from: [{ secret_key_ref: [{ name: secretName, key: `\${${key}}`, ...more }] }],
  });
  const names = Object.keys(values);
  const entries = {
    ...(names.length > 0 && { own: { forEach: names, content: entry("env.value", "env.value") } }),
    ...(further && {
      further: { forEach: further.references, content: entry("env.key", keyOf("env.key"), optional) },
    }),
  };
  return { secret, secretName, entries };
}

function furtherSecrets(
  scope: Construct,
  merged: string,
  settings: NonNullable<ContainerSecrets["secretSettings"]>,
  { namespace, projectId: project }: WorkloadSecretProps,
) {
  const references = new TerraformLocal(scope, "SecretsReferences", merged).asString;
  const read = new EphemeralResource(scope, "SecretsFurther", {
    type: "google_secret_manager_secret_version",
    provider: "google",
    forEach: references,
    // Unknown before an object exists in the namespace, so that the first plan calls no API.
    attributes: {
      project,
      secret: `\${${namespace.firstId} == "" ? "" : each.value.secret_id}`,
      version: "${each.value.version}",
    },
    dependsOn: settings.flatMap(({ ready }) => ready),
  });
  const values = read.stringAttributes("secret_data");
  return { references, copies: expression(`{ for name, value in ${values} : ${keyOf("name")} => value }`) };
}

/** Key of a variable's copy, as a Terraform expression: GKE's own synchronization refuses a double underscore. */
function keyOf(name: string): string {
  return `replace(${name}, "__", ".")`;
}
