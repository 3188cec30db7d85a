import { type Terraform } from "../support/synthesis";
import { STACKS } from "./variants";

/** The configuration of every stack as anybody gets it, by name. */
export const shippedStacks = () =>
  Object.fromEntries(STACKS.map(({ name, terraform }) => [name, terraform()])) as Record<
    (typeof STACKS)[number]["name"],
    Terraform
  >;
