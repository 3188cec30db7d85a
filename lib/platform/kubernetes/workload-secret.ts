import { SecretV1 } from "@cdktf/provider-kubernetes/lib/secret-v1";
import { Fn, TerraformLocal } from "cdktf";
import { Construct } from "constructs";

import { countIf, type DynamicBlock, oneAttribute } from "../../core/conditional";
import { EphemeralResource } from "../../core/ephemeral-resource";
import { expression, numberExpression } from "../../core/expression";
import { type ReadableSecret } from "../../core/generated-secret";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type Rule } from "../../core/rules";
import { mergedReferences, type SecretSettings } from "../../idp/secret-settings";
import { type WorkloadNamespace } from "./workload-namespace";

export interface WorkloadSecretProps {
  /** Name within the namespace. */
  readonly name: string;

  readonly namespace: WorkloadNamespace;

  /** Project of the secrets. */
  readonly projectId: string;

  /** Secrets of Secret Manager by the names of the variables that they become. */
  readonly values: Readonly<Record<string, ReadableSecret>>;

  /**
   * Condition under which the copies exist at plan, as a string: `true`, `false` or a boolean expression.
   *
   * @default - they always exist
   */
  readonly condition?: string;

  /**
   * Further secrets, for variables whose names may be known only at plan.
   *
   * @default - none
   */
  readonly settings?: readonly Pick<SecretSettings, "ready" | "references">[];
}

/**
 * Copies of secrets of Secret Manager for the pods of one workload.
 *
 * Terraform reads the values at apply and writes them through a write-only argument, so its state contains none. It
 * writes them again only when a version or the set of secrets changes. Whoever plans or applies must be allowed to read
 * all of them; the pods need no access to Secret Manager.
 */
export class WorkloadSecret extends Construct {
  /** Name; a reference to it waits for the values. */
  readonly secretName: string;

  /** Versions of the secrets, without their values, for an annotation, so that a new version starts new pods. */
  readonly versions: string;

  /** The variables of the further secrets, for a container; undefined without any. */
  readonly furtherEntries: DynamicBlock | undefined;

  readonly secret: SecretV1;

  constructor(scope: Construct, id: string, props: WorkloadSecretProps) {
    super(scope, id);
    const { condition, name, namespace, settings = [], values } = props;
    const entries = Object.entries(values);
    const versions = entries.map(([variable, { version }]) => `${variable}=${version}`).join(",");
    const copies = Object.fromEntries(
      entries.map(([variable, reference]) => [variable, this.readEphemerally(variable, reference, props.projectId)]),
    );
    const merged = mergedReferences(settings);
    const further = merged === undefined ? undefined : this.furtherSecrets(merged, settings, props);

    this.secret = new SecretV1(this, MAIN_CHILD_ID, {
      count: countIf(condition),
      metadata: namespace.metadataOf(name),
      type: "Opaque",
      dataWo: further === undefined ? copies : (Fn.merge([copies, further.copies]) as Record<string, string>),
      dataWoRevision: revisionOf(
        entries.map(([, { version }]) => version),
        further?.revision,
      ),
    });

    this.secretName =
      this.secret.count === undefined
        ? this.secret.metadata.name
        : expression(oneAttribute(this.secret, "metadata[0].name"));
    this.versions = further === undefined ? versions : `${versions}${further.versions}`;
    this.furtherEntries = further && {
      forEach: further.references,
      content: {
        name: "${env.key}",
        value_from: [
          {
            secret_key_ref: [
              {
                name: this.secretName,
                key: `\${${keyOf("env.key")}}`,
                // Copies that are being removed are deleted before the workload is updated, and its pods must be able
                // to start until then. Keeping them longer with create_before_destroy would spread to the cluster,
                // which cannot exist twice.
                ...(condition === undefined ? {} : { optional: true }),
              },
            ],
          },
        ],
      },
    };
  }

  private readEphemerally(variable: string, { ready, secretId, version }: ReadableSecret, project: string): string {
    return new EphemeralResource(this, variable, {
      type: "google_secret_manager_secret_version",
      provider: "google",
      attributes: { project, secret: secretId, version },
      dependsOn: ready,
    }).stringAttribute("secret_data");
  }

  private furtherSecrets(
    merged: string,
    settings: Required<WorkloadSecretProps>["settings"],
    { namespace, projectId: project }: WorkloadSecretProps,
  ) {
    const references = new TerraformLocal(this, "References", merged).asString;
    const read = new EphemeralResource(this, "Further", {
      type: "google_secret_manager_secret_version",
      provider: "google",
      forEach: references,
      // Unknown before the namespace exists, so that the first plan asks no API.
      attributes: {
        project,
        secret: `\${${namespace.namespace.id} == "" ? "" : each.value.secret_id}`,
        version: "${each.value.version}",
      },
      dependsOn: settings.flatMap(({ ready }) => ready),
    });
    const values = read.stringAttributes("secret_data");
    const stored = `[for name, reference in ${references} : ",\${name}=\${reference.secret_id}:\${reference.version}"]`;
    return {
      references,
      copies: expression(`{ for name, value in ${values} : ${keyOf("name")} => value }`),
      versions: expression(`join("", ${stored})`),
      // Another secret can have a lower version, so the number must be a hash to change in every case.
      revision: `(length(${references}) == 0 ? 0 : parseint(substr(sha256(jsonencode(${references})), 0, ${REVISION_DIGITS}), 16))`,
    };
  }
}

/** Hexadecimal digits of a revision: enough to distinguish any two, and with the versions still a 32-bit number. */
const REVISION_DIGITS = 7;

/** Key of a variable's copy, as a Terraform expression: GKE's own synchronization refuses a double underscore. */
function keyOf(name: string): string {
  return `replace(${name}, "__", ".")`;
}

/**
 * A number that changes with each version, because versions only increase, and with the further secrets.
 *
 * @param further Terraform expression of a number for these; undefined without any
 */
function revisionOf(versions: readonly string[], further: string | undefined): number {
  if (versions.length === 0 && further === undefined) return 1;
  const sum = versions.length === 0 ? "1" : `sum([${versions.map((version) => `tonumber(${version})`).join(", ")}])`;
  return numberExpression(further === undefined ? sum : `${sum} + ${further}`);
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
