import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";
import { type Construct } from "constructs";

import { PortableStack } from "../lib/core/portable-stack";
import { type StateBackend } from "../lib/core/state-backend";
import { AssessmentLab } from "../lib/lab/assessment-lab";
import { assessmentLabOutputs } from "./assessment-lab-outputs";
import { LabAssessmentInputs } from "./inputs/lab-assessment-inputs";
import { LabHostInputs } from "./inputs/lab-host-inputs";
import { LabLocationInputs } from "./inputs/lab-location-inputs";
import { LabNetworkInputs } from "./inputs/lab-network-inputs";

export interface AssessmentLabStackProps {
  /**
   * Where the state is kept.
   *
   * @default - the file `terraform.tfstate` in the synthesized folder
   */
  readonly backend?: StateBackend;
}

/** The assessment lab, from an empty project in one apply. */
export class AssessmentLabStack extends PortableStack {
  constructor(scope: Construct, id: string, props: AssessmentLabStackProps = {}) {
    super(scope, id, { providers: ["google", "random", "tls"], backend: props.backend });
    const { deploymentId, projectId, region, zone } = new LabLocationInputs(this);
    const { createDefaultFirewallRules, createVpc, internalTrafficCidr, rdpSourceRanges } = new LabNetworkInputs(this);
    const hosts = new LabHostInputs(this);
    const assessment = new LabAssessmentInputs(this);

    new GoogleProvider(this, "google", { project: projectId, region });
    new RandomProvider(this, "random");
    new TlsProvider(this, "tls");

    const lab = new AssessmentLab(this, "Lab", {
      projectId,
      region,
      zone,
      deploymentId,
      createVpc,
      createDefaultFirewallRules,
      internalTrafficCidr,
      sourceRanges: { rdp: rdpSourceRanges },
      createWindowsVm: hosts.createWindowsVm,
      windowsPassword: hosts.windowsPassword,
      windowsVmMachineType: hosts.windowsVmMachineType,
      windowsVmBootDiskSizeGb: hosts.windowsVmBootDiskSizeGb,
      linuxVmCount: hosts.linuxVmCount,
      linuxVmMachineType: hosts.linuxVmMachineType,
      linuxVmBootDiskSizeGb: hosts.linuxVmBootDiskSizeGb,
      createSshKeyBucket: hosts.createSshKeyBucket,
      initializeAssessmentService: assessment.initializeAssessmentService,
      assessDiscoveryClientName: assessment.assessDiscoveryClientName,
      cloudB: assessment.cloudB,
    });

    this.expose(assessmentLabOutputs(lab));
  }
}
