import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";
import { type Construct } from "constructs";

import { explainUnused } from "../lib/core/hcl/stack-origin";
import { declareInputs } from "../lib/core/inputs";
import { PortableStack, type PortableStackProps } from "../lib/core/portable-stack";
import { AssessmentLab } from "../lib/lab/assessment-lab";
import { LAB, LAB_RELATIONS } from "../lib/lab/lab-inputs";
import { assessmentLabOutputs } from "./assessment-lab-outputs";
import { describeFolder } from "./folder/described-folder";
import { outputsOf } from "./output-table";

/** The assessment lab, from an empty project in one apply. */
export class AssessmentLabStack extends PortableStack {
  constructor(scope: Construct, id: string, { backend }: Pick<PortableStackProps, "backend"> = {}) {
    super(scope, id, { providers: ["google", "random", "tls"], backend });
    const { cloudbAccessKeyId, cloudbRegion, cloudbSecretAccessKey, rdpSourceRanges, ...inputs } = declareInputs(
      this,
      LAB,
      LAB_RELATIONS,
    );
    explainUnused(this.node.findChild("Inputs").node.findChild("tenant_id"), "For forms that always ask for a tenant.");
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });
    new RandomProvider(this, "random");
    new TlsProvider(this, "tls");

    const lab = new AssessmentLab(this, "Lab", {
      ...inputs,
      sourceRanges: { rdp: rdpSourceRanges },
      aws: { accessKeyId: cloudbAccessKeyId, secretAccessKey: cloudbSecretAccessKey, region: cloudbRegion },
    });

    this.addOutputs(outputsOf(assessmentLabOutputs(lab)));
    describeFolder(this, {
      stack: "assessment-lab",
      inputs: LAB,
      guides: [
        "fleets.md",
        "keys-and-mirrors.md",
        "module.md",
        "network-and-rights.md",
        "organization-policies.md",
        "state-and-pipelines.md",
      ],
    });
  }
}
