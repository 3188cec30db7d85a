import { ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { type IResolvable, type ITerraformDependable, TerraformCount, Token } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock } from "../core/expr/blocks";
import { countIf, listIf } from "../core/expr/conditions";
import { type Expr, exprOf } from "../core/expr/expr";
import { concat, toText, upper } from "../core/expr/functions";
import { expression } from "../core/expr/terraform-text";
import { tagsIn } from "../core/inputs/network-inputs";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { addScript } from "../core/stack-file";
import { DISK_TYPE, LAB_PASSWORD, LAB_USER, LINUX_IMAGE, WINDOWS_IMAGE, WINDOWS_TAG } from "./contract";
import { type LabContext } from "./lab-foundation";
import { labName, windowsVmName } from "./lab-names";

/** Settings of every VM. */
export interface CommonVmProps extends LabContext {
  readonly zone: string;
  /** Network of the VM; its address comes from the network's subnetwork in the region. */
  readonly networkId: string;
  /** Subnetwork of its address instead. */
  readonly subnetwork: string | undefined;
  readonly networkTags: Expr<readonly string[]>;
  /** Project with the image families, null at plan for the public ones. */
  readonly imageProject: string | undefined;
  /** Key of Cloud KMS that encrypts the disk, null at plan for Google's own. */
  readonly kmsKey: string | undefined;
  /** Whether the output of the serial port is sent to Cloud Logging. */
  readonly serialPortLogging: Expr<boolean>;
}

/** Settings that both kinds of VMs have, with different values. */
interface LabVmProps extends CommonVmProps {
  readonly machineType: string;
  readonly bootDiskSizeGb: number;
}

/** Arguments of every VM: only signed boot code runs, and a change of the machine type does not replace it. */
function labVm(props: LabVmProps, image: { readonly family: string; readonly project: string }) {
  const imageProject = exprOf(props.imageProject ?? null).coalesce(image.project).text;
  return {
    project: props.projectId,
    zone: props.zone,
    labels: props.labels,
    machineType: props.machineType,
    networkInterface: [{ network: props.networkId, subnetwork: props.subnetwork }],
    bootDisk: {
      kmsKeySelfLink: props.kmsKey,
      initializeParams: {
        image: `${imageProject}/${image.family}`,
        size: props.bootDiskSizeGb,
        type: DISK_TYPE,
      },
    },
    shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
    allowStoppingForUpdate: true,
  };
}

/** A switch in metadata. */
const metadataSwitch = (value: Expr<boolean>): string => upper(toText(value)).text;

/**
 * Metadata of every VM. The project's SSH keys, which whole teams share, do not work on it. The start-up script reads
 * values from metadata, because values inserted into the script could be executed as code.
 */
const METADATA = { "lab-user": LAB_USER, "block-project-ssh-keys": "TRUE" } as const;

export interface WindowsVmProps extends LabVmProps {
  /** Otherwise remote desktop goes through the identity-aware proxy. */
  readonly hasPublicAddress: Expr<boolean>;
  readonly create: boolean | IResolvable;
  /** `fixed` or `unknown`. */
  readonly windowsPassword: string;
  /** Dependencies of the first boot, such as NAT. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * The VM on which the discovery client runs, without a service account.
 *
 * Its start-up script runs at every boot and does its work once; an edited script reaches the VM at its next boot and
 * never replaces it.
 */
export function addWindowsVm(scope: Construct, id: string, props: WindowsVmProps): ComputeInstance {
  const self = new Construct(scope, id);
  const { windowsPassword: password } = props;
  const tags = tagsIn(props.networkTags);
  const vm = new ComputeInstance(self, MAIN_CHILD_ID, {
    ...labVm(props, WINDOWS_IMAGE),
    name: windowsVmName(props.deploymentId),
    tags: tags === undefined ? [WINDOWS_TAG] : concat<string>([WINDOWS_TAG], props.networkTags).list,
    metadata: {
      ...METADATA,
      "serial-port-logging-enable": metadataSwitch(props.serialPortLogging),
      "windows-startup-script-ps1": addScript(self, "lib/lab/scripts/windows-first-boot.ps1").text,
      // Empty if the VM generates one.
      "lab-password": Token.isUnresolved(password)
        ? expression(`(${password} == "unknown" ? "" : "${LAB_PASSWORD}")`)
        : password === "unknown"
          ? ""
          : LAB_PASSWORD,
    },
    count: countIf(props.create),
    dependsOn: props.dependsOn,
    // Ignored, because gcloud writes it when it resets a password.
    lifecycle: { ignoreChanges: ['metadata["windows-keys"]'] },
  });
  addDynamicBlock(vm, "network_interface.0", "access_config", {
    forEach: listIf(props.hasPublicAddress, "public"),
    content: {},
  });
  return vm;
}

export interface LinuxVmsProps extends LabVmProps {
  readonly vmCount: number;
  /** Whether OS Login decides who may sign in; keys in metadata are then ignored. */
  readonly osLogin: Expr<boolean>;
  /** One `authorized_keys` line. */
  readonly publicKey: string;
}

/**
 * The Linux VMs that the discovery client scans: no public address, no service account, and the lab's key for the lab
 * user.
 *
 * The key is installed twice, by metadata and by the start-up script, because either can fail.
 */
export function addLinuxVms(scope: Construct, id: string, props: LinuxVmsProps): ComputeInstance {
  const self = new Construct(scope, id);
  return new ComputeInstance(self, MAIN_CHILD_ID, {
    ...labVm(props, LINUX_IMAGE),
    tags: tagsIn(props.networkTags) && props.networkTags.list,
    name: labName(props.deploymentId, "linvm-${count.index + 1}"),
    metadata: {
      ...METADATA,
      "serial-port-logging-enable": metadataSwitch(props.serialPortLogging),
      "enable-oslogin": metadataSwitch(props.osLogin),
      "startup-script": addScript(self, "lib/lab/scripts/linux-first-boot.sh").text,
      "lab-ssh-key": props.publicKey,
      "ssh-keys": `${LAB_USER}:${props.publicKey}`,
    },
    count: TerraformCount.of(props.vmCount),
  });
}
