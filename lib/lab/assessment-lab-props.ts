import { type IResolvable } from "cdktf";

import { type ProjectApis } from "../core/project-apis";
import { type FirewallSourceRanges } from "./lab-firewall";

/** Bootstrap credentials of cloud B: they create the read-only user that lists instances, and do nothing else. */
export interface CloudBCredentials {
  /** Id of an access key; an empty one that only Terraform knows means that there is no cloud B. */
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
   * Cloud B, whose instances are imported.
   *
   * @default - none, and no call to it
   */
  readonly cloudB?: CloudBCredentials;

  /**
   * Creates the four rules that let hosts reach each other and people reach the hosts; `allow-http` is created always.
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
   * Creates the network. False takes the auto-mode network `assess-<id>-vpc` of the project, which must exist, and needs
   * `deploymentId`; the Compute Engine API must be on before, because the plan asks it for the network.
   *
   * @default true
   */
  readonly createVpc?: boolean | IResolvable;

  /**
   * Creates the Windows host, which runs the discovery client.
   *
   * @default true
   */
  readonly createWindowsVm?: boolean | IResolvable;

  /**
   * Part of every name: up to 8 lower-case letters and digits, but not 7. A null that only Terraform knows means random.
   * The bucket `assess-<id>-keys` must be free among the buckets of everybody.
   * Changing it later replaces everything.
   *
   * @default - 8 random hexadecimal digits
   */
  readonly deploymentId?: string;

  /**
   * Prepares the assessment service in the region and registers the discovery source. Both survive a destroy.
   *
   * @default true
   */
  readonly initializeAssessmentService?: boolean | IResolvable;

  /**
   * Private addresses that may reach the hosts on every port.
   *
   * @default "10.128.0.0/9", the range of auto-mode networks
   */
  readonly internalTrafficCidr?: string;

  /**
   * Boot disk of each Linux target in GB, from 10. It can be raised later, in place, and not lowered.
   *
   * @default 20
   */
  readonly linuxVmBootDiskSizeGb?: number;

  /**
   * Number of Linux targets. Raising or lowering it later touches no other host.
   *
   * @default 3
   */
  readonly linuxVmCount?: number;

  /**
   * Machine type of the Linux targets, of a family with x86 processors. Changing it later stops and starts them.
   *
   * @default "e2-medium"
   */
  readonly linuxVmMachineType?: string;

  /**
   * Region of the lab, and for ever that of the project's assessment data.
   *
   * @default "us-central1"
   */
  readonly region?: string;

  /**
   * Where connections may come from, by firewall rule; what is left out keeps its default.
   *
   * @default - `internal` and `http`: the internal range; `ssh`: the identity-aware proxy; `icmp`: both; `rdp`: everywhere
   */
  readonly sourceRanges?: Partial<FirewallSourceRanges>;

  /**
   * Password of the lab user on the Windows host: `fixed` is the same in every lab, and in the host's metadata; `unknown`
   * is made on the host at its first boot and kept nowhere, so that `gcloud compute reset-windows-password` must set one
   * before somebody signs in. It is read when the host is made; changing it later changes no password.
   *
   * @default "fixed"
   */
  readonly windowsPassword?: string;

  /**
   * Boot disk of the Windows host in GB, from 50. It can be raised later, in place, and not lowered.
   *
   * @default 50
   */
  readonly windowsVmBootDiskSizeGb?: number;

  /**
   * Machine type of the Windows host, of a family with x86 processors. Changing it later stops and starts it.
   *
   * @default "e2-medium"
   */
  readonly windowsVmMachineType?: string;

  /**
   * Zone of all hosts, in the region.
   *
   * @default - "us-central1-a" in the default region, zone b in any other
   */
  readonly zone?: string;
}
