import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";
import { type Construct } from "constructs";

import { explainUnused } from "../lib/core/hcl/stack-origin";
import { declaredInputs, declareInputs } from "../lib/core/inputs/declared-inputs";
import { type PropsOf, type Table } from "../lib/core/inputs/rows";
import { PortableStack } from "../lib/core/portable-stack";
import { AssessmentLab } from "../lib/lab/assessment-lab";
import { LAB, LAB_RELATIONS } from "../lib/lab/lab-inputs";
import { assessmentLabOutputs } from "./assessment-lab-outputs";
import { describeFolder } from "./folder/described-folder";
import { outputsOf } from "./output-table";
import { type StackSettings } from "./settings";

/** The assessment lab, from an empty project in one apply. */
export class AssessmentLabStack extends PortableStack {
  static readonly inputs: Table = LAB;

  constructor(scope: Construct, id: string, { backend, deployment }: StackSettings = {}) {
    super(scope, id, { providers: ["google", "random", "tls"], backend });
    // None of the inputs may be null.
    const declared = declareInputs(this, LAB, LAB_RELATIONS, deployment) as Required<PropsOf<typeof LAB>>;
    const { cloudbAccessKeyId, cloudbRegion, cloudbSecretAccessKey, rdpSourceRanges, ...inputs } = declared;
    const tenant = this.node.findChild("Inputs").node.tryFindChild("tenant_id");
    if (tenant !== undefined) explainUnused(tenant, "For forms that always ask for a tenant.");
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });
    new RandomProvider(this, "random");
    new TlsProvider(this, "tls");

    const lab = new AssessmentLab(this, "Lab", {
      ...inputs,
      sourceRanges: { rdp: rdpSourceRanges },
      aws: { accessKeyId: cloudbAccessKeyId, secretAccessKey: cloudbSecretAccessKey, region: cloudbRegion },
    });

    this.addOutputs(outputsOf(this, assessmentLabOutputs(lab)));
    describeFolder(this, {
      stack: "assessment-lab",
      deployment,
      inputs: declaredInputs(this),
      table: LAB,
      guides: [
        "fleets.md",
        "keys-and-mirrors.md",
        "module.md",
        "network-and-rights.md",
        "organization-policies.md",
        "pipeline-accounts.md",
        "state-and-pipelines.md",
        "tenant-form.md",
      ],
    });
  }
}
