import { wholeNumber } from "../core/checked-value";

/** Longest duration of a request, including web sockets, which outposts and the administration pages keep open. */
export const DEFAULT_REQUEST_TIMEOUT_SECONDS = 3600;

/** Time limit of a request, on both platforms. */
export const REQUEST_TIMEOUT = wholeNumber(
  { from: 1, to: 3600 },
  { reason: "Cloud Run allows no longer request", remedy: `use ${DEFAULT_REQUEST_TIMEOUT_SECONDS}` },
);

/** The platform's own default. */
export const DEFAULT_REQUEST_CONCURRENCY = 80;

/** Requests that one instance of Cloud Run answers at the same time. */
export const REQUEST_CONCURRENCY = wholeNumber(
  { from: 1, to: 1000 },
  { reason: "Cloud Run sends an instance no more", remedy: `use ${DEFAULT_REQUEST_CONCURRENCY}` },
);
