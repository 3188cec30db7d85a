/**
 * Facts of the upstream's releases, from its advisories, its release notes and its list of releases. No other code
 * names a release, and tests compare the pages and examples with this file.
 */

/** The day on which these facts were last looked up. */
export const RELEASES_KNOWN_ON = "2026-11-28";

/** Release that `latest` builds, because the upstream publishes no usable tag `latest`. */
export const PINNED_VERSION = "2026.5.4";

/** Feature releases that get security fixes; the fixes end with the next feature release but one. */
export const RELEASE_LINES = [
  {
    /** Newest known release. */
    newest: "2026.5.9",
    /**
     * Lowest release without a known vulnerability: 2026.5.5 fixes CVE-2026-57580 (another's account by SAML),
     * CVE-2026-55106, CVE-2026-54730, GHSA-jpx7-5hcf-w9xp and GHSA-4r87-w2cx-fr3f (shared signals), and 2026.5.7
     * GHSA-cxwx-9x59-28qm (denial of service without a sign-in), GHSA-m9h4-7j9c-55x9 (stored credentials),
     * GHSA-cqj8-fxxf-9pg7, GHSA-qgqp-xh8r-v73r and GHSA-h6c5-mpvq-j4jc.
     */
    leastSafe: "2026.5.7",
    /** Feature release that ends the fixes. */
    fixesEndWith: "2026.11",
  },
  { newest: "2026.8.7", leastSafe: "2026.8.3", fixesEndWith: "2027.2" },
] as const;

/** Newest known release. */
export const NEWEST_KNOWN_VERSION = RELEASE_LINES[1].newest;

/**
 * Release for new deployments, and therefore for quick starts and examples. It belongs to the feature release with the
 * longest support.
 */
export const RECOMMENDED_VERSION = RELEASE_LINES[1].newest;

/** Last day of fixes of each accepted major version of PostgreSQL. */
export const DATABASE_ENDS: Readonly<Record<string, string>> = {
  "15": "2027-11-11",
  "16": "2028-11-09",
  "17": "2029-11-08",
};

/** Releases that must not be used, with the reason. */
export const REFUSED_VERSIONS: Readonly<Record<string, string>> = {
  "2026.5.1": "upstream never published it",
  "2026.8.2": "a database of 2026.5.7 or later cannot be migrated to it",
  "2026.8.1": "its memory grows until it is killed",
  "2026.8.0": "behind a load balancer, it takes the load balancer as the client of every request",
};

/**
 * Feature releases that an upgrade must not skip: before `to` or any later release, the database must have been
 * migrated by `from`, preferably by its newest patch.
 */
export const UPGRADE_EDGES = [
  { to: "2026.2", from: "2025.12.6", otherwise: "tables are left half migrated" },
  { to: "2026.8", from: RELEASE_LINES[0].newest, otherwise: "the application refuses to start" },
] as const;

/** First release without Redis: since then, cache, sessions, tasks and channels are in PostgreSQL. */
export const OLDEST_VERSION = { year: 2025, feature: 10 } as const;

/**
 * Health routes of a worker up to the release that corrected their spelling (#24481). On 2026.5, every other path
 * answers 200 at once, even while the worker is frozen. Earlier releases check the health on every path, and later ones
 * answer 404 on these.
 */
export const MISSPELT_WORKER_HEALTH = { path: "/-/heath/", before: { year: 2026, feature: 8 } } as const;
