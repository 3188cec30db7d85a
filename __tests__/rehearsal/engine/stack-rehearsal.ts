import { type Deployment, type DeploymentOptions, type Inputs } from "../deployment/deployment";
import { type Scripts } from "./dependency-graph";
import { type KillScenario, type StagedFault } from "./fault-scenarios";
import { type ChangeScenario, type Protection } from "./journey";

/** Something in the life of a deployment that takes several commands. */
export interface Episode {
  readonly name: string;
  /** Plays it on a deployment that is complete or, with `fromNothing`, that has its stages alone; throws when it goes otherwise. */
  readonly play: (deployment: Deployment) => Promise<void>;
  /** @default false */
  readonly fromNothing?: boolean;
}

/** What there is to rehearse of one stack beyond a life without incidents. */
export interface StackRehearsal {
  /** Inputs that have no default. */
  readonly inputs: Inputs;

  /**
   * Outputs that these inputs leave null, all of them; every stack of this repository says so.
   *
   * @default - any output may be null, as for the folders of others
   */
  readonly nullOutputs?: readonly string[];

  /**
   * Inputs for the faults, which must lead to the same names in every run.
   *
   * @default - `inputs`
   */
  readonly faultInputs?: Inputs;

  /**
   * False for inputs with which a plan asks an API, so that the real providers cannot plan them without an account.
   *
   * @default - none does
   */
  readonly plansOffline?: (inputs: Inputs) => boolean;

  /** Puts into the project what is there before the first apply. */
  readonly prepare?: (deployment: Deployment) => void;

  /** Changes in the order in which they happen to one deployment. */
  readonly changes?: readonly ChangeScenario[];

  /** Looks at what is left after all changes and the destroy; throws when it is not as it should be. */
  readonly verifyDestroyed?: ChangeScenario["verify"];

  /** How it keeps its data; a stack without is destroyed at once. */
  readonly protection?: Protection;

  /**
   * Addresses that are applied once, first to last, before what needs them is rehearsed many times; without, everything
   * starts from nothing.
   */
  readonly stages?: readonly RegExp[];

  /**
   * Addresses that are applied once more before each of the others fails in turn, so that a failure of these few does not
   * take making everything else anew.
   *
   * @default - all fail with only the stages behind them
   */
  readonly lateStage?: RegExp;

  /**
   * Whether clusters write into objects what the admission of Autopilot writes.
   *
   * @default "autopilot"
   */
  readonly admission?: DeploymentOptions["admission"];

  /**
   * Whether whatever the folder does not make itself is there already and works: services that are on and answer,
   * accounts with their grants, networks, buckets, images.
   *
   * @default false - only what `prepare` puts there
   */
  readonly othersExist?: DeploymentOptions["othersExist"];

  /** Episodes, each on a deployment of its own; after each, a plan must be empty. */
  readonly episodes?: readonly Episode[];

  /**
   * What the stack's scripts need and make, besides the gates of APIs; given, everything must wait for what it needs, and a first apply must be about
   * as short as it can be.
   */
  readonly scripts?: Scripts;

  /** Type and identity of things whose failure another stack rehearses alone; here they fail together. Needs `scripts`. */
  readonly failTogether?: RegExp;

  /**
   * APIs whose gate stays closed once.
   *
   * @default - all that have a gate
   */
  readonly closedGates?: readonly string[];

  /** Faults of scripts and web services; those of single resources and of gates need no description. */
  readonly faults?: readonly StagedFault[];

  /** How Terraform is killed in the middle of an apply. */
  readonly kill?: KillScenario;

  /** Values that are combined pairwise, by input. */
  readonly matrix?: Readonly<Record<string, readonly unknown[]>>;

  /** False for combinations that are refused, and so are no part of the matrix; some inputs may still be missing. */
  readonly isAllowed?: (inputs: Inputs) => boolean;

  /** Adds inputs that follow from others to a combination, and may leave out those that are null; it changes none. */
  readonly completed?: (inputs: Inputs) => Inputs;

  /** Inputs that are refused, with the whole text of what is said. */
  readonly refused?: readonly (readonly [behaviour: string, inputs: Inputs, texts: readonly string[]])[];
}
