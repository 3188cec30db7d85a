import { type Deployment, type Inputs } from "../deployment/deployment";
import { type Scripts } from "./dependency-graph";
import { type KillScenario, type StagedFault } from "./fault-scenarios";
import { type Matrix } from "./input-matrix";
import { type ChangeScenario, type Protection } from "./journey";

/** An event in the life of a deployment that takes several commands. */
export interface Episode {
  readonly name: string;
  /** Plays it on a complete deployment or, with `fromNothing`, on one with only its stages; throws on any deviation. */
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
  /** False for inputs with which a plan calls an API, so that the real providers cannot plan them without an account. */
  readonly plansOffline?: (inputs: Inputs) => boolean;
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
  /** Addresses that are applied once, in order, so that the rehearsals of later resources start from there. */
  readonly stages?: readonly RegExp[];
  /** Whether there is what the folder does not create, as for a folder from elsewhere. @default false */
  readonly externalResourcesExist?: boolean;
  /** Episodes, each on its own deployment; after each, a plan must be empty. */
  readonly episodes?: readonly Episode[];
  /** What the stack's scripts need and make, other than the API gates. If given, dependencies are checked. */
  readonly scripts?: Scripts;
  /** Faults of scripts and web services; failed creations and closed gates are derived. */
  readonly faults?: readonly StagedFault[];
  /** The moment at which Terraform is killed during an apply. */
  readonly kill?: KillScenario;
  /** Inputs to combine pairwise, by subject. */
  readonly matrix?: Matrix;
}
