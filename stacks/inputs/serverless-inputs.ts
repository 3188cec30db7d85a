import { type TerraformVariableValidationConfig } from "cdktf";

import { CONNECTION_NAME_BUDGET, SQL_INSTANCE_NAME_FRAME_LENGTH } from "../../lib/core/names";
import { MIN_INSTANCES_OR_NONE } from "../../lib/platform/instance-count";
import { INSTANCE_CPU, INSTANCE_MEMORY } from "../../lib/platform/serverless/instance-size";
import { CPU_ALWAYS_ALLOCATED, ROLLOUT_SURGE } from "../../lib/platform/serverless/serverless-defaults";
import { identityProviderInputs } from "./identity-provider-inputs";
import { type Input } from "./input-table";

/** Length of `<project>:<region>:<instance>` without the colons, in Terraform's language. */
const CONNECTION_NAME_LENGTH = `(length(var.project_id) + length(var.region) + length(var.tenant_id) + length(var.application_name) + ${SQL_INSTANCE_NAME_FRAME_LENGTH})`;

/** The path of the database socket is made of most names. */
const SOCKET_PATH_FITS: TerraformVariableValidationConfig = {
  condition: `\${${CONNECTION_NAME_LENGTH} <= ${CONNECTION_NAME_BUDGET}}`,
  errorMessage: `application_name, tenant_id, project_id and region are too long together; the path of the database socket has room for ${CONNECTION_NAME_BUDGET} characters of them and needs \${${CONNECTION_NAME_LENGTH}}, because a socket address holds 108 bytes; shorten application_name or tenant_id by \${${CONNECTION_NAME_LENGTH} - ${CONNECTION_NAME_BUDGET}}.`,
};

/** Inputs of the serverless variant. */
export const SERVERLESS_INPUTS = {
  ...identityProviderInputs({
    alsoProtected: "",
    namesFit: [SOCKET_PATH_FITS],
    network:
      "that already has private services access: the database gets a private address on it and no public one. None leaves a public address that only authorized proxy connections can use. Once given it cannot be taken back.",
    subnetwork:
      "/26 or larger: instances take addresses from it. A change rolls out new instances. After a destroy Cloud Run holds these addresses for one to two hours.",
    minInstances: MIN_INSTANCES_OR_NONE,
    leastMeaning: "With 0 the worker stops whenever nobody signs in.",
    surge: ROLLOUT_SURGE,
    cpu: INSTANCE_CPU,
    cpuChoice: "1, 2, 4 or 8",
    memory: INSTANCE_MEMORY,
  }),
  cpu_always_allocated: {
    type: "bool",
    default: CPU_ALWAYS_ALLOCATED,
    description:
      "Keeps the CPU on between requests, which the worker beside the server needs. False is cheaper and lets mail, tasks and clean-ups wait for the next request. A change rolls out new instances.",
  },
  public_access: {
    type: "bool",
    default: true,
    description:
      "Allows unauthenticated requests, as a sign-in page must. False admits only callers that hold the right to invoke the service, which browsers do not send. Changing it later takes effect at once.",
  },
} as const satisfies Record<string, Input>;
