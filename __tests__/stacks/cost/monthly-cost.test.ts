import { type CostInputs } from "../../../stacks/cost/input-values";
import { monthlyCost, type Cost, type PricedStack } from "../../../stacks/cost/monthly-cost";
import { type PartGroup, type Range } from "../../../stacks/cost/part";
import { defaultInputs } from "./default-inputs";

const STACKS = ["assessment-lab", "idp-kubernetes", "idp-serverless"] as const;
const IDENTITY_PROVIDERS = ["idp-kubernetes", "idp-serverless"] as const;

const costWith = (stack: PricedStack, inputs: CostInputs = {}): Cost =>
  monthlyCost(stack, { ...defaultInputs(stack), ...inputs });

const amountOf = (cost: Cost, part: string): Range | undefined => cost.parts.find(({ name }) => name === part)?.amount;

const namesIn = (cost: Cost, group: PartGroup): string[] =>
  cost.parts.filter((part) => part.group === group).map(({ name }) => name);

/** Names of the parts that cost something else than by default, and of those that are there in one case alone. */
const changedBy = (stack: PricedStack, inputs: CostInputs, before: CostInputs = {}): string[] => {
  const amounts = [before, { ...before, ...inputs }].map(
    (given) => new Map(costWith(stack, given).parts.map(({ amount, name }) => [name, `${amount.min} ${amount.max}`])),
  );
  const [without, with_] = amounts as [Map<string, string>, Map<string, string>];
  return [...new Set([...without.keys(), ...with_.keys()])].filter((name) => without.get(name) !== with_.get(name));
};

describe("The cost of a stack", () => {
  it.each(STACKS)("of %s is the sum of its parts", (stack) => {
    const { monthly, parts } = costWith(stack);
    expect(monthly.min).toBeCloseTo(
      parts.reduce((sum, { amount }) => sum + amount.min, 0),
      2,
    );
    expect(monthly.max).toBeCloseTo(
      parts.reduce((sum, { amount }) => sum + amount.max, 0),
      2,
    );
    expect(monthly.min).toBeGreaterThan(100);
  });

  it.each(STACKS)("of %s is almost nothing for a first apply, which is not part of a month", (stack) => {
    const { firstApply, parts } = costWith(stack);
    expect(firstApply.max).toBeLessThan(0.1);
    expect(parts.filter(({ group }) => group === "first apply")).toEqual([]);
  });

  it.each(STACKS)("of %s says on what each range depends", (stack) => {
    const { firstApplyParts, parts } = costWith(stack, IDENTITY_PROVIDERS.some((each) => each === stack) ? FULL : {});
    const all = [...parts, ...firstApplyParts];
    expect(all.filter(({ quantity, varies }) => quantity.min !== quantity.max && varies === undefined)).toEqual([]);
  });

  it("says that the prices are of another region", () => {
    expect(costWith("idp-serverless").unknown.join(" ")).not.toContain("The prices are those of us-central1.");
    expect(costWith("idp-serverless", { region: "europe-west1" }).unknown).toContain(
      "The prices are those of us-central1. Those of europe-west1 are not in the table.",
    );
  });

  it("says which price nobody could verify, where it is in the sum", () => {
    const unverified = /^The price of "Autopilot Pod Ephemeral Storage Requests" is not verified: /;
    expect(costWith("idp-kubernetes").unknown).toContainEqual(expect.stringMatching(unverified));
    expect(costWith("idp-serverless").unknown).not.toContainEqual(expect.stringMatching(unverified));
  });

  it("is refused without an input that it depends on", () => {
    expect(() => monthlyCost("idp-serverless", { region: "us-central1" })).toThrow(
      "the price depends on the input public_access, which has no value",
    );
  });
});

/** Everything that adds a part to an identity provider. */
const FULL: CostInputs = {
  domain: "login.example.com",
  dns_zone: { name: "example-com" },
  protection: {},
  worker_mode: "separate",
  dump_schedule: "30 4 * * *",
  dump_at_apply: true,
  bootstrap_token: true,
};

