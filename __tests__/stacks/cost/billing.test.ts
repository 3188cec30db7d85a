import { BILLED_TYPES, FREE_TYPES } from "../../../stacks/cost/billing";
import { type CostInputs } from "../../../stacks/cost/input-values";
import { monthlyCost, type PricedStack } from "../../../stacks/cost/monthly-cost";
import { PRICES_LOOKED_UP } from "../../../stacks/cost/price-sources";
import { type PriceId, PRICES } from "../../../stacks/cost/prices";
import { valueAt } from "../configuration-graph";
import { defaultInputs, plannedOf, shippedTerraform } from "./default-inputs";

const STACKS = ["assessment-lab", "idp-kubernetes", "idp-serverless"] as const;

const DOMAIN = { domain: "login.example.com", dns_zone: { name: "example-com" }, protection: {} };

/** Inputs which together bill every price that there is. */
const BILLING_INPUTS: Readonly<Record<PricedStack, readonly CostInputs[]>> = {
  "assessment-lab": [
    {},
    { linux_vm_machine_type: "n1-standard-1", windows_vm_machine_type: "n2-standard-2" },
    { linux_vm_machine_type: "n2d-highcpu-2", windows_vm_machine_type: "c3-standard-4" },
  ],
  "idp-kubernetes": [{}, { ...DOMAIN, worker_mode: "separate", dump_schedule: "0 1 * * *" }],
  "idp-serverless": [
    { cpu_always_allocated: false, database_tier: "db-g1-small", dump_schedule: "0 1 * * *", ...DOMAIN },
    { worker_mode: "separate", dump_schedule: "0 1 * * *", dump_storage_class: "COLDLINE" },
  ],
};

const billedPrices = (stack: PricedStack): Set<PriceId> =>
  new Set(
    BILLING_INPUTS[stack].flatMap((inputs) => {
      const { firstApplyParts, parts } = monthlyCost(stack, { ...defaultInputs(stack), ...inputs });
      return [...parts, ...firstApplyParts].map(({ price }) => price);
    }),
  );

const typesIn = (stack: PricedStack): string[] => Object.keys(shippedTerraform(stack).resource ?? {});

describe("Every type of a resource", () => {
  const free = FREE_TYPES.flatMap(({ types }) => types);

  it.each(STACKS)("in %s is billed by a price, or free for a reason", (stack) => {
    const decided = [...free, ...Object.keys(BILLED_TYPES)];
    const undecided = typesIn(stack).filter((type) => !decided.includes(type));
    // A new type: give it a price and a part in stacks/cost, or a reason in billing.ts.
    expect(undecided).toEqual([]);
  });

  it("is either billed or free, and occurs in a stack", () => {
    const decided = [...free, ...Object.keys(BILLED_TYPES)].sort();
    expect(decided).toEqual([...new Set(STACKS.flatMap(typesIn))].sort());
  });

  it.each(STACKS)("in %s that is billed has a part with one of its prices", (stack) => {
    const prices = billedPrices(stack);
    const unpriced = typesIn(stack).filter((type) => BILLED_TYPES[type]?.every((price) => !prices.has(price)));
    // The bucket of the lab holds a key alone.
    expect(unpriced).toEqual(stack === "assessment-lab" ? ["google_storage_bucket", "terraform_data"] : []);
  });
});

describe("Every price", () => {
  it("is that of a type, and of a part of some stack", () => {
    const ofTypes = new Set(Object.values(BILLED_TYPES).flat());
    const ofParts = new Set(STACKS.flatMap((stack) => [...billedPrices(stack)]));
    expect([...ofTypes].sort()).toEqual(Object.keys(PRICES).sort());
    expect([...ofParts].sort()).toEqual(Object.keys(PRICES).sort());
  });

  it("is positive, and has a unit, a source and, if known, a date", () => {
    for (const { amount, sku, source, unit } of Object.values(PRICES)) {
      expect([sku, amount > 0, unit !== ""]).toEqual([sku, true, true]);
      expect(source.page).toMatch(/^https:\/\/cloud\.google\.com\/[a-z-]+\/[a-z-]*pricing$/);
      expect(source.asOf ?? PRICES_LOOKED_UP).toMatch(/^20\d\d-\d\d(?:-\d\d)?$/);
      expect((source.asOf ?? "") <= PRICES_LOOKED_UP).toBe(true);
    }
  });
});

describe("A price that texts tell", () => {
  it("is that of the table", () => {
    const told = JSON.stringify(shippedTerraform("idp-serverless")).match(/USD [\d.]+ per GiB/g);
    expect([...new Set(told)]).toEqual([`USD ${PRICES.databaseBackup.amount} per GiB`]);
    const [without, with_] = [null, { account_id: "1" }].map((geoip) =>
      monthlyCost("idp-kubernetes", { ...defaultInputs("idp-kubernetes"), geoip }),
    );
    // "two dollars for each pod", on the page.
    expect(Math.round((with_?.monthly.min ?? 0) - (without?.monthly.min ?? 0))).toBe(2);
  });
});

describe("What quantities are counted by", () => {
  it.each([
    ["idp-serverless", {}],
    ["idp-serverless", { bootstrap_token: true }],
    ["idp-serverless", { dump_schedule: "0 1 * * *" }],
    ["idp-serverless", { dump_schedule: "0 1 * * *", dump_at_apply: true }],
    ["idp-kubernetes", { dump_schedule: "0 1 * * *", dump_at_apply: true }],
    ["idp-kubernetes", { bootstrap_token: true }],
  ] as const)("is what %s with %j stores of secrets", (stack, given) => {
    const inputs = { ...defaultInputs(stack), ...given };
    const secrets = monthlyCost(stack, inputs).parts.find(({ name }) => name === "Secrets");
    expect(secrets?.quantity.min).toBe(plannedOf(stack, "google_secret_manager_secret_version", inputs));
  });

  it("is what the registry keeps of images, and what a deleted dump stays for", () => {
    const { resource } = shippedTerraform("idp-serverless");
    const policies = valueAt(resource, "google_artifact_registry_repository.registry.cleanup_policies");
    expect(JSON.stringify(policies)).toContain('"keep_count":10');
    const stays = "google_storage_bucket.dump_bucket.soft_delete_policy.retention_duration_seconds";
    expect(valueAt(resource, stays)).toBe(7 * 24 * 60 * 60);
    const { parts } = monthlyCost("idp-serverless", defaultInputs("idp-serverless"));
    expect(parts.find(({ name }) => name === "Images")?.varies).toBe("one image, up to the 10 that are kept");
  });

  it("is how often the check asks", () => {
    const { resource } = shippedTerraform("idp-serverless");
    const check = "google_monitoring_uptime_check_config.monitoring_uptime_check";
    expect(valueAt(resource, `${check}.period`)).toBe("60s");
    // All of the places that there are.
    expect(valueAt(resource, `${check}.selected_regions`)).toBeUndefined();
  });
});
