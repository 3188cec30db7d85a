import { type IResolvable, type TerraformStack, type TerraformVariableValidationConfig } from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import { CONNECTION_NAME_BUDGET, SQL_INSTANCE_NAME_FRAME_LENGTH } from "../../lib/core/names";
import { CPU_ALWAYS_ALLOCATED, ROLLOUT_SURGE } from "../../lib/platform/serverless/contract";
import {
  cpuValidation,
  DEFAULT_CPU,
  DEFAULT_MEMORY,
  memoryValidation,
} from "../../lib/platform/serverless/instance-size";
import { type InstanceInputsProps } from "./instance-inputs";
import { type NetworkInputsProps } from "./network-inputs";

/** What only the serverless platform knows: when the CPU is on, and who may call. */
export class ServerlessInputs extends Construct {
  readonly cpuAlwaysAllocated: IResolvable;
  readonly publicAccess: IResolvable;

  constructor(stack: TerraformStack) {
    super(stack, "serverless-inputs");

    this.cpuAlwaysAllocated = new InputVariable(this, "cpu_always_allocated", {
      type: "bool",
      default: CPU_ALWAYS_ALLOCATED,
      description:
        "Keeps the CPU on between requests, which the worker beside the server needs. False is cheaper and lets mail, tasks and clean-ups wait for the next visitor. A change rolls out new instances.",
    }).booleanValue;

    this.publicAccess = new InputVariable(this, "public_access", {
      type: "bool",
      default: true,
      description:
        "Answers everybody, as a sign-in page must. False lets only callers through that hold the right to invoke the service, which browsers do not send. Changing it later takes effect at once.",
    }).booleanValue;
  }
}

/** Length of `<project>:<region>:<instance>` without the colons, in Terraform's language. */
const CONNECTION_NAME_LENGTH = `(length(var.project_id) + length(var.region) + length(var.tenant_id) + length(var.application_name) + ${SQL_INSTANCE_NAME_FRAME_LENGTH})`;

/** The path of the database socket is made of most names. */
export const SOCKET_PATH_FITS: TerraformVariableValidationConfig = {
  condition: `\${${CONNECTION_NAME_LENGTH} <= ${CONNECTION_NAME_BUDGET}}`,
  errorMessage: `application_name, tenant_id, project_id and region are too long together; the path of the database socket has room for ${CONNECTION_NAME_BUDGET} characters of them and needs \${${CONNECTION_NAME_LENGTH}}, because a socket address holds 108 bytes; shorten application_name or tenant_id by \${${CONNECTION_NAME_LENGTH} - ${CONNECTION_NAME_BUDGET}}.`,
};

/** What this platform says about an existing network. */
export const SERVICE_NETWORK: NetworkInputsProps = {
  network:
    "that already has private services access: the database gets a private address on it and no public one. None leaves a public address that only authorized proxy connections can use. Once given it cannot be taken back.",
  subnetwork:
    "/26 or larger: instances take addresses from it. A change rolls out new instances. After a destroy the platform holds these addresses for one to two hours.",
  members: "instances",
  togetherReason: "the service reaches the network through the subnetwork",
};

/** What this platform says about instances. */
export const SERVICE_INSTANCES: InstanceInputsProps = {
  leastInstances: 0,
  leastMeaning: "With 0 the worker stops whenever nobody signs in.",
  surge: ROLLOUT_SURGE,
  cpu: { default: DEFAULT_CPU, choice: "1, 2, 4 or 8", validation: cpuValidation },
  memory: { default: DEFAULT_MEMORY, validation: memoryValidation },
};
