import { type Deployment, type Inputs } from "../deployment/deployment";
import { type Fault } from "./fault-scenarios";
import { type Matrix } from "./input-matrix";
import { type ChangeScenario, type Protection } from "./journey";

/** An event in the life of a deployment that takes several commands. */
export interface Episode {
  readonly name: string;
  /** Plays it on a complete deployment or, with `fromNothing`, on one with only its stage; throws on any deviation. */
  readonly play: (deployment: Deployment) => Promise<void>;
  /** @default false */
  readonly fromNothing?: boolean;
}

/** What is rehearsed of one stack, beyond a life without incidents. */
export interface StackRehearsal {
  /** Inputs that have no default. */
  readonly inputs: Inputs;
  /** The complete list of outputs that are null with these inputs. @default - any output may be null */
  readonly nullOutputs?: readonly string[];
  /** Inputs for the faults, which lead to the same resource names in every run. @default - `inputs` */
  readonly faultInputs?: Inputs;
  /** Prepares what exists in the project before the first apply. */
  readonly prepare?: (deployment: Deployment) => void;
  /** Changes of one deployment, in order: one or two of each kind. */
  readonly changes?: readonly ChangeScenario[];
  /** Changes of another deployment, in order: all ways from one form of a part to another, which takes longer. */
  readonly furtherChanges?: readonly ChangeScenario[];
  /** Checks what is left after all changes and the destroy; throws if it is not as expected. */
  readonly verifyDestroyed?: ChangeScenario["verify"];
  /** How the stack protects its data; a stack without protection is destroyed at once. */
  readonly protection?: Protection;
  /** Addresses that are applied once, so that the rehearsals of the other resources start from there. */
  readonly stage?: RegExp;
  /** Whether there is what the folder does not create, as for a folder from elsewhere. @default false */
  readonly externalResourcesExist?: boolean;
  /** Episodes, each on its own deployment; after each, a plan must be empty, unless it has destroyed everything. */
  readonly episodes?: readonly Episode[];
  /** Episodes of several minutes, or of what another stack of the same parts goes through each time. */
  readonly furtherEpisodes?: readonly Episode[];
  /** Faults of scripts and web services; failed creations and closed gates are derived. */
  readonly faults?: readonly Fault[];
  /** Inputs to combine, by subject. */
  readonly matrix?: Matrix;
}
