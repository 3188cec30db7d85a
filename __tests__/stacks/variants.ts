import { KUBERNETES } from "./kubernetes-stack";
import { LAB_STACK } from "./lab-stack";
import { SERVERLESS } from "./serverless-stack";

/** The stacks with the identity provider, for what holds on either platform. */
export const VARIANTS = [SERVERLESS, KUBERNETES] as const;

/** Every stack. */
export const STACKS = [...VARIANTS, LAB_STACK] as const;
