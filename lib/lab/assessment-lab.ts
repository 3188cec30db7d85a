import { Id } from "@cdktf/provider-random/lib/id";
import { Fn, TerraformLocal, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionOf, countWhen, expression } from "../core/expression";
import { unknownRegionRisk } from "../core/known-regions";
import { ProjectApis } from "../core/project-apis";
import { requireProvider } from "../core/provider-requirements";
import { warnOf } from "../core/risks";
import { requireAll, requireProps } from "../core/rules";
import { type AssessmentLabProps } from "./assessment-lab-props";
import { ASSESSMENT_LAB_RULES } from "./assessment-lab-rules";
import { AssessmentSource } from "./assessment-source";
import { CloudBInventory } from "./cloudb-inventory";
import {
  ASSESSMENT_CONSOLE_URL,
  AUTO_MODE_RANGE,
  DEFAULT_DISCOVERY_CLIENT_NAME,
  DEFAULT_LINUX_COUNT,
  DEFAULT_LINUX_DISK_SIZE_GB,
  DEFAULT_MACHINE_TYPE,
  DEFAULT_REGION,
  DEFAULT_WINDOWS_DISK_SIZE_GB,
  LAB_PASSWORD,
  LAB_USER,
  WINDOWS_PASSWORDS,
} from "./contract";
import { addLabChecks } from "./lab-checks";
import { LabFirewall, sourceRanges } from "./lab-firewall";
import { LabKey } from "./lab-key";
import { DEPLOYMENT_ID_BYTES, defaultZone, discoverySourceId, linuxVmNamePrefix } from "./lab-names";
import { LabNetwork } from "./lab-network";
import { LinuxTargets } from "./linux-targets";
import { SurvivorsNote } from "./survivors-note";
import { WindowsHost } from "./windows-host";

/**
 * A throw-away lab for cloud migration discovery and assessment: a network of its own, a Windows host with the discovery
 * client, Linux hosts that it scans, and the key with which it signs in to them. It registers the discovery source with the
 * assessment service and, on request, imports the machines of cloud B; what that service has survives a destroy.
 *
 * Every host is billed while it runs, and the Windows host has a licence on top. No host has a service account. The
 * private key is in the Terraform state: keep the state as secret as the key. A lab may stand beside others in one stack
 * and in one project; the stack configures the providers google, random and tls.
 */
export class AssessmentLab extends Construct {
  /** Part of every name. */
  readonly deploymentId: string;

  readonly projectId: string;

  readonly vpcName: string;

  /** Null when there is no Windows host. */
  readonly windowsVmName: string;

  /** Address for remote desktop; null when there is no Windows host. */
  readonly windowsVmExternalIp: string;

  readonly linuxVmNames: string[];

  readonly linuxVmInternalIps: string[];

  /** Null when the private key is in the state alone. */
  readonly sshKeyBucketName: string;

  /** Address of the key pair in Terraform, to be replaced for another key. */
  readonly sshKeyAddress: string;

  /** Name that signs in to the Linux targets with the private key. */
  readonly sshKeyUser: string;

  /** Name to type into the discovery client. */
  readonly assessDiscoveryClientName: string;

  /** Address of the assessment service in the console. */
  readonly assessmentServiceUrl: string;

  /** Id of the registered discovery source; null when none is registered. */
  readonly assessSourceId: string;

  /** Resource name of the read-only user in cloud B; null when there is none. */
  readonly cloudbIamUserArn: string;

