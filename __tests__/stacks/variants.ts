import { type PortableStack } from "../../lib/core/portable-stack";
import { type Terraform } from "../support/synthesis";
import { KUBERNETES_STACK_NAME, kubernetesStack, kubernetesTerraform } from "./kubernetes-stack";
import { serverlessStack, serverlessTerraform, STACK_NAME } from "./serverless-stack";

/** A stack with the identity provider, for what holds on either platform. */
interface Variant {
  readonly name: string;

  /** A new one, in an app of its own. */
  readonly stack: () => PortableStack;

  /** Its configuration, made once per test file. */
  readonly terraform: () => Terraform;
}

export const VARIANTS: readonly Variant[] = [
  { name: STACK_NAME, stack: serverlessStack, terraform: serverlessTerraform },
  { name: KUBERNETES_STACK_NAME, stack: kubernetesStack, terraform: kubernetesTerraform },
];
