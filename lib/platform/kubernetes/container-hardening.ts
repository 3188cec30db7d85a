import {
  type DeploymentV1SpecTemplateSpecContainerResources,
  type DeploymentV1SpecTemplateSpecContainerSecurityContext,
} from "@cdktf/provider-kubernetes/lib/deployment-v1";

import { type ResourcesSpec } from "../../idp/container-spec";
import { EPHEMERAL_STORAGE } from "./contract";

/** Requests and limits of a container, equal and complete: admission would fill in what is missing. */
export function sized({ cpu, memory }: ResourcesSpec): DeploymentV1SpecTemplateSpecContainerResources {
  const size = { cpu, memory, "ephemeral-storage": EPHEMERAL_STORAGE };
  return { requests: size, limits: size };
}

/** What every container may do: nothing special. Admission would add the second capability by itself. */
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
