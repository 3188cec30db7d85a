import { type CostInputs } from "../../../stacks/cost/input-values";
import { monthlyCost, type PricedStack } from "../../../stacks/cost/monthly-cost";
import { type PriceId } from "../../../stacks/cost/prices";
import { fc } from "../../support/seeded-cases";
import { defaultInputs, plannedOf } from "./default-inputs";

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value);
const count = fc.integer({ min: 1, max: 20 });
const tier = fc.oneof(
  fc.constant("db-g1-small"),
  fc.integer({ min: 1, max: 48 }).map((half) => `db-custom-${half * 2}-${half * 8192}`),
);
const ranges = fc.array(fc.constant("10.0.0.0/8"), { maxLength: 30 });

const IDENTITY_PROVIDER: fc.Arbitrary<CostInputs> = fc.record({
  region: fc.constantFrom("us-central1", "europe-west1"),
  backup_retention_count: count,
  backup_before_upgrade: fc.boolean(),
  bootstrap_token: fc.boolean(),
  container_cpu: fc.constantFrom(1, 2, 4, 8),
  container_memory: fc.constantFrom("512Mi", "4Gi", "16Gi"),
  cpu_always_allocated: fc.boolean(),
  database_availability: fc.constantFrom("ZONAL", "REGIONAL"),
  database_tier: tier,
  dns_zone: optional(fc.constant({ name: "zone" })),
  domain: optional(fc.constant("login.example.com")),
  dump_at_apply: fc.boolean(),
  dump_retention_days: fc.integer({ min: 1, max: 365 }),
  dump_schedule: optional(fc.constantFrom("0 1 * * *", "*/10 * * * *", "0 0 29 2 *", "0 1,13 1 * 0", "5-10/2 0 * 3 *")),
  dump_storage_class: fc.constantFrom("STANDARD", "NEARLINE", "COLDLINE"),
  existing_container_image: optional(fc.constant("image:1")),
  existing_security_policy: optional(fc.constant("projects/p/global/securityPolicies/s")),
  geoip: optional(fc.constant({ account_id: "1" })),
  keep_dumps: fc.boolean(),
  max_instance_count: count,
  min_instance_count: fc.integer({ min: 0, max: 1 }),
  network: optional(fc.constant("projects/p/global/networks/n")),
  protection: optional(
    fc.record({
      admin_ranges: ranges,
      restrict_admin: fc.boolean(),
      waf: fc.constantFrom("off", "preview", "enforce"),
    }),
  ),
  public_access: fc.boolean(),
  uptime_check: optional(fc.boolean()),
  worker_count: optional(count),
  worker_cpu: optional(fc.constantFrom(1, 2, 4)),
  worker_memory: optional(fc.constantFrom("2Gi", "8Gi")),
  worker_mode: fc.constantFrom("in-container", "all-in-one", "separate"),
});

const machine = fc.constantFrom("e2-micro", "e2-medium", "e2-standard-8", "n2-highmem-4", "c4-standard-4");
const LAB: fc.Arbitrary<CostInputs> = fc.record({
  region: fc.constantFrom("us-central1", "europe-west1"),
  create_windows_vm: fc.boolean(),
  linux_vm_boot_disk_size_gb: fc.integer({ min: 10, max: 1000 }),
  linux_vm_count: fc.integer({ min: 0, max: 50 }),
  linux_vm_machine_type: machine,
  windows_vm_boot_disk_size_gb: fc.integer({ min: 50, max: 1000 }),
  windows_vm_machine_type: machine,
});

const CASES: readonly (readonly [PricedStack, fc.Arbitrary<CostInputs>])[] = [
  ["idp-serverless", IDENTITY_PROVIDER],
  ["idp-kubernetes", IDENTITY_PROVIDER],
  ["assessment-lab", LAB],
];

/** Inputs of which more is never cheaper, neither at least nor at most. */
const MORE: Readonly<Record<PricedStack, readonly string[]>> = {
  "idp-serverless": [
    "min_instance_count",
    "max_instance_count",
    "container_cpu",
    "backup_retention_count",
    "dump_retention_days",
  ],
  "idp-kubernetes": ["min_instance_count", "max_instance_count", "container_cpu", "backup_retention_count"],
  "assessment-lab": ["linux_vm_count", "linux_vm_boot_disk_size_gb", "windows_vm_boot_disk_size_gb"],
};

/** Types of which a plan has a resource exactly if something is billed by the price. */
const SIGNS: Readonly<Record<PricedStack, Readonly<Record<string, PriceId>>>> = {
  "idp-serverless": {
    google_artifact_registry_repository: "imageStorage",
    google_cloud_run_v2_worker_pool: "workerPoolCpu",
    google_cloud_scheduler_job: "schedulerJob",
    google_compute_global_forwarding_rule: "forwardingRules",
    google_compute_security_policy: "armorPolicy",
    google_dns_record_set: "dnsQueries",
    google_monitoring_uptime_check_config: "uptimeChecks",
  },
  "idp-kubernetes": {
    google_artifact_registry_repository: "imageStorage",
    google_compute_router_nat: "natVm",
    google_compute_security_policy: "armorPolicy",
    google_dns_record_set: "dnsQueries",
    google_monitoring_uptime_check_config: "uptimeChecks",
    kubernetes_service_v1: "forwardingRules",
  },
  "assessment-lab": { google_compute_instance: "balancedDisk" },
};

/** What holds for all inputs, tried with as many as are wanted. */
export function describeCosts(numRuns: number): void {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns });

  describe.each(CASES)("Whatever the inputs, %s", (stack, arbitrary) => {
    const defaults = defaultInputs(stack);
    const inputs = arbitrary
      .map((given): CostInputs => ({ ...defaults, worker_max_count: null, ...given }))
      // Refused together.
      .filter((given) =>
        [given.existing_security_policy, given.protection].some((policy) => (policy ?? null) === null),
      );

    it("costs a finite amount that is not negative, with a minimum not above the maximum", () => {
      fc.assert(
        fc.property(inputs, (given) => {
          const { firstApply, firstApplyParts, monthly, parts } = monthlyCost(stack, given);
          const amounts = [monthly, firstApply, ...[...parts, ...firstApplyParts].map((part) => part.amount)];
          expect(amounts.filter(({ max, min }) => !Number.isFinite(max) || !(min >= 0) || max < min)).toEqual([]);
        }),
      );
    });

    it.each(MORE[stack])("is never cheaper with more of %s", (name) => {
      fc.assert(
        fc.property(inputs, fc.integer({ min: 1, max: 5 }), (given, more) => {
          const before = monthlyCost(stack, given).monthly;
          const value = given[name] as number;
          const after = monthlyCost(stack, { ...given, [name]: value + more }).monthly;
          expect(after.min).toBeGreaterThanOrEqual(before.min);
          expect(after.max).toBeGreaterThanOrEqual(before.max);
        }),
      );
    });

    it("has resources in a plan exactly where something is billed by their prices", () => {
      const signs = Object.entries(SIGNS[stack]);
      fc.assert(
        fc.property(inputs, (given) => {
          const prices = new Set(monthlyCost(stack, given).parts.map((part) => part.price));
          const planned = signs.map(([type]) => [type, plannedOf(stack, type, given) > 0]);
          expect(planned).toEqual(signs.map(([type, price]) => [type, prices.has(price)]));
        }),
      );
    });

    it("names each part once", () => {
      fc.assert(
        fc.property(inputs, (given) => {
          const names = monthlyCost(stack, given).parts.map(({ name }) => name);
          expect(names).toEqual([...new Set(names)]);
        }),
      );
    });
  });
}
