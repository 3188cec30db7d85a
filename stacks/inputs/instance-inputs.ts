import { Token, type TerraformStack, type TerraformVariableValidationConfig } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { CONNECTIONS_PER_INSTANCE, MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT } from "../../lib/idp/contract";
import { type ResourcesSpec } from "../../lib/idp/container-spec";
import { instanceCountValidation } from "../../lib/platform/database-tier";

/** What a platform says about the number and the size of instances. */
export interface InstanceInputsProps {
  /** Fewest instances that may always run. */
  readonly leastInstances: number;

  /** What happens with the fewest, as a sentence; empty when nothing does. */
  readonly leastMeaning: string;

  /** Instances that a rollout runs beside the most. */
  readonly surge: number;

  /** Sizes that the platform offers, and what each is without further choice. */
  readonly cpu: {
    readonly default: number;
    readonly choice: string;
    readonly validation: (variable: string) => TerraformVariableValidationConfig;
  };
  readonly memory: {
    readonly default: string;
    readonly validation: (variable: string, cpuVariable: string) => TerraformVariableValidationConfig;
  };
}

/** How many instances there are, and how large each is. */
export class InstanceInputs extends Construct {
  readonly minInstanceCount: number;
  readonly maxInstanceCount: number;
  readonly resources: ResourcesSpec;

  constructor(stack: TerraformStack, { cpu, leastInstances, leastMeaning, memory, surge }: InstanceInputsProps) {
    super(stack, "instance-inputs");

    this.minInstanceCount = new InputVariable(this, "min_instance_count", {
      type: "number",
      default: MIN_INSTANCE_COUNT,
      description: ["Instances that always run and are always billed.", leastMeaning, "Changing it later is safe."]
        .filter((sentence) => sentence !== "")
        .join(" "),
      validation: [
        {
          condition: `\${var.min_instance_count >= ${leastInstances} && floor(var.min_instance_count) == var.min_instance_count && var.min_instance_count <= var.max_instance_count}`,
          errorMessage: `min_instance_count is \${var.min_instance_count}; it must be a whole number from ${leastInstances} to max_instance_count, which is \${var.max_instance_count}, because the platform refuses such a range; lower one or raise the other.`,
        },
      ],
    }).numberValue;

    this.maxInstanceCount = new InputVariable(this, "max_instance_count", {
      type: "number",
      default: MAX_INSTANCE_COUNT,
      description: `Most instances at a time${surge === 0 ? "" : `, and ${surge} more during a rollout`}; each takes ${CONNECTIONS_PER_INSTANCE} database connections at its peak. Changing it later is safe.`,
      validation: [
        {
          condition: "${var.max_instance_count >= 1 && floor(var.max_instance_count) == var.max_instance_count}",
          errorMessage:
            "max_instance_count is ${var.max_instance_count}; it must be a whole number from 1, because with none nobody can sign in; use 1 or more.",
        },
        instanceCountValidation("max_instance_count", "database_tier", {
          perInstance: CONNECTIONS_PER_INSTANCE,
          surge,
        }),
      ],
    }).numberValue;

    this.resources = {
      cpu: Token.asString(
        new InputVariable(this, "container_cpu", {
          type: "number",
          default: cpu.default,
          description: `CPUs of one instance: ${cpu.choice}. A change rolls out new instances.`,
          validation: [cpu.validation("container_cpu")],
        }).value,
      ),
      memory: new InputVariable(this, "container_memory", {
        type: "string",
        default: memory.default,
        description:
          "Memory of one instance, with Mi or Gi; server, worker and the caches of the media mount share it. A change rolls out new instances.",
        validation: [memory.validation("container_memory", "container_cpu")],
      }).stringValue,
    };
  }
}