describe.each(IDENTITY_PROVIDERS)("The cost of %s", (stack) => {
  it("is twice as much for a database with a standby", () => {
    const [one, two] = ["ZONAL", "REGIONAL"].map((availability) =>
      costWith(stack, { database_availability: availability }),
    ) as [Cost, Cost];
    for (const part of ["CPU", "memory", "disk"]) {
      const single = amountOf(one, `Database, ${part}`);
      const double = amountOf(two, `Database, ${part}, with a standby`);
      expect(double?.min).toBeCloseTo(2 * (single?.min ?? NaN), 3);
      expect(double?.max).toBeCloseTo(2 * (single?.max ?? NaN), 3);
    }
  });

  it("follows the CPUs and the memory of the database", () => {
    expect(changedBy(stack, { database_tier: "db-custom-2-3840" })).toEqual(["Database, CPU"]);
    expect(changedBy(stack, { database_tier: "db-custom-1-4096" })).toEqual(["Database, memory"]);
    expect(amountOf(costWith(stack, { database_tier: "db-g1-small" }), "Database, db-g1-small")).toEqual({
      min: 25.55,
      max: 25.55,
    });
  });

  it("is higher for backups if more are kept", () => {
    expect(changedBy(stack, { backup_retention_count: 30 })).toEqual(["Backups of the database"]);
    expect(changedBy(stack, { backup_before_upgrade: false })).toEqual(["Backups of the database"]);
  });

  it("includes separate workers only in that mode", () => {
    expect(namesIn(costWith(stack), "workers")).toEqual([]);
    const workers = namesIn(costWith(stack, { worker_mode: "separate" }), "workers");
    expect(workers.length).toBeGreaterThan(1);
    const changed = changedBy(stack, { worker_count: 2, worker_max_count: 4 }, { worker_mode: "separate" });
    expect(changed.filter((name) => name !== "NAT of the nodes")).toEqual(workers);
  });

  it("includes a load balancer and protection only with a domain", () => {
    expect(namesIn(costWith(stack, { protection: {} }), "domain")).toEqual([]);
    expect(namesIn(costWith(stack, { protection: {} }), "protection")).toEqual([]);
    const domain = { domain: "login.example.com" };
    expect(amountOf(costWith(stack, domain), "Load balancer of the domain")).toEqual({ min: 18.25, max: 18.25 });
    expect(namesIn(costWith(stack, domain), "protection")).toEqual([]);
    expect(namesIn(costWith(stack, { ...domain, protection: {} }), "protection").length).toBe(3);
  });

  it("has a price for each rule of the protection", () => {
    const rulesWith = (protection: unknown) =>
      amountOf(costWith(stack, { domain: "login.example.com", protection }), "Rules of the security policy")?.min;
    expect(rulesWith({})).toBe(9);
    expect(rulesWith({ waf: "off" })).toBe(3);
    const ranges = Array.from({ length: 11 }, (_, number) => `10.0.${number}.0/24`);
    expect(rulesWith({ admin_ranges: ranges })).toBe(11);
    expect(rulesWith({ admin_ranges: ranges.slice(0, 1), restrict_admin: true })).toBe(12);
  });

  it("has only the requests of an existing policy", () => {
    const domain = { domain: "login.example.com", existing_security_policy: "projects/p/global/securityPolicies/x" };
    expect(namesIn(costWith(stack, domain), "protection")).toEqual(["Requests that the security policy judges"]);
  });

  it("has dumps by schedule, and what is kept of them", () => {
    expect(namesIn(costWith(stack), "dumps")).toEqual([]);
    const daily = costWith(stack, { dump_schedule: "30 4 * * *" });
    const weekly = costWith(stack, { dump_schedule: "30 4 * * 0" });
    expect(amountOf(daily, "Job of the dumps, CPU")?.max).toBeCloseTo(
      7 * (amountOf(weekly, "Job of the dumps, CPU")?.max ?? NaN),
      1,
    );
    expect(amountOf(daily, "Dumps")?.max).toBeGreaterThan(amountOf(weekly, "Dumps")?.max ?? NaN);
    expect(namesIn(costWith(stack, { keep_dumps: true }), "dumps")).toContain("Dumps");
    expect(namesIn(costWith(stack, { keep_dumps: true }), "dumps")).not.toContain("Job of the dumps, CPU");
    const standard = costWith(stack, { dump_schedule: "30 4 * * *", dump_storage_class: "STANDARD" });
    expect(namesIn(standard, "dumps")).not.toContain("Reading dumps, to check and to copy them");
  });

  it("has no image where one is given", () => {
    const changed = changedBy(stack, { existing_container_image: "us-docker.pkg.dev/p/r/i:1" });
    expect(changed).toEqual(["Images"]);
  });
});

