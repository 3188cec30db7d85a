import {
  type DeploymentV1SpecTemplate,
  type DeploymentV1SpecTemplateSpecContainer,
  type DeploymentV1SpecTemplateSpecTopologySpreadConstraint,
  type DeploymentV1SpecTemplateSpecVolume,
} from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { type TerraformResource } from "cdktf";

import { setNewerAttribute } from "../../core/newer-attribute";
import { type EnvironmentSpec, type ResourcesSpec } from "../../idp/container-spec";
import { RUNTIME_GROUP_ID, RUNTIME_USER_ID } from "../../idp/contract";
import { addPlainEntries } from "../plain-environment";
import { hardened, sized } from "./container-hardening";
import { ARCHITECTURE_TOLERATION } from "./contract";
import { databaseProxy, type DatabaseProxy } from "./database-proxy";
import { type WorkloadAccount } from "./workload-account";
import { type WorkloadSecret } from "./workload-secret";

/** A pod with one container of its own and the proxy of the database beside it. */
export interface PodWithProxy {
  readonly account: WorkloadAccount;

  /** What the container is and runs; environment, size and rights come from here. */
  readonly container: DeploymentV1SpecTemplateSpecContainer;

  readonly labels: Readonly<Record<string, string>>;

  readonly proxy: DatabaseProxy;

  readonly resources: ResourcesSpec;

  /** Copies of the secrets that the container gets as variables. */
  readonly secret: WorkloadSecret;

  /** Variables that are in the secret. */
  readonly secretVariables: readonly string[];

  readonly terminationGracePeriodSeconds: number;

  readonly volumes: readonly DeploymentV1SpecTemplateSpecVolume[];

  /** @default - none */
  readonly activeDeadlineSeconds?: number;

  /** @default - none */
  readonly annotations?: Readonly<Record<string, string>>;

  /** @default "Always" */
  readonly restartPolicy?: "Always" | "Never";

  /** @default - no wish */
  readonly topologySpreadConstraint?: DeploymentV1SpecTemplateSpecTopologySpreadConstraint[];
}

/**
 * The template of a pod, of a deployment and of a job alike.
 *
 * Whatever the platform's admission would write is written here, word for word. An omission would be a difference at every
 * plan, and for a job, whose template cannot change, another run at every apply.
 */
export function podTemplate(pod: PodWithProxy): DeploymentV1SpecTemplate {
  const { secret, secretVariables } = pod;
  return {
    metadata: { labels: { ...pod.labels }, annotations: pod.annotations && { ...pod.annotations } },
    spec: {
      serviceAccountName: pod.account.accountName,
      automountServiceAccountToken: false,
      // Variables of services could be taken for settings of the application.
      enableServiceLinks: false,
      restartPolicy: pod.restartPolicy ?? "Always",
      terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
      activeDeadlineSeconds: pod.activeDeadlineSeconds,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: String(RUNTIME_USER_ID),
        runAsGroup: String(RUNTIME_GROUP_ID),
        fsGroup: String(RUNTIME_GROUP_ID),
        seccompProfile: { type: "RuntimeDefault" },
      },
      toleration: [{ ...ARCHITECTURE_TOLERATION }],
      topologySpreadConstraint: pod.topologySpreadConstraint,
      initContainer: [databaseProxy(pod.proxy)],
      container: [
        {
          ...pod.container,
          env: secretVariables.map((name) => ({
            name,
            valueFrom: { secretKeyRef: { name: secret.secretName, key: name } },
          })),
          resources: sized(pod.resources),
          securityContext: hardened(),
        },
      ],
      volume: [...pod.volumes],
    },
  };
}

/** Adds to a resource with such a template what the bindings cannot say. */
export function completePodTemplate(resource: TerraformResource, environment: EnvironmentSpec): void {
  // Makes the proxy run beside the container, instead of before it.
  setNewerAttribute(resource, `${POD_PATH}.init_container.0.restart_policy`, "Always");
  // The platform would take $(NAME) for a reference and drop one of two dollars.
  addPlainEntries(resource, `${POD_PATH}.container.0`, environment, (value) => `\${replace(${value}, "$", "$$")}`);
}

/** Where the pod is in a deployment and in a job. */
const POD_PATH = "spec.template.spec";
