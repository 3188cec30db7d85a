import { Token, type TerraformResource } from "cdktf";

import { addDynamicBlock } from "../../core/conditional";
import { CONNECTION_NAME_BUDGET, sqlInstanceName } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type DeploymentPlace } from "../../core/place";
import { ifKnown, type Rule } from "../../core/rules";
import { type ContainerSpec } from "../../idp/container-spec";
import { addPlainEntries, environmentOn } from "../environment";
import { type NetworkAttachment } from "../network/network-attachment";
import { LOAD_BALANCER_RANGES, SOCKET_FOLDER, SOCKET_VOLUME } from "./serverless-defaults";

/** A file that is mounted beside the container's own buckets. */
export interface FileMount {
  readonly name: string;
  readonly mountPath: string;
}

/** The part of a container that a service and a job write alike. */
export function containerBlock(container: ContainerSpec, files: readonly FileMount[] = []) {
  const { args, command, database, image, mounts = [], secretEnvironment } = container;
  return {
    image: image.containerImage,
    args: args && [...args],
    command: command && [...command],
    // Read when an instance starts, at exactly the given version.
    env: Object.entries(secretEnvironment).map(([name, { secretId, version }]) => ({
      name,
      valueSource: { secretKeyRef: { secret: secretId, version } },
    })),
    volumeMounts: [
      ...[...mounts, ...files].map(({ name, mountPath }) => ({ name, mountPath })),
      // Last, here and below: Cloud Run returns it last, and any other order would be a permanent difference.
      ...(database === undefined ? [] : [{ name: SOCKET_VOLUME, mountPath: SOCKET_FOLDER }]),
    ],
  };
}

/** The volumes behind these mounts; those of files come after the buckets. */
export function volumeBlocks<File extends object = never>(
  { database, mounts = [] }: ContainerSpec,
  files: readonly File[] = [],
) {
  return [
    ...mounts.map(({ bucketName, name }) => ({ name, gcs: { bucket: bucketName, readOnly: false } })),
    ...files,
    ...(database === undefined
      ? []
      : [{ name: SOCKET_VOLUME, cloudSqlInstance: { instances: [database.instance.connectionName] } }]),
  ];
}

/** Access to an existing network that is known at synth; none otherwise. */
export function networkAccess(attachment: NetworkAttachment | undefined) {
  if (attachment === undefined || Token.isUnresolved(attachment.network)) return undefined;
  const { network, subnetwork } = attachment;
  return { egress: EGRESS, networkInterfaces: [{ network, subnetwork }] };
}

/**
 * Adds to a service or a job what the bindings cannot say: variables and a network that only Terraform knows, and the flags
 * of mounts.
 *
 * @param templatePath path of the block that holds the container
 */
export function completeTemplate(
  resource: TerraformResource,
  templatePath: string,
  container: ContainerSpec,
  attachment: NetworkAttachment | undefined,
): void {
  const { database, mounts = [] } = container;
  const environment = environmentOn(
    {
      databaseHost: database && `${SOCKET_FOLDER}/${database.instance.connectionName}`,
      loadBalancerRanges: LOAD_BALANCER_RANGES,
    },
    container,
  );
  addPlainEntries(resource, `${templatePath}.containers.0`, environment);
  mounts.forEach(({ mountOptions }, index) => {
    setNewerAttribute(resource, `${templatePath}.volumes.${index}.gcs.mount_options`, mountOptions);
  });

  if (attachment === undefined || !Token.isUnresolved(attachment.network)) return;
  const { network, subnetwork } = attachment;
  addDynamicBlock(resource, templatePath, "vpc_access", {
    forEach: `\${${network} == null ? [] : ["network"]}`,
    content: { egress: EGRESS, network_interfaces: [{ network, subnetwork }] },
  });
}

/** For whatever mounts the socket of the deployment's database: its whole path must fit into a socket address. */
export const SOCKET_PATH_RULE: Rule<{ readonly container: ContainerSpec; readonly place: DeploymentPlace }> = {
  holds: ({ container, place }) =>
    container.database === undefined ||
    ifKnown(variableParts(place), (parts) => parts.length <= CONNECTION_NAME_BUDGET),
  message: ({ place }) =>
    `project, region and database instance have ${variableParts(place).length} characters together, the path of the database socket has room for ${CONNECTION_NAME_BUDGET}, because a socket address holds 108 bytes; shorten the application name or the tenant id by ${variableParts(place).length - CONNECTION_NAME_BUDGET}`,
};

/** Private addresses go through the network, everything else keeps going out directly. */
const EGRESS = "PRIVATE_RANGES_ONLY";

function variableParts({ deployment, projectId, region }: DeploymentPlace): string {
  return `${projectId}${region}${sqlInstanceName(deployment)}`;
}