describe("The cost of idp-serverless", () => {
  it("ranges from the instances that always run to the maximum", () => {
    const [one, two] = [1, 2].map((count) => costWith("idp-serverless", { min_instance_count: count })) as [Cost, Cost];
    expect(amountOf(one, "Server, CPU")).toEqual({ min: 94.608, max: 283.824 });
    expect(amountOf(two, "Server, CPU")).toEqual({ min: 189.216, max: 283.824 });
  });

  it("starts at nothing for instances that scale to zero, unless the uptime check keeps one running", () => {
    const asleep = { min_instance_count: 0, worker_mode: "separate", uptime_check: false };
    expect(amountOf(costWith("idp-serverless", asleep), "Server, CPU")?.min).toBe(0);
    expect(amountOf(costWith("idp-serverless", { ...asleep, uptime_check: true }), "Server, CPU")?.min).toBe(94.608);
  });

  it("is billed by requests where the CPU sleeps between them", () => {
    const cost = costWith("idp-serverless", { cpu_always_allocated: false });
    expect(namesIn(cost, "application")).toEqual([
      "Waiting server, CPU",
      "Waiting server, memory",
      "Answering server, CPU",
      "Answering server, memory",
      "Requests to the server",
    ]);
    expect(cost.monthly.min).toBeLessThan(costWith("idp-serverless").monthly.min);
  });

  it("has secrets for the scripts of the jobs", () => {
    const secrets = (inputs: CostInputs) => {
      const { parts } = costWith("idp-serverless", inputs);
      return parts.find(({ name }) => name === "Secrets")?.quantity.min;
    };
    expect(secrets({})).toBe(5);
    expect(secrets({ dump_schedule: "30 4 * * *" })).toBe(6);
    expect(secrets(FULL)).toBe(8);
  });
});

describe("The cost of idp-kubernetes", () => {
  it("has the proxy, the bucket's sidecar and the updater in each pod", () => {
    expect(amountOf(costWith("idp-kubernetes"), "Server, CPU")?.min).toBeCloseTo((2 + 0.1 + 0.25) * 0.0445 * 730, 3);
    const geoip = { geoip: { account_id: "1", license_key_secret: { secret_id: "s", version: "1" } } };
    expect(amountOf(costWith("idp-kubernetes", geoip), "Server, CPU")?.min).toBeCloseTo(2.4 * 0.0445 * 730, 3);
  });

  it("has no NAT in an existing network, which has one", () => {
    const network = { network: "projects/p/global/networks/n", subnetwork: "projects/p/regions/r/subnetworks/s" };
    expect(changedBy("idp-kubernetes", network)).toEqual(["NAT of the nodes", "Address of the NAT", "Data of the NAT"]);
  });
});

describe("The cost of the lab", () => {
  it("is that of the existing VMs", () => {
    const linux = ["Linux VMs, CPU", "Linux VMs, memory", "Disks of the Linux VMs"];
    expect(changedBy("assessment-lab", { linux_vm_count: 10 })).toEqual(linux);
    expect(changedBy("assessment-lab", { create_windows_vm: false }).length).toBe(5);
    const { parts } = costWith("assessment-lab", { create_windows_vm: false, linux_vm_count: 0 });
    expect(parts).toEqual([]);
  });

  it("has the licence by the CPUs that the system sees", () => {
    const licence = (type: string) =>
      amountOf(costWith("assessment-lab", { windows_vm_machine_type: type }), "Licence of Windows Server")?.min;
    expect(licence("e2-medium")).toBe(67.16);
    expect(licence("e2-standard-4")).toBe(134.32);
  });

  it("has the CPUs and the memory of a machine type", () => {
    const { parts } = costWith("assessment-lab", { linux_vm_count: 1, linux_vm_machine_type: "n1-highmem-2" });
    const amounts = parts.filter(({ name }) => name.startsWith("Linux VMs, ")).map(({ amount }) => amount.min);
    expect(amounts).toEqual([46.1521, 40.2091]);
  });

  it("says that it has no price for a machine type", () => {
    const cost = costWith("assessment-lab", { linux_vm_machine_type: "c4-standard-4" });
    expect(cost.unknown[0]).toBe(
      "Linux VMs: the price table has no machine type c4-standard-4; the sum does not include it.",
    );
    expect(amountOf(cost, "Linux VMs, CPU")).toBeUndefined();
  });
});
