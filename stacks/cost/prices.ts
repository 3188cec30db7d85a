import { SOURCES, type PriceSource } from "./price-sources";

/** One list price. */
export interface Price {
  /** The provider's name for it, on a bill or on its page. */
  readonly sku: string;

  /** US dollars for one unit. */
  readonly amount: number;

  readonly unit: string;

  readonly source: PriceSource;

  /** Why the amount is not reliable; a price without this was read at its source. */
  readonly unverified?: string;
}

/** Region that the prices hold for. */
export const PRICE_REGION = "us-central1";

export const CURRENCY = "USD";

/** Hours of a month, as the provider counts them. */
export const MONTH_HOURS = 730;

const price = (amount: number, unit: string, sku: string, source: PriceSource, unverified?: string): Price => ({
  sku,
  amount,
  unit,
  source,
  unverified,
});

const { external, loadBalancer, machines, observability, run, secrets, sql, sqlStorage, storage } = SOURCES;

/**
 * Prices of all parts, in US dollars, of `us-central1`, without taxes, discounts and the free tiers of a billing
 * account.
 */
export const PRICES = {
  runCpu: price(0.000018, "vCPU-second", "Services CPU (Instance-based billing), and jobs", run),
  runMemory: price(0.000002, "GiB-second", "Services Memory (Instance-based billing), and jobs", run),
  runActiveCpu: price(0.000024, "vCPU-second", "Services CPU (Request-based billing)", run),
  runActiveMemory: price(0.0000025, "GiB-second", "Services Memory (Request-based billing)", run),
  runIdleCpu: price(0.0000025, "vCPU-second", "Services Min Instance CPU (Request-based billing)", run),
  runIdleMemory: price(0.0000025, "GiB-second", "Services Min Instance Memory (Request-based billing)", run),
  runRequests: price(0.4, "million requests", "Requests (Request-based billing)", run),
  workerPoolCpu: price(0.000011244, "vCPU-second", "Worker Pools CPU", SOURCES.workerPool),
  workerPoolMemory: price(0.000001235, "GiB-second", "Worker Pools Memory", SOURCES.workerPool),

  clusterFee: price(0.1, "hour", "Cluster management fee", SOURCES.autopilot),
  podCpu: price(0.0445, "vCPU-hour", "Autopilot Pod mCPU Requests", SOURCES.autopilot),
  podMemory: price(0.0049225, "GiB-hour", "Autopilot Pod Memory Requests", SOURCES.autopilot),
  podDisk: price(
    0.0000548,
    "GiB-hour",
    "Autopilot Pod Ephemeral Storage Requests",
    SOURCES.ephemeralStorage,
    "no source could be read; it fits the price of another region",
  ),

  databaseCpu: price(0.0413, "vCPU-hour", "Cloud SQL for PostgreSQL: Zonal - vCPU", sql),
  databaseMemory: price(0.007, "GiB-hour", "Cloud SQL for PostgreSQL: Zonal - RAM", sql),
  databaseSharedCore: price(0.035, "hour", "Cloud SQL for PostgreSQL: Zonal - Small instance", sqlStorage),
  databaseDisk: price(0.17, "GiB-month", "Cloud SQL for PostgreSQL: Zonal - Standard storage", sqlStorage),
  databaseBackup: price(0.08, "GiB-month", "Cloud SQL: Backups", sqlStorage),

  forwardingRules: price(0.025, "hour", "Forwarding Rule Minimum, for up to five rules", loadBalancer),
  loadBalancerData: price(0.008, "GiB", "Load Balancer Data Processing, in or out", loadBalancer),
  internet: price(0.12, "GiB", "Premium Tier internet data transfer out, up to 1 TiB", SOURCES.internet),
  address: price(0.005, "hour", "External IP Charge on a Standard VM, and on NAT", external),
  natVm: price(0.0014, "VM-hour", "Cloud NAT gateway, for up to 32 VMs", SOURCES.nat),
  natData: price(0.045, "GiB", "Cloud NAT data processing", SOURCES.nat),
  dnsQueries: price(0.4, "million queries", "Cloud DNS queries", SOURCES.dns),

  armorPolicy: price(5, "policy-month", "Networking Cloud Armor Policy", SOURCES.armor),
  armorRule: price(1, "rule-month", "Networking Cloud Armor Rule", SOURCES.armor),
  armorRequests: price(0.75, "million requests", "Networking Cloud Armor Requests", SOURCES.armor),

  secretVersion: price(0.06, "version-month", "Secret version replica storage", secrets),
  secretAccess: price(0.03, "10,000 reads", "Secret access operations", secrets),
  imageStorage: price(0.1, "GiB-month", "Artifact Registry storage", SOURCES.images),
  imageBuild: price(0.006, "minute", "Cloud Build on e2-standard-2", SOURCES.build),

  standardStorage: price(0.02, "GiB-month", "Standard Storage Iowa", storage),
  nearlineStorage: price(0.01, "GiB-month", "Nearline Storage Iowa", SOURCES.nearline),
  coldlineStorage: price(
    0.004,
    "GiB-month",
    "Coldline Storage Iowa",
    SOURCES.coldline,
    "it could be read only in test data",
  ),
  nearlineReading: price(0.01, "GiB", "Nearline Data Retrieval", SOURCES.nearline),
  coldlineReading: price(0.02, "GiB", "Coldline Data Retrieval", SOURCES.storageRetrieval),
  storageWrites: price(0.05, "10,000 operations", "Regional Standard Class A Operations", storage),
  storageReads: price(0.004, "10,000 operations", "Regional Standard Class B Operations", storage),

  logs: price(0.5, "GiB", "Log storage, above 50 GiB of a project a month", observability),
  uptimeChecks: price(0.3, "1,000 checks", "Uptime checks, above a million of a project a month", observability),
  schedulerJob: price(0.1, "job-month", "Cloud Scheduler jobs", SOURCES.scheduler),

  c3Cpu: price(0.03465, "vCPU-hour", "C3 Instance Core running in Americas", machines),
  c3Memory: price(0.003938, "GiB-hour", "C3 Instance Ram running in Americas", machines),
  e2Cpu: price(0.02181159, "vCPU-hour", "E2 Instance Core running in Americas", machines),
  e2Memory: price(0.00292353, "GiB-hour", "E2 Instance Ram running in Americas", machines),
  n1Cpu: price(0.031611, "vCPU-hour", "N1 Predefined Instance Core running in Americas", machines),
  n1Memory: price(0.004237, "GiB-hour", "N1 Predefined Instance Ram running in Americas", machines),
  n2Cpu: price(0.031611, "vCPU-hour", "N2 Instance Core running in Americas", machines),
  n2Memory: price(0.004237, "GiB-hour", "N2 Instance Ram running in Americas", machines),
  n2dCpu: price(0.027502, "vCPU-hour", "N2D AMD Instance Core running in Americas", machines),
  n2dMemory: price(0.003686, "GiB-hour", "N2D AMD Instance Ram running in Americas", machines),
  windowsLicence: price(0.046, "vCPU-hour", "Licensing Fee for Windows Server 2022 Datacenter on VM", SOURCES.windows),
  balancedDisk: price(0.1, "GiB-month", "Balanced PD Capacity", SOURCES.disk),
} as const satisfies Record<string, Price>;

export type PriceId = keyof typeof PRICES;
