import { Token, type IResolvable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { CONNECTIONS_PER_INSTANCE, MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT } from "../../lib/idp/contract";
import { type ResourcesSpec } from "../../lib/idp/container-spec";
import { instanceCountValidation } from "../../lib/platform/database-tier";
import { CPU_ALWAYS_ALLOCATED } from "../../lib/platform/serverless/contract";
import {
  cpuValidation,
  DEFAULT_CPU,
  DEFAULT_MEMORY,
  memoryValidation,
} from "../../lib/platform/serverless/instance-size";

/** How much of the serverless platform the deployment may use, and who may call it. */
export class ServerlessInputs extends Construct {
  readonly cpuAlwaysAllocated: IResolvable;
  readonly minInstanceCount: number;
  readonly maxInstanceCount: number;
  readonly resources: ResourcesSpec;
  readonly publicAccess: IResolvable;

  constructor(stack: TerraformStack) {
    super(stack, "serverless-inputs");

    this.cpuAlwaysAllocated = new InputVariable(this, "cpu_always_allocated", {
      type: "bool",
      default: CPU_ALWAYS_ALLOCATED,
      description:
        "Keeps the CPU on between requests, which the worker beside the server needs. False is cheaper and lets mail, tasks and clean-ups wait for the next visitor.",
    }).booleanValue;

    this.minInstanceCount = new InputVariable(this, "min_instance_count", {
      type: "number",
      default: MIN_INSTANCE_COUNT,
      description:
        "Instances that always run and are always billed. With 0 the worker stops whenever nobody signs in. Changing it later is safe.",
      validation: [
        {
          condition:
            "${var.min_instance_count >= 0 && floor(var.min_instance_count) == var.min_instance_count && var.min_instance_count <= var.max_instance_count}",
          errorMessage:
            "min_instance_count is ${var.min_instance_count}; it must be a whole number from 0 to max_instance_count, which is ${var.max_instance_count}, because the platform refuses such a range; lower one or raise the other.",
        },
      ],
    }).numberValue;

    this.maxInstanceCount = new InputVariable(this, "max_instance_count", {
      type: "number",
      default: MAX_INSTANCE_COUNT,
      description: `Most instances at a time; each takes ${CONNECTIONS_PER_INSTANCE} database connections at its peak. Changing it later is safe.`,
      validation: [
        {
          condition: "${var.max_instance_count >= 1 && floor(var.max_instance_count) == var.max_instance_count}",
          errorMessage:
            "max_instance_count is ${var.max_instance_count}; it must be a whole number from 1, because with none nobody can sign in; use 1 or more.",
        },
        instanceCountValidation("max_instance_count", "database_tier", CONNECTIONS_PER_INSTANCE),
      ],
    }).numberValue;

    this.resources = {
      cpu: Token.asString(
        new InputVariable(this, "container_cpu", {
          type: "number",
          default: DEFAULT_CPU,
          description: "CPUs of one instance: 1, 2, 4 or 8. A change rolls out new instances.",
          validation: [cpuValidation("container_cpu")],
        }).value,
      ),
      memory: new InputVariable(this, "container_memory", {
        type: "string",
        default: DEFAULT_MEMORY,
        description:
          "Memory of one instance, with Mi or Gi; server, worker and the caches of the media mount share it. A change rolls out new instances.",
        validation: [memoryValidation("container_memory", "container_cpu")],
      }).stringValue,
    };

    this.publicAccess = new InputVariable(this, "public_access", {
      type: "bool",
      default: true,
      description:
        "Answers everybody, as a sign-in page must. False lets only callers through that hold the right to invoke the service, which browsers do not send.",
    }).booleanValue;
  }
}
