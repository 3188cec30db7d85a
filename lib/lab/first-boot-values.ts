import { Token } from "cdktf";

import { expression } from "../core/expression";
import {
  BROWSER_PACKAGE_URL,
  DISCOVERY_CLIENT_GROUP,
  DISCOVERY_CLIENT_PACKAGE_URL,
  DISCOVERY_CLIENT_SERVICE,
  LAB_PASSWORD,
  LAB_USER,
  PACKAGE_PUBLISHER,
  SAMPLE_IMPORT_NAME,
  SSH_CREDENTIAL_NAME,
  SSH_KEY_OBJECT_NAME,
  WINDOWS_PASSWORDS,
} from "./contract";
import { sampleImportFiles } from "./sample-import";

/**
 * What the start-up scripts are told. Each VM carries one JSON object under one metadata key, and its script reads it
 * there: a value is never part of the text of a script, so no character in it can become code.
 */

/** Metadata key of the JSON object. */
export const FIRST_BOOT_VALUES_KEY = "assessment-lab";

/** The scripts, from the root of the package, and the metadata keys under which the platform runs them at every boot. */
export const WINDOWS_FIRST_BOOT = {
  metadataKey: "windows-startup-script-ps1",
  script: "lib/lab/scripts/windows-first-boot.ps1",
} as const;
export const LINUX_FIRST_BOOT = {
  metadataKey: "startup-script",
  script: "lib/lab/scripts/linux-first-boot.sh",
} as const;

/** What differs from lab to lab on the Windows VM. Every string may be a Terraform expression. */
export interface WindowsVmFacts {
  /** Password of the lab user; null for one that the VM generates and does not store. */
  readonly labPassword: string | null;

  readonly projectId: string;

  /** Region of the assessment service: the console must be given the same one. */
  readonly region: string;

  /** Name that the user types into the discovery client, exactly as it is. */
  readonly discoveryClientName: string;

  /** Bucket with the private key; null when the key is in the Terraform state alone. */
  readonly sshKeyBucketName: string | null;

  /** Range of the lab's private addresses. */
  readonly internalTrafficCidr: string;

  /**
   * Name of the Linux VMs without their number, for example `assess-0a1b2c3d-linvm-`: unlike their addresses it does
   * not change with their count, so that raising the count does not touch this VM.
   */
  readonly linuxVmNamePrefix: string;

  /** Address of the assessment service in the console. */
  readonly assessmentServiceUrl: string;
}

/** The JSON object of the Windows VM. */
interface WindowsFirstBootValues extends WindowsVmFacts {
  readonly labUser: string;
  readonly sshKeyObjectName: string;
  readonly sshCredentialName: string;
  readonly browserPackageUrl: string;
  readonly discoveryClientPackageUrl: string;
  readonly discoveryClientService: string;
  readonly discoveryClientGroup: string;

  /** Organization that must have signed both packages. */
  readonly packagePublisher: string;

  /** Archive for the Downloads folders, without the ending, and the files in it by name. */
  readonly sampleImportName: string;
  readonly sampleImportFiles: Readonly<Record<string, string>>;
}

/** The JSON object of a Linux VM. */
interface LinuxFirstBootValues {
  readonly labUser: string;

  /** One line as in `authorized_keys`. */
  readonly sshPublicKey: string;
}

/** Password of the lab user by the choice of the caller; null for one that is generated on the VM. */
export function labPassword(choice: string = WINDOWS_PASSWORDS[0]): string {
  if (Token.isUnresolved(choice)) return expression(`(${choice} == "unknown" ? null : "${LAB_PASSWORD}")`);
  return choice === "unknown" ? expression("null") : LAB_PASSWORD;
}

/** What the Windows VM reads at its first boot. */
export function windowsFirstBootValues(facts: WindowsVmFacts): WindowsFirstBootValues {
  return {
    ...facts,
    labUser: LAB_USER,
    sshKeyObjectName: SSH_KEY_OBJECT_NAME,
    sshCredentialName: SSH_CREDENTIAL_NAME,
    browserPackageUrl: BROWSER_PACKAGE_URL,
    discoveryClientPackageUrl: DISCOVERY_CLIENT_PACKAGE_URL,
    discoveryClientService: DISCOVERY_CLIENT_SERVICE,
    discoveryClientGroup: DISCOVERY_CLIENT_GROUP,
    packagePublisher: PACKAGE_PUBLISHER,
    sampleImportName: SAMPLE_IMPORT_NAME,
    sampleImportFiles: sampleImportFiles(),
  };
}

/** What a Linux VM reads at its boots. */
export function linuxFirstBootValues(sshPublicKey: string): LinuxFirstBootValues {
  return { labUser: LAB_USER, sshPublicKey };
}
