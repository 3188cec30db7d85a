/** Every fixed fact of the assessment lab, each once. */

/** Signs in to the Windows host and to the Linux targets; at most 20 characters, the longest local name of Windows. */
export const LAB_USER = "lab-user";

/**
 * Password of the lab user on the Windows host, the same in every lab: the lab is thrown away after the session.
 *
 * Windows wants three of four kinds of characters, and no name of the user in it.
 */
export const LAB_PASSWORD = "Throw-Away-2022!";

/** Object of the key bucket, and the file that the discovery client loads. */
export const SSH_KEY_OBJECT_NAME = "lab-ssh-key.pem";

/** Name of the SSH credential in the discovery client. */
export const SSH_CREDENTIAL_NAME = "Lab-key";

/** Package of the discovery client; the console offers the same file for download. */
export const DISCOVERY_CLIENT_PACKAGE_URL = "https://storage.googleapis.com/mcdc-release/current/windows/mcdc.msi";

/** Service that the package of the discovery client installs. */
export const DISCOVERY_CLIENT_SERVICE = "GoogleMCDC";

/** Local group of those who may use the discovery client. */
export const DISCOVERY_CLIENT_GROUP = "MCDCUsers";

/** Enterprise package of the browser: unlike the ordinary installer, it ends when the browser is installed. */
export const BROWSER_PACKAGE_URL = "https://dl.google.com/dl/chrome/install/googlechromestandaloneenterprise64.msi";

/** Organization in the certificate with which both packages are signed. */
export const PACKAGE_PUBLISHER = "Google LLC";

/** Archive with sample tables of a cloud B inventory; unpacks to a folder of the same name. */
export const SAMPLE_IMPORT_NAME = "vm-aws-import-files";

/** Columns of the tables of a cloud B import, exactly as the assessment service reads them, by name of the file. */
export const CLOUDB_IMPORT_COLUMNS = {
  vmInfo: [
    "MachineId",
    "MachineName",
    "PrimaryIPAddress",
    "PrimaryMACAddress",
    "PublicIPAddress",
    "IpAddressListSemiColonDelimited",
    "TotalDiskAllocatedGiB",
    "TotalDiskUsedGiB",
    "MachineTypeLabel",
    "AllocatedProcessorCoreCount",
    "MemoryGiB",
    "HostingLocation",
    "OsType",
    "OsPublisher",
    "OsName",
    "OsVersion",
    "MachineStatus",
    "ProvisioningState",
    "CreateDate",
    "IsPhysical",
    "Source",
  ],
  diskInfo: ["MachineId", "DiskLabel", "SizeInGib", "UsedInGib", "StorageTypeLabel"],
  tagInfo: ["MachineId", "Key", "Value"],
  perfInfo: [
    "MachineId",
    "TimeStamp",
    "CpuUtilizationPercentage",
    "MemoryUtilizationPercentage",
    "AvailableMemoryBytes",
    "DiskReadOperationsPerSec",
    "DiskWriteOperationsPerSec",
    "NetworkBytesPerSecSent",
    "NetworkBytesPerSecReceived",
  ],
} as const;
