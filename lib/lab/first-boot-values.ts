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
  WINDOWS_PASSWORDS,
} from "./contract";
import { sampleImportFiles } from "./sample-import";

/**
 * Values for the start-up scripts. Each VM has them as one JSON object under a metadata key, from which its script
 * reads them: they are never inserted into a script, so no value can be executed as code.
 */

/** Metadata key of the JSON object. */
export const FIRST_BOOT_VALUES_KEY = "assessment-lab";

/** The scripts, relative to the package root, and the metadata keys from which the VM runs them at every boot. */
export const WINDOWS_FIRST_BOOT = {
  metadataKey: "windows-startup-script-ps1",
  script: "lib/lab/scripts/windows-first-boot.ps1",
} as const;
export const LINUX_FIRST_BOOT = {
  metadataKey: "startup-script",
  script: "lib/lab/scripts/linux-first-boot.sh",
} as const;

/** The JSON object of the Windows VM. */
interface WindowsFirstBootValues {
  readonly labUser: string;

  /** Password of the lab user; null if the VM generates one and does not store it. */
  readonly labPassword: string | null;

  readonly browserPackageUrl: string;
  readonly discoveryClientPackageUrl: string;
  readonly discoveryClientService: string;
  readonly discoveryClientGroup: string;

  /** Organization that must have signed both installers. */
  readonly packagePublisher: string;

  /** Archive for the Downloads folders, without its extension, and the files in it by name. */
  readonly sampleImportName: string;
  readonly sampleImportFiles: Readonly<Record<string, string>>;
}

/** The JSON object of a Linux VM. */
interface LinuxFirstBootValues {
  readonly labUser: string;

  /** One `authorized_keys` line. */
  readonly sshPublicKey: string;
}

/** Password of the lab user for the caller's choice; null if it is generated on the VM. */
export function labPassword(choice: string = WINDOWS_PASSWORDS[0]): string {
  if (Token.isUnresolved(choice)) return expression(`(${choice} == "unknown" ? null : "${LAB_PASSWORD}")`);
  return choice === "unknown" ? expression("null") : LAB_PASSWORD;
}

/** Values that the Windows VM reads at its first boot. */
export function windowsFirstBootValues(password: string | null): WindowsFirstBootValues {
  return {
    labUser: LAB_USER,
    labPassword: password,
    browserPackageUrl: BROWSER_PACKAGE_URL,
    discoveryClientPackageUrl: DISCOVERY_CLIENT_PACKAGE_URL,
    discoveryClientService: DISCOVERY_CLIENT_SERVICE,
    discoveryClientGroup: DISCOVERY_CLIENT_GROUP,
    packagePublisher: PACKAGE_PUBLISHER,
    sampleImportName: SAMPLE_IMPORT_NAME,
    sampleImportFiles: sampleImportFiles(),
  };
}

/** Values that a Linux VM reads at every boot. */
export function linuxFirstBootValues(sshPublicKey: string): LinuxFirstBootValues {
  return { labUser: LAB_USER, sshPublicKey };
}
