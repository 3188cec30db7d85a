import {
  type DeploymentV1SpecTemplateSpecContainerResources,
  type DeploymentV1SpecTemplateSpecContainerSecurityContext,
} from "@cdktf/provider-kubernetes/lib/deployment-v1";

import { type DynamicBlock } from "../../core/conditional";
import { type ResourcesSpec } from "../../idp/container-spec";
import { EPHEMERAL_STORAGE } from "./kubernetes-defaults";

/** Additions to a pod: blocks that exist only if a condition holds at plan. */
export interface PodExtension {
  /** Container that starts before the pod's own and stops after it. */
  readonly sidecar: DynamicBlock;

  readonly volume: DynamicBlock;

  /** Mount of that volume in the pod's own container. */
  readonly mount: DynamicBlock;
}

/** Requests and limits of a container, equal and complete: admission would fill in what is missing. */
export function sized({ cpu, memory }: ResourcesSpec): DeploymentV1SpecTemplateSpecContainerResources {
  const size = { cpu, memory, "ephemeral-storage": EPHEMERAL_STORAGE };
  return { requests: size, limits: size };
}

/** Security context of every container: no privileges. Admission would otherwise add NET_RAW to what is dropped. */
export function hardened(
  own: DeploymentV1SpecTemplateSpecContainerSecurityContext = {},
): DeploymentV1SpecTemplateSpecContainerSecurityContext {
  return {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL", "NET_RAW"] },
    seccompProfile: { type: "RuntimeDefault" },
    ...own,
  };
}

/**
 * A string that the container gets unchanged: Kubernetes would expand $(NAME), and reduce $$ to $.
 *
 * @param value Terraform expression, without `${}`
 */
export function literalText(value: string): string {
  return `\${replace(${value}, "$", "$$")}`;
}