  constructor(scope: Construct, id: string, props: AssessmentLabProps) {
    super(scope, id);
    requireProps(this.node.path, props, { projectId: true });
    requireAll(this, props, ASSESSMENT_LAB_RULES);

    const { createSshKeyBucket = true, createVpc = true, initializeAssessmentService = true, projectId } = props;
    const region = props.region ?? DEFAULT_REGION;
    warnOf(this, "KnownRegion", [unknownRegionRisk(region)]);
    const internalTrafficCidr = props.internalTrafficCidr ?? AUTO_MODE_RANGE;
    const clientName = props.assessDiscoveryClientName ?? DEFAULT_DISCOVERY_CLIENT_NAME;
    const sourceId = this.named("SourceId", discoverySourceId(clientName));
    const deploymentId = this.knownOrRandomId(props.deploymentId);
    const { first } = new SurvivorsNote(this, "Survivors", {
      deploymentId,
      enabled: initializeAssessmentService,
      projectId,
      region,
      sourceId,
    });

    const apis =
      props.apis ??
      this.ownApis({
        projectId,
        region,
        first,
        hasBucket: createSshKeyBucket,
        usesAssessment: initializeAssessmentService,
      });
    const network = new LabNetwork(this, "Vpc", {
      deploymentId,
      givenDeploymentId: props.deploymentId,
      projectId,
      create: createVpc,
      dependsOn: [...first, ...apis.ready("compute")],
    });

    const firewall = new LabFirewall(this, "Firewall", {
      deploymentId,
      projectId,
      networkId: network.networkId,
      dependsOn: first,
      createDefaultRules: props.createDefaultFirewallRules ?? true,
      sourceRanges: sourceRanges(internalTrafficCidr, props.sourceRanges),
    });

    const key = new LabKey(this, "Key", {
      deploymentId,
      projectId,
      location: region,
      createBucket: createSshKeyBucket,
      after: first,
      dependsOn: [...first, ...apis.ready("storage")],
    });

    const source = new AssessmentSource(this, "Source", {
      clientName,
      deploymentId,
      projectId,
      region,
      sourceId,
      enabled: initializeAssessmentService,
      dependsOn: [...first, ...apis.ready("migrationcenter")],
    });

    const cloudB =
      props.cloudB &&
      new CloudBInventory(this, "Cloudb", {
        cloudB: props.cloudB,
        deploymentId,
        projectId,
        region,
        // Known at plan, so that registering the source again does not import again.
        sourceId,
        enabled: initializeAssessmentService,
        after: first,
        dependsOn: source.ready,
      });

    this.projectId = projectId;
    this.deploymentId = deploymentId;
    this.assessDiscoveryClientName = clientName;
    this.assessmentServiceUrl = `${ASSESSMENT_CONSOLE_URL}?project=${projectId}`;

    const zone = this.named("Zone", props.zone ?? defaultZone(region));
    const host = { deploymentId, projectId, zone, networkId: network.networkId };
    const windows = new WindowsHost(this, "WindowsVm", {
      ...host,
      create: props.createWindowsVm ?? true,
      machineType: props.windowsVmMachineType ?? DEFAULT_MACHINE_TYPE,
      bootDiskSizeGb: props.windowsVmBootDiskSizeGb ?? DEFAULT_WINDOWS_DISK_SIZE_GB,
      facts: {
        labPassword: labPassword(props.windowsPassword),
        projectId,
        region,
        discoveryClientName: this.assessDiscoveryClientName,
        sshKeyBucketName: key.bucketName,
        internalTrafficCidr,
        linuxVmNamePrefix: linuxVmNamePrefix(deploymentId),
        assessmentServiceUrl: this.assessmentServiceUrl,
      },
    });
    const linux = new LinuxTargets(this, "LinuxVm", {
      ...host,
      hostCount: props.linuxVmCount ?? DEFAULT_LINUX_COUNT,
      machineType: props.linuxVmMachineType ?? DEFAULT_MACHINE_TYPE,
      bootDiskSizeGb: props.linuxVmBootDiskSizeGb ?? DEFAULT_LINUX_DISK_SIZE_GB,
      publicKey: key.publicKey,
    });

    const keyId = props.cloudB?.accessKeyId;
    const assessment = {
      isOn: conditionOf(initializeAssessmentService),
      cloudBKeyId: Token.isUnresolved(keyId) ? keyId : undefined,
    };
    const internalRange = props.sourceRanges?.internal === undefined ? asExpression(internalTrafficCidr) : undefined;
    addLabChecks(this, { assessment, firewall, internalRange, key, linux, network, windows });

    this.vpcName = network.vpcName;
    this.windowsVmName = windows.vmName;
    this.windowsVmExternalIp = windows.externalIp;
    this.linuxVmNames = linux.vmNames;
    this.linuxVmInternalIps = linux.internalIps;
    this.sshKeyBucketName = key.bucketName;
    this.sshKeyAddress = key.address;
    this.sshKeyUser = LAB_USER;
    this.assessSourceId = source.sourceId;
    this.cloudbIamUserArn = cloudB?.userArn ?? expression("null");
  }

  private ownApis({ first, hasBucket, projectId, region, usesAssessment }: OwnApisSettings): ProjectApis {
    const apis = new ProjectApis(this, "Apis", { projectId, region, apis: ["compute"], dependsOn: first });
    apis.enable("storage", conditionOf(hasBucket));
    // The discovery client makes a service account for itself when somebody signs in to it.
    for (const api of ["iam", "migrationcenter"] as const) apis.enable(api, conditionOf(usesAssessment));
    return apis;
  }

  /** An expression under a name of its own, so that a reader of the folder sees it once; a literal needs none. */
  private named(id: string, value: string): string {
    return Token.isUnresolved(value) ? new TerraformLocal(this, id, value).asString : value;
  }

  /** The given id, or a random one where none is given. */
  private knownOrRandomId(given: string | undefined): string {
    if (given !== undefined && !Token.isUnresolved(given)) return given;
    requireProvider(this, "random");
    const random = new Id(this, "RandomId", {
      byteLength: DEPLOYMENT_ID_BYTES,
      count: countWhen(given === undefined ? undefined : `${given} == null`),
    });
    if (given === undefined) return random.hex;
    return new TerraformLocal(this, "DeploymentId", Fn.coalesce([given, expression(`one(${random.fqn}[*].hex)`)]))
      .asString;
  }
}

/** Null where nobody is to know it. */
function labPassword(choice: string = WINDOWS_PASSWORDS[0]): string {
  if (Token.isUnresolved(choice)) return expression(`(${choice} == "unknown" ? null : "${LAB_PASSWORD}")`);
  return choice === "unknown" ? expression("null") : LAB_PASSWORD;
}

/** A text inside of an expression. */
function asExpression(text: string): string {
  return Token.isUnresolved(text) ? text : JSON.stringify(text);
}

type Switch = boolean | IResolvable;

interface OwnApisSettings {
  readonly projectId: string;
  readonly region: string;
  /** What must exist before the first of them. */
  readonly first: ITerraformDependable[];
  readonly hasBucket: Switch;
  readonly usesAssessment: Switch;
}
