import { type ComputeFirewall } from "@cdktf/provider-google/lib/compute-firewall";
import { type ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { type ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { type PrivateKey } from "@cdktf/provider-tls/lib/private-key";
import { Token } from "cdktf";
import { Construct } from "constructs";

import { allOf, attributeOf, attributesOf, isUnset, not } from "../core/expr/conditional";
import { literal } from "../core/expr/expr";
import { named, namedValue } from "../core/expr/expression";
import { flatten, one } from "../core/expr/functions";
import { type FileTable, inFiles } from "../core/hcl/stack-origin";
import { valuesFrom } from "../core/inputs/inputs";
import { knownOf, type KnownPropsOf, propProblems, unknownNames } from "../core/inputs/known-props";
import { type Problem } from "../core/inputs/problem";
import { settingsOf } from "../core/inputs/value";
import { commonLabels } from "../core/labels";
import { stateProvidersOf } from "../core/provider-requirements";
import { addAssessmentSource } from "./assessment-source";
import { type addAwsInventory } from "./aws-inventory";
import { ASSESSMENT_CONSOLE_URL, type FirewallRuleName, LAB_USER } from "./contract";
import { addLabChecks } from "./lab-checks";
import { addLabFirewall, sourceRanges } from "./lab-firewall";
import { addDeploymentId, addDestroyNotice, addLabApis } from "./lab-foundation";
import { type AssessmentLabProps, LAB, LAB_RELATIONS } from "./lab-inputs";
import { addLabKey } from "./lab-key";
import { addLabLandingZone, rdpSources } from "./lab-landing-zone";
import { discoverySourceId, zoneOrDefault } from "./lab-names";
import { addLabNetwork } from "./lab-network";
import { addLinuxVms, addWindowsVm } from "./lab-vms";

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

/** Inputs that are props of other names in a program. */
const SPELLINGS = {
  cloudbAccessKeyId: "aws.accessKeyId",
  cloudbRegion: "aws.region",
  cloudbSecretAccessKey: "aws.secretAccessKey",
  rdpSourceRanges: "sourceRanges.rdp",
} as const;

const RANGES = { internal: "optional", ssh: "optional", rdp: "optional", icmp: "optional", http: "optional" } as const;

/** Props that are no inputs. */
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
 * Every VM is billed while it runs, the Windows VM with a licence in addition. No VM has a service account. The private
 * key is in the Terraform state: protect the state like the key. A stack and a project may have several labs; the stack
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

  /** Null when there is no Windows VM. */
  readonly windowsVmName: string;

  /** Public address for remote desktop; null when there is none. */
  readonly windowsVmExternalIp: string;

  /** Names of the Linux VMs. */
  readonly linuxVmNames: string[];

  /** Private addresses of the Linux VMs, the scan targets of the discovery client. */
  readonly linuxVmInternalIps: string[];

  /** Null when the private key is only in the state. */
  readonly sshKeyBucketName: string;

  /** Terraform address of the key pair, to be replaced to rotate the key. */
  readonly sshKeyAddress: string;

  /** User name that goes with the private key. */
  readonly sshKeyUser: string;

  /** Name to type into the discovery client. */
  readonly assessDiscoveryClientName: string;

  /** URL of Migration Center in the console. */
  readonly assessmentServiceUrl: string;

  /** Id of the registered discovery source; null when none is registered. */
  readonly assessSourceId: string;

  /** ARN of the read-only AWS user; null when there is none. */
  readonly awsUserArn: string;

  constructor(scope: Construct, id: string, props: AssessmentLabProps) {
    super(scope, id);
    stateProvidersOf(this);
    const { aws: credentials, sourceRanges: ranges } = (props as AssessmentLabProps | undefined) ?? {};
    const given = {
      ...props,
      cloudbAccessKeyId: credentials?.accessKeyId,
      cloudbSecretAccessKey: credentials?.secretAccessKey,
      cloudbRegion: credentials?.region,
      rdpSourceRanges: ranges?.rdp,
    };
    const v = valuesFrom(this, LAB, given, LAB_RELATIONS, otherProblems(props), SPELLINGS);

    const createBucket = v.createSshKeyBucket.flag;
    const { network: existing } = settingsOf(v);
    const usesAssessment = v.initializeAssessmentService.flag;
    const clientName = v.assessDiscoveryClientName.text;
    const deploymentId = addDeploymentId(this, props.deploymentId);
    const context = {
      deploymentId,
      projectId: v.projectId.text,
      region: v.region.text,
      labels: commonLabels(this, { "assessment-lab": deploymentId }, v.labels.map),
      sourceId: namedValue(this, "SourceId", discoverySourceId(clientName)),
      usesAssessment,
    };

    const lab = { ...context, outlivedBy: addDestroyNotice(this, context) };
    const apis = props.apis ?? addLabApis(this, lab, createBucket);
    const network = addLabNetwork(this, "Vpc", {
      ...lab,
      givenDeploymentId: props.deploymentId,
      create: v.createVpc.flag,
      existing,
      needsNat: allOf(v.createWindowsVm, not(v.windowsExternalIp)),
      dependsOn: apis.ready("compute"),
    });
    this.firewallRules = addLabFirewall(this, "Firewall", {
      ...lab,
      networkId: network.networkId,
      isOwn: isUnset(existing),
      createDefaultRules: v.createDefaultFirewallRules.flag,
      sourceRanges: sourceRanges(v.internalTrafficCidr.text, { ...ranges, rdp: rdpSources(v.rdpSourceRanges, v) }),
    });
    const key = addLabKey(this, "Key", { ...lab, createBucket, dependsOn: apis.ready("storage") });
    const source = addAssessmentSource(this, "Source", {
      ...lab,
      clientName,
      dependsOn: [...lab.outlivedBy, ...apis.ready("migrationcenter")],
    });
    const inventory = { ...lab, sourceGeneration: source.generation, dependsOn: source.ready };
    this.awsUserArn =
      credentials && Token.isUnresolved(credentials.accessKeyId) && usesAssessment !== false
        ? awsModule().addAwsInventory(this, "Cloudb", { ...inventory, aws: credentials })
        : literal(null).text;
    const vm = {
      ...lab,
      zone: named(this, "Zone", zoneOrDefault(v.zone, v.region)).text,
      networkId: network.networkId,
    };
    this.windowsVm = addWindowsVm(this, "WindowsVm", {
      ...vm,
      create: v.createWindowsVm.flag,
      machineType: v.windowsVmMachineType.text,
      bootDiskSizeGb: v.windowsVmBootDiskSizeGb.number,
      windowsPassword: v.windowsPassword.text,
      dependsOn: network.ready,
    });
    this.linuxVms = addLinuxVms(this, "LinuxVm", {
      ...vm,
      vmCount: v.linuxVmCount.number,
      machineType: v.linuxVmMachineType.text,
      bootDiskSizeGb: v.linuxVmBootDiskSizeGb.number,
      publicKey: key.publicKey,
    });

    this.projectId = context.projectId;
    this.deploymentId = deploymentId;
    this.network = network.network;
    this.vpcName = network.vpcName;
    this.windowsVmName = attributeOf(this.windowsVm, "name").text;
    const externalIps = "network_interface[0].access_config[*].nat_ip";
    this.windowsVmExternalIp = one(flatten(attributesOf<readonly string[]>(this.windowsVm, externalIps))).text;
    this.linuxVmNames = attributesOf(this.linuxVms, "name").list;
    this.linuxVmInternalIps = attributesOf(this.linuxVms, "network_interface[0].network_ip").list;
    this.sshKey = key.keyPair;
    this.sshKeyBucket = key.bucket;
    this.sshKeyBucketName = key.bucketName;
    this.sshKeyAddress = key.address;
    this.sshKeyUser = LAB_USER;
    this.assessDiscoveryClientName = clientName;
    this.assessmentServiceUrl = `${ASSESSMENT_CONSOLE_URL}?project=${context.projectId}`;
    this.assessSourceId = source.sourceId;

    addLabLandingZone(this, v);
    addLabChecks(this, v, props);
    inFiles(this, FILES);
  }
}

/** The AWS bindings are large and an optional peer dependency, so a lab without AWS must not load them. */
function awsModule(): { readonly addAwsInventory: typeof addAwsInventory } {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import statement would load them always
  return require("./aws-inventory") as ReturnType<typeof awsModule>;
}

/** Problems of props that are no inputs, and of unknown names. */
function otherProblems(props: object | undefined): Problem[] {
  const names = Object.keys(LAB).filter((name) => !(name in SPELLINGS));
  const own = propProblems(knownOf(props, Object.keys(PROPS)), PROPS);
  return [...unknownNames(props ?? {}, [...names, ...Object.keys(PROPS)]), ...own];
}
