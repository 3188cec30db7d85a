import { type IResolvable } from "cdktf";

import { type ProjectApis } from "../core/project-apis";
import { type FirewallSourceRanges } from "./lab-firewall";

/**
 * AWS bootstrap credentials, used only to create the read-only user that lists instances.
 *
 * They must be inputs: literals would be in the synthesized folder.
 */
export interface AwsCredentials {
  /** Id of an access key; an empty value known only to Terraform means no AWS. */
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
  /** Project of all resources; it must exist and have billing enabled. Another project is another lab. */
  readonly projectId: string;

  /**
   * APIs of the project, including `compute`, `storage`, `iam` and `migrationcenter`; for several labs in one stack.
   *
   * @default - the lab enables the APIs that it needs
   */
  readonly apis?: ProjectApis;

  /**
   * Display name of the discovery source, 1 to 63 characters. Users must type exactly this name into the discovery
   * client at sign-in; it is case-sensitive.
   *
   * @default "assess-discovery-client"
   */
  readonly assessDiscoveryClientName?: string;

  /**
   * AWS account from which instances are imported. Needs the package `@cdktf/provider-aws`, which a lab without AWS
   * does not load.
   *
   * @default - none, and AWS is not called
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
   * Stores the private key in a private bucket; otherwise it is only in the Terraform state.
   *
   * @default true
   */
  readonly createSshKeyBucket?: boolean | IResolvable;

  /**
   * Creates the network. False uses the project's existing auto-mode network `assess-<id>-vpc` and needs
   * `deploymentId`; the Compute Engine API must already be enabled, because the network is looked up at plan.
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
   * Part of every name: up to 8 lower-case letters and digits, but not 7. A null known only to Terraform means random.
   * The bucket name `assess-<id>-keys` must be available, because bucket names are global. Changing it later replaces
   * everything.
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
   * Private address range from which the VMs can be reached on every port.
   *
   * @default "10.128.0.0/9", the range of auto-mode networks
   */
  readonly internalTrafficCidr?: string;

  /**
   * Labels on all resources that support them, in addition to `assessment-lab`, which is the deployment id.
   *
   * @default - only this one
   */
  readonly labels?: Record<string, string> | IResolvable;

  /**
   * Boot disk of each Linux VM in GB, at least 10. It can be increased later in place, but not decreased.
   *
   * @default 20
   */
  readonly linuxVmBootDiskSizeGb?: number;

  /**
   * Number of Linux VMs, the scan targets. Changing it later does not affect the other VMs.
   *
   * @default 3
   */
  readonly linuxVmCount?: number;

  /**
   * Machine type of the Linux VMs, from a family with x86 processors. Changing it later stops and starts them.
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
   * Source ranges by firewall rule; omitted rules keep their default.
   *
   * @default - `internal` and `http`: the internal range; `ssh`: the identity-aware proxy; `icmp`: both; `rdp`: any
   * address
   */
  readonly sourceRanges?: Partial<FirewallSourceRanges>;

  /**
   * Password of the lab user on the Windows VM: `fixed` is the same in every lab, and is in the VM's metadata;
   * `unknown` is generated on the VM at its first boot and not stored, so reset it before the first sign-in with
   * `gcloud compute reset-windows-password`. It takes effect when the VM is created; changing it later changes no
   * password.
   *
   * @default "fixed"
   */
  readonly windowsPassword?: string;

  /**
   * Boot disk of the Windows VM in GB, at least 50. It can be increased later in place, but not decreased.
   *
   * @default 50
   */
  readonly windowsVmBootDiskSizeGb?: number;

  /**
   * Machine type of the Windows VM, from a family with x86 processors. Changing it later stops and starts it.
   *
   * @default "e2-medium"
   */
  readonly windowsVmMachineType?: string;

  /**
   * Zone of all VMs, within the region.
   *
   * @default - "us-central1-a" in the default region, zone b in any other
   */
  readonly zone?: string;
}
