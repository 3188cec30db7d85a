import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { RandomProvider } from "@cdktf/provider-random/lib/provider";
import { TlsProvider } from "@cdktf/provider-tls/lib/provider";

import { AssessmentLab, type AssessmentLabProps } from "../../lib/lab";
import { AssessmentLabStack } from "../../stacks/assessment-lab";
import { BareStack, terraformOf, testApp, type Terraform } from "../support/synthesis";
import { configurationOf } from "./stack-under-test";

/** Name under which the stack is deployed. */
export const LAB_STACK_NAME = "assessment-lab";

/** The stack as anybody gets it, in an app of its own. */
export function labStack(): AssessmentLabStack {
  return new AssessmentLabStack(testApp(), LAB_STACK_NAME);
}

export const { terraform: labTerraform, resource: labResource } = configurationOf(labStack);

/** A stack with the lab's providers and nothing else. */
export function bareLabStack(): BareStack {
  const stack = new BareStack(testApp(), "test", { providers: ["google", "random", "tls"] });
  new GoogleProvider(stack, "google", { project: "demo-project", region: "us-central1" });
  new RandomProvider(stack, "random");
  new TlsProvider(stack, "tls");
  return stack;
}

/** A lab of literals in a stack of its own. */
export function literalLab(props: Partial<AssessmentLabProps> = {}): Terraform {
  const stack = bareLabStack();
  new AssessmentLab(stack, "Lab", { projectId: "demo-project", ...props });
  return terraformOf(stack);
}
