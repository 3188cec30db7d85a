import { type TerraformVariableValidationConfig } from "cdktf";

import { type CheckedRelation } from "../../lib/core/checked-relation";
import { type CheckedValue } from "../../lib/core/checked-value";

/** What a platform says about the inputs that both variants have. */
export interface PlatformWords {
  /** What else is protected from deletion, followed by a comma; empty for nothing. */
  readonly alsoProtected: string;

  /** CPUs that the platform offers, in words. */
  readonly cpuChoice: string;

  readonly cpu: CheckedValue<number | string>;

  readonly memory: CheckedRelation<{ cpu: number | string; memory: string }>;

  readonly minInstances: CheckedValue<number>;

  /** What happens with the fewest instances, as a sentence; empty when nothing does. */
  readonly leastMeaning: string;

  /** What an existing network must have, and what giving it changes. */
  readonly network: string;

  /** What is taken from the subnetwork, and what that asks of it. */
  readonly subnetwork: string;

  /** Instances that a rollout runs beside the most. */
  readonly surge: number;

  /**
   * Rules on the names together, for the input `application_name`.
   *
   * @default - none
   */
  readonly namesFit?: readonly TerraformVariableValidationConfig[];
}
