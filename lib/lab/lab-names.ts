/** Every name formula of the lab. They take literals and Terraform expressions alike. */

/** What an expression, or a person, must make of a deployment id. */
export const DEPLOYMENT_ID_PATTERN = "^[a-z0-9]{1,8}$";

/** Bytes of a generated deployment id: 8 hexadecimal digits. */
export const DEPLOYMENT_ID_BYTES = 4;

/**
 * A Windows computer name holds 15 characters, and the image cuts the host's name there. With an id of 7 characters the
 * cut would leave a hyphen at the end, which is no legal name; with up to 8 the whole id is in it.
 */
export const COMPUTER_NAME_MAX_LENGTH = 15;
export const ILLEGAL_DEPLOYMENT_ID_LENGTH = COMPUTER_NAME_MAX_LENGTH - "assess-".length - "-".length;

/** `assess-<id>-<rest>`. */
export function labName(deploymentId: string, rest: string): string {
  return `assess-${deploymentId}-${rest}`;
}

/** `assess-<id>-vpc`. */
export function vpcName(deploymentId: string): string {
  return labName(deploymentId, "vpc");
}

/** `assess-<id>-winvm01`. */
export function windowsVmName(deploymentId: string): string {
  return labName(deploymentId, "winvm01");
}

/** `assess-<id>-linvm-`, to which each target adds its number from 1 on. */
export function linuxVmNamePrefix(deploymentId: string): string {
  return labName(deploymentId, "linvm-");
}

/** `assess-<id>-keys`. */
export function keyBucketName(deploymentId: string): string {
  return labName(deploymentId, "keys");
}

/** `assess-discovery-<id>`. */
export function cloudbUserName(deploymentId: string): string {
  return `assess-discovery-${deploymentId}`;
}
