import { type IResolvable } from "cdktf";

import { type ProjectApis } from "../core/project-apis";
import { type FirewallSourceRanges } from "./lab-firewall";

/**
 * Bootstrap credentials of AWS: they create the read-only user that lists instances, and do nothing else.
 *
 * They must be inputs: literals would be in the synthesized folder.
 */
export interface AwsCredentials {
  /** Id of an access key; an empty one that only Terraform knows means no AWS. */
  readonly accessKeyId: string;

  /** Secret of that access key. */
  readonly secretAccessKey: string;

  /**
   * Region whose instances are imported.
   *
   * @default "us-east-1"
   */
  readonly region?: string;
}

export interface AssessmentLabProps {
  /** Project that everything goes into; it must exist and have billing. Another project is another lab. */
  readonly projectId: string;

  /**
   * Services of the project, with `compute`, `storage`, `iam` and `migrationcenter`; for several labs in one stack.
   *
   * @default - the lab enables what it needs
   */
  readonly apis?: ProjectApis;

  /**
   * Display name of the discovery source, 1 to 63 characters. The discovery client must be given the same at sign-in,
   * capitals included.
   *
   * @default "assess-discovery-client"
   */
  readonly assessDiscoveryClientName?: string;

  /**
   * AWS, whose instances are imported. Needs the package `@cdktf/provider-aws`, which a lab without AWS does not load.
   *
   * @default - none, and no call to it
   */
  readonly aws?: AwsCredentials;

  /**
   * Creates the four firewall rules for traffic between the VMs, SSH, remote desktop and ICMP; `allow-http` is always
   * created.
   *
   * @default true
   */
  readonly createDefaultFirewallRules?: boolean | IResolvable;

  /**
   * Stores the private key in a private bucket; otherwise it is in the Terraform state alone.
   *
   * @default true
   */
  readonly createSshKeyBucket?: boolean | IResolvable;

  /**
   * Creates the network. False uses the existing auto-mode network `assess-<id>-vpc` of the project and needs
   * `deploymentId`; the Compute Engine API must already be on, because the plan asks it for the network.
   *
   * @default true
   */
  readonly createVpc?: boolean | IResolvable;

  /**
   * Creates the Windows VM, which runs the discovery client.
   *
   * @default true
   */
  readonly createWindowsVm?: boolean | IResolvable;

  /**
   * Part of every name: up to 8 lower-case letters and digits, but not 7. A null that only Terraform knows means random.
   * The name of the bucket, `assess-<id>-keys`, must be free: bucket names are global.
   * Changing it later replaces everything.
   *
   * @default - 8 random hexadecimal digits
   */
  readonly deploymentId?: string;

  /**
   * Prepares Migration Center in the region and registers the discovery source. Both survive a destroy.
   *
   * @default true
   */
  readonly initializeAssessmentService?: boolean | IResolvable;

  /**
   * Private addresses from which the VMs can be reached on every port.
   *
   * @default "10.128.0.0/9", the range of auto-mode networks
   */
  readonly internalTrafficCidr?: string;

  /**
   * Boot disk of each Linux VM in GB, from 10. It can be raised later, in place, and not lowered.
   *
   * @default 20
   */
  readonly linuxVmBootDiskSizeGb?: number;

  /**
   * Number of Linux VMs, the scan targets. Raising or lowering it later touches no other VM.
   *
   * @default 3
   */
  readonly linuxVmCount?: number;

  /**
   * Machine type of the Linux VMs, of a family with x86 processors. Changing it later stops and starts them.
   *
   * @default "e2-medium"
   */
  readonly linuxVmMachineType?: string;

  /**
   * Region of the lab and, permanently, of the project's assessment data.
   *
   * @default "us-central1"
   */
  readonly region?: string;

  /**
   * Source ranges by firewall rule; what is left out keeps its default.
   *
   * @default - `internal` and `http`: the internal range; `ssh`: the identity-aware proxy; `icmp`: both; `rdp`: any address
   */
  readonly sourceRanges?: Partial<FirewallSourceRanges>;

  /**
   * Password of the lab user on the Windows VM: `fixed` is the same in every lab, and in the VM's metadata; `unknown` is
   * generated on the VM at its first boot and not stored, so one must be set with `gcloud compute reset-windows-password`
   * before the first sign-in. It is read when the VM is created; changing it later changes no password.
   *
   * @default "fixed"
   */
  readonly windowsPassword?: string;

  /**
   * Boot disk of the Windows VM in GB, from 50. It can be raised later, in place, and not lowered.
   *
   * @default 50
   */
  readonly windowsVmBootDiskSizeGb?: number;

  /**
   * Machine type of the Windows VM, of a family with x86 processors. Changing it later stops and starts it.
   *
   * @default "e2-medium"
   */
  readonly windowsVmMachineType?: string;

  /**
   * Zone of all VMs, in the region.
   *
   * @default - "us-central1-a" in the default region, zone b in any other
   */
  readonly zone?: string;
}
