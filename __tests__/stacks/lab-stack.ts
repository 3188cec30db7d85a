import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";

import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { AssessmentLabStack } from "../../stacks/assessment-lab";
import { BareStack, type Terraform, terraformWith, testApp } from "../support/synthesis";
import { stackUnderTest } from "./stack-under-test";

export const LAB_STACK = stackUnderTest(AssessmentLabStack, "assessment-lab");
export const { terraform: labTerraform, resource: labResource } = LAB_STACK;

/** A stack with the lab's providers and nothing else. */
export function bareLabStack(): BareStack {
  const stack = new BareStack(testApp(), "test", { providers: ["google", "random", "tls"] });
  new GoogleProvider(stack, "google", { project: "demo-project", region: "us-central1" });
  new RandomProvider(stack, "random");
  new TlsProvider(stack, "tls");
  return stack;
}

/** A lab of literals in a stack of its own. */
export const literalLab = (props: Partial<AssessmentLabProps> = {}): Terraform =>
  terraformWith((stack) => new AssessmentLab(stack, "Lab", { projectId: "demo-project", ...props }), bareLabStack());
