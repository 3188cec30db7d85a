import { type IResolvable } from "cdktf";

import { wholeNumber } from "../../core/checked-value";
import { REQUESTS_PER_INSTANCE } from "../../idp/contract";

/** Options of the Cloud Run service, on its own and in a whole identity provider. */
export interface ServiceOptions {
  /**
   * Closes the address that Cloud Run assigns, so that every request goes through the load balancer of the domain. Set
   * it only after the domain works, because Terraform closes the address first.
   *
   * @default false
   */
  readonly closeDefaultAddress?: boolean | IResolvable;

  /**
   * Keeps the CPU allocated between requests, which a worker beside the server needs.
   *
   * @default true
   */
  readonly cpuAlwaysAllocated?: boolean | IResolvable;

  /**
   * Maximum number of requests that one instance answers at the same time: 1 to 1000. Each takes a database connection,
   * but for web sockets, of which every open page of the application holds one.
   *
   * @default 40
   */
  readonly maxInstanceRequestConcurrency?: number;

  /**
   * Allows unauthenticated requests, as a sign-in page must. Otherwise callers need permission to invoke the service,
   * which browsers do not have.
   *
   * @default true
   */
  readonly publicAccess?: boolean | IResolvable;

  /**
   * Gives an instance more CPU while it starts.
   *
   * @default true
   */
  readonly startupCpuBoost?: boolean | IResolvable;
}

/** Requests that one instance of Cloud Run answers at the same time. */
export const REQUEST_CONCURRENCY = wholeNumber(
  { from: 1, to: 1000 },
  { reason: "Cloud Run allows no more", remedy: `use ${REQUESTS_PER_INSTANCE}` },
);

/** The options among further props. */
export function serviceOptions(props: ServiceOptions): ServiceOptions {
  const { closeDefaultAddress, cpuAlwaysAllocated, maxInstanceRequestConcurrency, publicAccess, startupCpuBoost } =
    props;
  return { closeDefaultAddress, cpuAlwaysAllocated, maxInstanceRequestConcurrency, publicAccess, startupCpuBoost };
}
