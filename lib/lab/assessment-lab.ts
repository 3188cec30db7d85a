import { type ComputeFirewall } from "@cdktf/provider-google/lib/compute-firewall";
import { type ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { type ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { type PrivateKey } from "@cdktf/provider-tls/lib/private-key";
import { Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, attributesOf } from "../core/expr/attributes";
import { allOf, isUnset, not } from "../core/expr/conditions";
import { literal } from "../core/expr/expr";
import { flatten, one } from "../core/expr/functions";
import { named, namedValue } from "../core/expr/locals";
import { type FileTable, inFiles } from "../core/hcl/stack-origin";
import { valuesFrom } from "../core/inputs/inputs";
import { knownOf, type KnownPropsOf, propProblems, unknownNames } from "../core/inputs/known-props";
import { type Problem } from "../core/inputs/problem";
import { settingsOf, type ValuesOf } from "../core/inputs/value";
import { commonLabels } from "../core/labels";
import { type ProjectApis } from "../core/project-apis";
import { stateProvidersOf } from "../core/provider-requirements";
import { addAssessmentSource, type RegisteredSource } from "./assessment-source";
import { type addAwsInventory } from "./aws-inventory";
import { ASSESSMENT_CONSOLE_URL, type FirewallRuleName, LAB_USER } from "./contract";
import { addLabChecks } from "./lab-checks";
import { addLabFirewall, remoteDesktopSources, sourceRanges } from "./lab-firewall";
import { addDeploymentId, addDestroyNotice, addLabApis, type LabContext } from "./lab-foundation";
import { type AssessmentLabProps, LAB, LAB_RELATIONS } from "./lab-inputs";
import { addLabKey, type LabKey } from "./lab-key";
import { discoverySourceId, zoneOrDefault } from "./lab-names";
import { addLabNetwork, type LabNetwork } from "./lab-network";
import { addLinuxVms, addWindowsVm, type CommonVmProps, type LinuxVmsProps, type WindowsVmProps } from "./lab-vms";

/** Files of the folder in HCL, with the parts in each. */
const FILES: FileTable = {
  apis: ["APIs, which stay enabled after a destroy because others may use them; each is waited for", ["Apis"]],
  aws: ["The AWS user, which may only list, and the import of the inventory", ["Cloudb"]],
  key: ["The key pair of the Linux VMs, and the bucket for it", ["Key"]],
  machines: ["The Windows VM and the Linux VMs", ["LinuxVm", "WindowsVm"]],
  main: [
    "Names and labels that all parts have in common, and what a destroy says",
    ["DeploymentId", "Given", "RandomId", "SourceId", "SurvivorsAtDestroy", "Zone", "all_labels"],
  ],
  network: ["The network and its firewall rules", ["Firewall", "Vpc"]],
  source: ["The discovery source in Migration Center", ["Source"]],
};

/** Inputs that have props of other names in a program. */
const SPELLINGS = {
  cloudbAccessKeyId: "aws.accessKeyId",
  cloudbRegion: "aws.region",
  cloudbSecretAccessKey: "aws.secretAccessKey",
  rdpSourceRanges: "sourceRanges.rdp",
} as const;

const RANGES = { internal: "optional", ssh: "optional", rdp: "optional", icmp: "optional", http: "optional" } as const;

/** Props that are not inputs. */
const PROPS: KnownPropsOf<Omit<AssessmentLabProps, keyof typeof LAB>> = {
  apis: "optional",
  aws: {
    presence: "optional",
    members: { accessKeyId: "required", secretAccessKey: "required", region: "optional" },
  },
  sourceRanges: { presence: "optional", members: RANGES },
};

/**
 * A temporary lab for cloud migration discovery and assessment: a network, a Windows VM with the discovery client,
 * Linux VMs that it scans, and the SSH key with which it signs in to them. It registers the discovery source with
 * Migration Center and optionally imports instances from AWS; the data in Migration Center survives a destroy.
 *
 * Every VM is billed while it runs; the Windows VM also has a licence fee. No VM has a service account. The private key
 * is in the Terraform state: protect the state like the key. A stack and a project may have several labs; the stack
 * configures the providers google, random and tls.
 */
export class AssessmentLab extends Construct {
  /** Part of every name. */
  readonly deploymentId: string;

  /** Project of the lab. */
  readonly projectId: string;

  /** Name of the network, whether new or existing. */
  readonly vpcName: string;

  /** The new network, with a count of 0 if an existing one is used. */
  readonly network: ComputeNetwork;

  /** The rules, by name, each with a count. */
  readonly firewallRules: Readonly<Record<FirewallRuleName, ComputeFirewall>>;

  /** The Windows VM, with a count. */
  readonly windowsVm: ComputeInstance;

  /** The Linux VMs, as one resource with a count. */
  readonly linuxVms: ComputeInstance;

  /** The key pair of the Linux VMs; its private half is in the state. */
  readonly sshKey: PrivateKey;

  /** The bucket of the private key, with a count. */
  readonly sshKeyBucket: StorageBucket;

  /** Null when the private key is only in the state. */
  readonly sshKeyBucketName: string;

  /** Terraform address of the key pair, to be replaced to rotate the key. */
  readonly sshKeyAddress: string;

  /** User name that goes with the private key. */
  readonly sshKeyUser: string = LAB_USER;

  /** Name to type into the discovery client. */
  readonly assessDiscoveryClientName: string;

  /** Id of the registered discovery source; null when none is registered. */
  readonly assessSourceId: string;

  /** ARN of the read-only AWS user; null when there is none. */
  readonly awsUserArn: string;

  constructor(scope: Construct, id: string, props: AssessmentLabProps) {
    super(scope, id);
    stateProvidersOf(this);
    const values = labValues(this, props);
    const context = addLabContext(this, props, values);
    const apis = props.apis ?? addLabApis(this, context, values.createSshKeyBucket.flag);
    const lab: Lab = { apis, context, props, values };

    const network = this.addNetwork(lab);
    this.firewallRules = this.addFirewall(lab, network);
    const key = this.addKey(lab);
    const source = this.addSource(lab);
    this.awsUserArn = this.addAwsUser(lab, source);
    const vms = this.vmProps(lab, network);
    this.windowsVm = this.addWindowsVm(lab, { ...vms, dependsOn: network.ready });
    this.linuxVms = this.addLinuxVms(lab, { ...vms, publicKey: key.publicKey });

    this.projectId = context.projectId;
    this.deploymentId = context.deploymentId;
    this.network = network.network;
    this.vpcName = network.vpcName;
    this.sshKey = key.keyPair;
    this.sshKeyBucket = key.bucket;
    this.sshKeyBucketName = key.bucketName;
    this.sshKeyAddress = key.address;
    this.assessDiscoveryClientName = values.assessDiscoveryClientName.text;
    this.assessSourceId = source.sourceId;

    addLabChecks(this, values, props);
    inFiles(this, FILES);
  }

  /** Name of the Windows VM; null when there is none. */
  get windowsVmName(): string {
    return attributeOf(this.windowsVm, "name").text;
  }

  /** Public address for remote desktop; null when there is none. */
  get windowsVmExternalIp(): string {
    const addresses = "network_interface[0].access_config[*].nat_ip";
    return one(flatten(attributesOf<readonly string[]>(this.windowsVm, addresses))).text;
  }

  /** Names of the Linux VMs. */
  get linuxVmNames(): string[] {
    return attributesOf(this.linuxVms, "name").list;
  }

  /** Private addresses of the Linux VMs, the scan targets of the discovery client. */
  get linuxVmInternalIps(): string[] {
    return attributesOf(this.linuxVms, "network_interface[0].network_ip").list;
  }

  /** URL of Migration Center in the console. */
  get assessmentServiceUrl(): string {
    return `${ASSESSMENT_CONSOLE_URL}?project=${this.projectId}`;
  }

  private addNetwork({ apis, context, props, values }: Lab): LabNetwork {
    return addLabNetwork(this, "Vpc", {
      ...context,
      givenDeploymentId: props.deploymentId,
      create: values.createVpc.flag,
      existing: settingsOf(values).network,
      needsNat: allOf(values.createWindowsVm, not(values.windowsExternalIp)),
      dependsOn: apis.ready("compute"),
    });
  }

  private addFirewall({ context, props, values }: Lab, { networkId }: LabNetwork) {
    const rdp = remoteDesktopSources(values.rdpSourceRanges, values.windowsExternalIp);
    return addLabFirewall(this, "Firewall", {
      ...context,
      networkId,
      isOwn: isUnset(settingsOf(values).network),
      createDefaultRules: values.createDefaultFirewallRules.flag,
      logsConnections: values.firewallLogging,
      sourceRanges: sourceRanges(values.internalTrafficCidr.text, { ...props.sourceRanges, rdp }),
    });
  }

  private addKey({ apis, context, values }: Lab): LabKey {
    return addLabKey(this, "Key", {
      ...context,
      createBucket: values.createSshKeyBucket.flag,
      kmsKey: settingsOf(values).kmsKey,
      dependsOn: apis.ready("storage"),
    });
  }

  private addSource({ apis, context, values }: Lab): RegisteredSource {
    return addAssessmentSource(this, "Source", {
      ...context,
      clientName: values.assessDiscoveryClientName.text,
      dependsOn: [...context.outlivedBy, ...apis.ready("migrationcenter")],
    });
  }

  /** @returns ARN of the user; null without AWS */
  private addAwsUser({ context, props: { aws } }: Lab, { generation, ready }: RegisteredSource): string {
    if (aws === undefined || !Token.isUnresolved(aws.accessKeyId) || context.usesAssessment === false)
      return literal(null).text;
    const inventory = { ...context, aws, sourceGeneration: generation, dependsOn: ready };
    return awsModule().addAwsInventory(this, "Cloudb", inventory);
  }

  /** Arguments that the Windows VM and the Linux VMs share. */
  private vmProps({ context, values }: Lab, { networkId }: LabNetwork): CommonVmProps {
    const { imageProject, kmsKey, subnetwork } = settingsOf(values);
    const { networkTags, serialPortLogging } = values;
    const zone = named(this, "Zone", zoneOrDefault(values.zone, values.region)).text;
    return { ...context, imageProject, kmsKey, networkId, networkTags, serialPortLogging, subnetwork, zone };
  }

  private addWindowsVm({ values }: Lab, vm: VmPropsWith<"dependsOn">): ComputeInstance {
    return addWindowsVm(this, "WindowsVm", {
      ...vm,
      create: values.createWindowsVm.flag,
      machineType: values.windowsVmMachineType.text,
      bootDiskSizeGb: values.windowsVmBootDiskSizeGb.number,
      hasPublicAddress: values.windowsExternalIp,
      windowsPassword: values.windowsPassword.text,
    });
  }

  private addLinuxVms({ values }: Lab, vm: VmPropsWith<"publicKey">): ComputeInstance {
    return addLinuxVms(this, "LinuxVm", {
      ...vm,
      vmCount: values.linuxVmCount.number,
      machineType: values.linuxVmMachineType.text,
      bootDiskSizeGb: values.linuxVmBootDiskSizeGb.number,
      osLogin: values.osLogin,
    });
  }
}

/** Inputs and context of the parts of a lab. */
interface Lab {
  readonly apis: ProjectApis;
  readonly context: LabContext;
  readonly props: AssessmentLabProps;
  readonly values: LabValues;
}

type LabValues = ValuesOf<typeof LAB>;

/** Arguments that both kinds of VMs share, and an argument of only one kind. */
type VmPropsWith<Name extends "dependsOn" | "publicKey"> = CommonVmProps & Pick<WindowsVmProps & LinuxVmsProps, Name>;

/** The props as values of the inputs, checked. */
function labValues(scope: Construct, props: AssessmentLabProps): LabValues {
  // An untyped program may pass no props; the check then reports what is missing.
  const { aws, sourceRanges: ranges } = (props as AssessmentLabProps | undefined) ?? {};
  const given = {
    ...props,
    cloudbAccessKeyId: aws?.accessKeyId,
    cloudbSecretAccessKey: aws?.secretAccessKey,
    cloudbRegion: aws?.region,
    rdpSourceRanges: ranges?.rdp,
  };
  return valuesFrom(scope, LAB, given, LAB_RELATIONS, otherProblems(props), SPELLINGS);
}

function addLabContext(scope: Construct, props: AssessmentLabProps, v: LabValues): LabContext {
  const deploymentId = addDeploymentId(scope, props.deploymentId);
  const context = {
    deploymentId,
    projectId: v.projectId.text,
    region: v.region.text,
    labels: commonLabels(scope, { "assessment-lab": deploymentId }, v.labels.map),
    sourceId: namedValue(scope, "SourceId", discoverySourceId(v.assessDiscoveryClientName.text)),
    usesAssessment: v.initializeAssessmentService.flag,
  };
  return { ...context, outlivedBy: addDestroyNotice(scope, context) };
}

/** The AWS bindings are large and an optional peer dependency, so a lab without AWS must not load them. */
function awsModule(): { readonly addAwsInventory: typeof addAwsInventory } {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import statement would load them always
  return require("./aws-inventory") as ReturnType<typeof awsModule>;
}

/** Problems of props that are not inputs, and of unknown names. */
function otherProblems(props: object | undefined): Problem[] {
  const names = Object.keys(LAB).filter((name) => !(name in SPELLINGS));
  const own = propProblems(knownOf(props, Object.keys(PROPS)), PROPS);
  return [...unknownNames(props ?? {}, [...names, ...Object.keys(PROPS)]), ...own];
}
