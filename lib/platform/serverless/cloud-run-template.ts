import { type TerraformResource, Token } from "cdktf";

import { addOptionalBlock } from "../../core/expr/blocks";
import { isSet } from "../../core/expr/conditions";
import { exprOf, interpolated, namedText } from "../../core/expr/expr";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type ContainerSpec } from "../../idp/container-spec";
import { mergedReferences, secretRevisions } from "../../idp/secret-settings";
import { type LoadBalancerAddress } from "../domain/domain-address";
import { addEntries, environmentOn } from "../environment";
import { type NetworkAttachment } from "../network/network-attachment";

/** The only execution environment that can mount buckets. */
export const EXECUTION_ENVIRONMENT = "EXECUTION_ENVIRONMENT_GEN2";

/** Folder of the database sockets; Cloud Run accepts no other. */
const SOCKET_FOLDER = "/cloudsql";
const SOCKET_VOLUME = "cloudsql";

/** Cloud Run's front end connects from a link-local address. */
const LOAD_BALANCER_RANGES = ["169.254.0.0/16"];

/**
 * The part of a container block that services and jobs share.
 *
 * @param files mounts in addition to the container's buckets
 */
export function containerBlock(
  container: ContainerSpec,
  files: readonly { readonly name: string; readonly mountPath: string }[] = [],
) {
  const { args, command, database, image, mounts = [], resources, secretEnvironment } = container;
  return {
    image: image.containerImage,
    args: args && [...args],
    command: command && [...command],
    resources: resources && { limits: { ...resources } },
    // An instance reads exactly this version when it starts.
    env: Object.entries(secretEnvironment).map(([name, { secretId, version }]) => ({
      name,
      valueSource: { secretKeyRef: { secret: secretId, version } },
    })),
    volumeMounts: [
      ...[...mounts, ...files].map(({ name, mountPath }) => ({ name, mountPath })),
      // Last, here and below, because Cloud Run returns it last and any other order would be a permanent diff.
      ...(database === undefined ? [] : [{ name: SOCKET_VOLUME, mountPath: SOCKET_FOLDER }]),
    ],
  };
}

/**
 * Annotations of a template that start new instances for a new version of a secret, even if its number was used before;
 * undefined without secrets.
 */
export function secretAnnotations({ secretEnvironment, secretSettings = [] }: ContainerSpec) {
  const versions = secretRevisions(secretEnvironment, mergedReferences(secretSettings));
  return versions === "" ? undefined : { "secret-versions": namedText("secret_versions", versions) };
}

/** The volumes of a template, buckets before files, and its access to a network that is known at synth. */
export function templateBlocks<File extends object = never>(
  { database, mounts = [] }: ContainerSpec,
  attachment: NetworkAttachment | undefined,
  files: readonly File[] = [],
) {
  const { egress = EGRESS, network, subnetwork, tags } = attachment ?? {};
  const isKnown = attachment !== undefined && !Token.isUnresolved(network);
  return {
    vpcAccess: isKnown ? { egress, networkInterfaces: [{ network, subnetwork, tags }] } : undefined,
    volumes: [
      ...mounts.map(({ bucketName, name }) => ({ name, gcs: { bucket: bucketName, readOnly: false } })),
      ...files,
      ...(database === undefined
        ? []
        : [{ name: SOCKET_VOLUME, cloudSqlInstance: { instances: [database.instance.connectionName] } }]),
    ],
  };
}

/**
 * Adds what the bindings cannot express to a service or a job: variables and a network unknown at synth, and mount
 * options.
 *
 * @param templatePath path of the block that holds the container
 * @param address address of a load balancer in front of Cloud Run's own
 */
export function addFurtherBlocks(
  resource: TerraformResource,
  templatePath: string,
  container: ContainerSpec,
  attachment: NetworkAttachment | undefined,
  address?: LoadBalancerAddress,
): void {
  const { database, mounts = [], secretSettings = [] } = container;
  const environment = environmentOn(
    { ...factsOf(address), databaseHost: database && `${SOCKET_FOLDER}/${database.instance.connectionName}` },
    container,
  );
  const references = mergedReferences(secretSettings);
  const further = references === undefined ? undefined : { forEach: references, content: SECRET_ENTRY };
  addEntries(resource, `${templatePath}.containers.0`, environment, { further });
  mounts.forEach(({ mountOptions }, index) => {
    setNewerAttribute(resource, `${templatePath}.volumes.${index}.gcs.mount_options`, mountOptions);
  });

  if (attachment === undefined || !Token.isUnresolved(attachment.network)) return;
  const { egress = EGRESS, network, subnetwork, tags } = attachment;
  addOptionalBlock(resource, templatePath, "vpc_access", {
    when: isSet(network),
    content: { egress, network_interfaces: [{ network, subnetwork, tags }] },
  });
}

/** A variable that an instance reads at exactly this version when it starts. */
const SECRET_ENTRY = {
  name: "${env.key}",
  value_source: [{ secret_key_ref: [{ secret: "${env.value.secret_id}", version: "${env.value.version}" }] }],
};

/** Address of the application, and load balancers in front of it. */
function factsOf(address: LoadBalancerAddress | undefined) {
  if (address === undefined) return { loadBalancerRanges: LOAD_BALANCER_RANGES };
  const { domain, ipAddress, ipv6 } = address;
  // Google's load balancers append their own address to X-Forwarded-For.
  if (exprOf(domain).isSet().isLiteral) {
    const range = `${ipAddress}/32${ipv6?.nextRange ?? ""}`;
    return { loadBalancerRanges: [...LOAD_BALANCER_RANGES, range], baseUrl: `https://${domain}` };
  }
  const hasNone = exprOf(domain).isNull();
  const range = hasNone.choose("", interpolated`,${ipAddress}/32`).text;
  const nextRanges = namedText("load_balancer_ranges", `${range}${ipv6?.nextRange ?? ""}`);
  return {
    loadBalancerRanges: [`${LOAD_BALANCER_RANGES.join(",")}${nextRanges}`],
    optionalBaseUrl: hasNone.choose(null, interpolated`https://${domain}`).text,
  };
}

/** Only traffic to private addresses goes through the network. */
const EGRESS = "PRIVATE_RANGES_ONLY";
