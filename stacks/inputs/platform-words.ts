import { type TerraformVariableValidationConfig } from "cdktf";

import { type CheckedRelation } from "../../lib/core/checked-relation";
import { type CheckedValue } from "../../lib/core/checked-value";
import { type RolloutInstances } from "../../lib/platform/sql/database-size";

/** Platform-specific texts and rules for the inputs that both variants have. */
export interface PlatformWords {
  /** What else is protected from deletion, ending with a comma and a space; empty for nothing. */
  readonly alsoProtected: string;

  /** Inputs that cannot change while the deployment is protected, in a list. */
  readonly identity: string;

  /** Which labels are changed, starting with a semicolon and a space; empty for none. */
  readonly changedLabels: string;

  /** The choice of CPUs, in words. */
  readonly cpuChoice: string;

  readonly cpu: CheckedValue<number | string>;

  readonly memory: CheckedRelation<{ cpu: number | string; memory: string }>;

  readonly minInstances: CheckedValue<number>;

  /** Sentence on what the lowest minimum means; empty if there is nothing to say. */
  readonly leastMeaning: string;

  /** What an existing network must have, and what setting one changes. */
  readonly network: string;

  /** The time limit of a request, as the beginning of a sentence, and what a change does, as a sentence. */
  readonly requestTimeout: { readonly limit: string; readonly change: string };

  /** What the subnetwork is used for, and what it must have. */
  readonly subnetwork: string;

  /** Instances that a rollout runs in addition to the maximum. */
  readonly rollout: RolloutInstances;

  /** Requests that one instance answers at the same time, as a Terraform expression. */
  readonly requests: string;

  /** What a separate worker runs in. */
  readonly workerPlace: string;

  /** What the number of separate workers means, as a sentence. */
  readonly workerCountMeaning: string;

  readonly workerCpu: CheckedValue<number | string>;

  /** Maximum number of separate workers, including those of a rollout, as a Terraform expression. */
  readonly mostWorkers: string;

  /**
   * Rules on the combined names, for the input `application_name`.
   *
   * @default - none
   */
  readonly namesFit?: readonly TerraformVariableValidationConfig[];
}
