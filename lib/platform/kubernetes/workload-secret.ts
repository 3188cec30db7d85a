import { SecretV1 } from "@cdktf/provider-kubernetes/lib/secret-v1";
import { Construct } from "constructs";

import { EphemeralResource } from "../../core/ephemeral-resource";
import { numberExpression } from "../../core/expression";
import { type ReadableSecret } from "../../core/generated-secret";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireProvider } from "../../core/provider-requirements";
import { type Rule } from "../../core/rules";
import { type WorkloadNamespace } from "./workload-namespace";

export interface WorkloadSecretProps {
  /** Name within the namespace. */
  readonly name: string;

  readonly namespace: WorkloadNamespace;

  /** Project of the secrets. */
  readonly projectId: string;

  /** Secrets of Secret Manager by the names of the variables that they become. */
  readonly values: Readonly<Record<string, ReadableSecret>>;
}

/**
 * Copies of secrets of Secret Manager for the pods of one workload.
 *
 * Terraform reads the values at apply and writes them through a write-only argument, so its state contains none. It
 * writes them again only when a version changes.
 */
export class WorkloadSecret extends Construct {
  /** Name; a reference to it waits for the values. */
  readonly secretName: string;

  /** Versions of the secrets, without their values, for an annotation that makes a new version start new pods. */
  readonly versions: string;

  readonly secret: SecretV1;

  constructor(scope: Construct, id: string, props: WorkloadSecretProps) {
    super(scope, id);
    requireProvider(this, "kubernetes");
    const { name, namespace, projectId, values } = props;
    const entries = Object.entries(values);

    this.secret = new SecretV1(this, MAIN_CHILD_ID, {
      metadata: { name, namespace: namespace.namespaceName },
      type: "Opaque",
      dataWo: Object.fromEntries(
        entries.map(([variable, reference]) => [variable, this.readEphemerally(variable, reference, projectId)]),
      ),
      // Versions only increase, so their sum changes with each of them.
      dataWoRevision: entries.length === 0 ? 1 : sumOf(entries.map(([, { version }]) => version)),
    });

    this.secretName = this.secret.metadata.name;
    this.versions = entries.map(([variable, { version }]) => `${variable}=${version}`).join(",");
  }

  private readEphemerally(variable: string, { ready, secretId, version }: ReadableSecret, project: string): string {
    return new EphemeralResource(this, variable, {
      type: "google_secret_manager_secret_version",
      provider: "google",
      attributes: { project, secret: secretId, version },
      dependsOn: ready,
    }).stringAttribute("secret_data");
  }
}

function sumOf(versions: readonly string[]): number {
  return numberExpression(`sum([${versions.map((version) => `tonumber(${version})`).join(", ")}])`);
}

/** Rule for the variables of a container that are copies of secrets. */
export function secretVariablesRule<Props>(valuesOf: (props: Props) => WorkloadSecretProps["values"]): Rule<Props> {
  const doubled = (props: Props) => Object.keys(valuesOf(props)).filter((variable) => variable.includes("__"));
  return {
    holds: (props) => doubled(props).length === 0,
    message: (props) =>
      doubled(props).map(
        (variable) =>
          `secret variable ${variable} has a double underscore; a key of a synchronized secret must have none, because GKE's own synchronization refuses it and the copy must be able to move there; use a name without and let the entrypoint map it`,
      ),
  };
}
