import { type Inputs } from "./deployment";
import { type ChangeScenario, type Protection } from "./journey";

/** What there is to rehearse of one stack beyond a life without incidents. */
export interface StackRehearsal {
  /** Inputs that have no default. */
  readonly inputs: Inputs;

  /** Changes in the order in which they happen to one deployment. */
  readonly changes?: readonly ChangeScenario[];

  /** How it keeps its data; a stack without is destroyed at once. */
  readonly protection?: Protection;
}
