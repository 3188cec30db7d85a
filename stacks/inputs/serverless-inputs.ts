import { CONNECTION_NAME_FRAME_LENGTH } from "../../lib/core/names";
import { CERTIFICATE_VALIDATION_DEFAULTS, CLOSED_NEEDS_DOMAIN } from "../../lib/platform/edge/edge-rules";
import { MIN_INSTANCES_OR_NONE } from "../../lib/platform/instance-rules";
import { SOCKET_PATH } from "../../lib/platform/serverless/cloud-run-template";
import { INSTANCE_CPU, INSTANCE_MEMORY, WORKER_CPU } from "../../lib/platform/serverless/instance-size";
import { CPU_ALWAYS_ALLOCATED, ROLLOUT_INSTANCES } from "../../lib/platform/serverless/serverless-defaults";
import { frontDoorInputs } from "./front-door-inputs";
import { identityProviderInputs } from "./identity-provider-inputs";
import { monitoringInputs } from "./monitoring-inputs";
import { type Input } from "./input-table";
import { SERVERLESS_OPERATIONS_INPUTS } from "./operations-inputs";
import { WORKER_COUNT_EXPRESSION } from "./worker-inputs";

/** Length of the database's connection name, as a Terraform expression. */
const CONNECTION_NAME_LENGTH = `(length(join("", [var.project_id, var.region, var.tenant_id, var.application_name])) + ${CONNECTION_NAME_FRAME_LENGTH})`;

/** Inputs of the variant on Cloud Run. */
export const SERVERLESS_INPUTS = {
  ...identityProviderInputs({
    alsoProtected: "",
    identity: "project_id, region, tenant_id or application_name, or to take network away",
    changedLabels: "",
    requestTimeout: { limit: "Time limit of a request", change: "A change rolls out new instances." },
    namesFit: [
      SOCKET_PATH.validationOf(
        { connectionName: "project_id, region, tenant_id and application_name" },
        { connectionName: CONNECTION_NAME_LENGTH },
      ),
    ],
    network:
      "with private services access: the database gets a private address on it and no public one. Without a network, it has a public address that only authorized proxy connections can use. A network cannot be removed later.",
    subnetwork:
      "/26 or larger: instances take addresses from it. A change rolls out new instances. After a destroy, Cloud Run holds these addresses for one to two hours.",
    minInstances: MIN_INSTANCES_OR_NONE,
    leastMeaning:
      "With 0, a worker beside the server stops with the last instance, and mail, tasks and clean-ups wait for the next request.",
    rollout: ROLLOUT_INSTANCES,
    requests: "var.max_instance_request_concurrency",
    workerPlace: "a worker pool",
    workerCountMeaning: "Fixed number of separate workers.",
    workerCpu: WORKER_CPU,
    // Those of the old revision and of the new one.
    mostWorkers: `2 * ${WORKER_COUNT_EXPRESSION}`,
    cpu: INSTANCE_CPU,
    cpuChoice: "1, 2, 4 or 8",
    memory: INSTANCE_MEMORY,
  }),
  cpu_always_allocated: {
    type: "bool",
    default: CPU_ALWAYS_ALLOCATED,
    description:
      "Keeps the CPU on between requests, which a worker beside the server needs. False is cheaper, but without separate workers, mail, tasks and clean-ups then wait for the next request. A change rolls out new instances.",
  },
  ...SERVERLESS_OPERATIONS_INPUTS,
  ...frontDoorInputs({
    detached: "Removing it detaches it.",
    withoutDomain: "Without a domain, clients use the address that Cloud Run assigns, under run.app.",
    certificateValidation: CERTIFICATE_VALIDATION_DEFAULTS.serverless,
  }),
  ...monitoringInputs("serverless"),
  close_default_address: {
    type: "bool",
    default: false,
    description:
      "Closes the address that Cloud Run assigns, so that every request goes through the load balancer of the domain. Never set it in the apply that adds a domain to a running deployment: the address is closed before the load balancer exists. Changing it later takes effect at once.",
    together: [CLOSED_NEEDS_DOMAIN.validationOf({ closeDefaultAddress: "close_default_address", domain: "domain" })],
  },
  public_access: {
    type: "bool",
    default: true,
    description:
      "Allows unauthenticated requests, as a sign-in page must. False allows only callers with permission to invoke the service, which browsers do not have. Changing it later takes effect at once.",
  },
} as const satisfies Record<string, Input>;
