import { type Inputs } from "./deployment";
import { type FaultScenario, type KillScenario } from "./fault-scenarios";
import { type ChangeScenario, type Protection } from "./journey";

/** What there is to rehearse of one stack beyond a life without incidents. */
export interface StackRehearsal {
  /** Inputs that have no default. */
  readonly inputs: Inputs;

  /**
   * Outputs that these inputs leave null, all of them.
   *
   * @default - any output may be null
   */
  readonly nullOutputs?: readonly string[];

  /** Changes in the order in which they happen to one deployment. */
  readonly changes?: readonly ChangeScenario[];

  /** How it keeps its data; a stack without is destroyed at once. */
  readonly protection?: Protection;

  /**
   * Addresses that are applied once, first to last, before what needs them is rehearsed many times; without, everything
   * starts from nothing.
   */
  readonly stages?: readonly RegExp[];

  /** Faults of scripts and web services; those of single resources need no description. */
  readonly faults?: readonly (FaultScenario & { readonly afterStage: number })[];

  /** How Terraform is killed in the middle of an apply. */
  readonly kill?: KillScenario;

  /** Values that are combined pairwise, by input. */
  readonly matrix?: Readonly<Record<string, readonly unknown[]>>;

  /** False for combinations that are refused, and so are no part of the matrix; some inputs may still be missing. */
  readonly isAllowed?: (inputs: Inputs) => boolean;

  /** Adds inputs that follow from others to a combination. */
  readonly completed?: (inputs: Inputs) => Inputs;

  /** Inputs that are refused, with the whole text of what is said. */
  readonly refused?: readonly (readonly [behaviour: string, inputs: Inputs, texts: readonly string[]])[];
}
