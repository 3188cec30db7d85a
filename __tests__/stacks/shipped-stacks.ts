import { type Terraform } from "../support/synthesis";
import { KUBERNETES_STACK_NAME, kubernetesTerraform } from "./kubernetes-stack";
import { LAB_STACK_NAME, labTerraform } from "./lab-stack";
import { serverlessTerraform, STACK_NAME } from "./serverless-stack";

/** Every stack as anybody gets it, by name. */
export const shippedStacks = () =>
  ({
    [STACK_NAME]: serverlessTerraform(),
    [KUBERNETES_STACK_NAME]: kubernetesTerraform(),
    [LAB_STACK_NAME]: labTerraform(),
  }) satisfies Readonly<Record<string, Terraform>>;
