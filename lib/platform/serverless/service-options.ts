import { whole } from "../../core/checks";
import { flag, number, type SettingsOf } from "../../core/inputs";
import { REQUESTS_PER_INSTANCE } from "../../idp/contract";
import { DEFAULT_ADDRESS } from "../edge/domain";
import { CPU_ALWAYS_ALLOCATED } from "./serverless-defaults";

/** Inputs of the Cloud Run service, on its own and in a whole identity provider. */
export const SERVICE = {
  /** Keeps the CPU allocated between requests, which a worker beside the server needs. */
  cpuAlwaysAllocated: flag({
    default: CPU_ALWAYS_ALLOCATED,
    description:
      "Keeps the CPU on between requests, which a worker beside the server needs. False is cheaper, but without separate workers, mail, tasks and clean-ups then wait for the next request. A change rolls out new instances.",
  }),
  /**
   * Maximum number of requests that one instance answers at the same time: 1 to 1000, 40 by default. Each takes a database
   * connection, but for web sockets, of which every open page of the application holds one.
   */
  maxInstanceRequestConcurrency: number({
    default: REQUESTS_PER_INSTANCE,
    description:
      "Maximum number of requests that one instance answers at the same time: 1 to 1000. Each takes a database connection, but for web sockets, of which every open page of the application holds one. With fewer, Cloud Run starts further instances sooner. A change rolls out new instances.",
    must: [whole(1, 1000, `, because Cloud Run allows no more; use ${REQUESTS_PER_INSTANCE}`)],
  }),
  /** Gives an instance more CPU while it starts. */
  startupCpuBoost: flag({
    default: true,
    description:
      "Gives an instance more CPU while it starts, billed as if it had it. A change rolls out new instances.",
  }),
  ...DEFAULT_ADDRESS,
  /**
   * Allows unauthenticated requests, as a sign-in page must. Otherwise callers need permission to invoke the service,
   * which browsers do not have.
   */
  publicAccess: flag({
    default: true,
    description:
      "Allows unauthenticated requests, as a sign-in page must. False allows only callers with permission to invoke the service, which browsers do not have. Changing it later takes effect at once.",
  }),
};

export type ServiceOptions = SettingsOf<typeof SERVICE>;
