import {
  type DeploymentV1SpecTemplateSpecContainerStartupProbe,
  type DeploymentV1SpecTemplateSpecContainerVolumeMount,
  type DeploymentV1SpecTemplateSpecVolume,
} from "@cdktf/provider-kubernetes/lib/deployment-v1";

import { type ContainerSpec, type ProbeSpec } from "../../idp/container-spec";
import { BUCKET_DRIVER, SHARED_MEMORY } from "./contract";

/** A probe as the platform writes it. */
export function probe({ path, ...timing }: ProbeSpec, port: number): DeploymentV1SpecTemplateSpecContainerStartupProbe {
  return { ...timing, httpGet: { path, port: String(port), scheme: "HTTP" } };
}

/** Where the container finds its buckets and its shared memory. */
export function mountsOf({ mounts }: ContainerSpec): DeploymentV1SpecTemplateSpecContainerVolumeMount[] {
  return [
    ...mounts.map(({ name, mountPath }) => ({ name, mountPath })),
    { name: SHARED_MEMORY_VOLUME, mountPath: SHARED_MEMORY.mountPath },
  ];
}

/** The volumes behind these mounts. */
export function volumesOf({ mounts }: ContainerSpec): DeploymentV1SpecTemplateSpecVolume[] {
  return [
    ...mounts.map(({ name, bucketName, mountOptions }) => ({
      name,
      csi: {
        driver: BUCKET_DRIVER,
        readOnly: false,
        volumeAttributes: { bucketName, mountOptions: mountOptions.join(",") },
      },
    })),
    { name: SHARED_MEMORY_VOLUME, emptyDir: { medium: "Memory", sizeLimit: SHARED_MEMORY.sizeLimit } },
  ];
}

const SHARED_MEMORY_VOLUME = "shared-memory";
