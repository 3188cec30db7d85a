import { type Rule } from "../../lib/core/rules";
import { DOMAIN } from "../../lib/core/place-rules";
import { POD_CPU, POD_MEMORY } from "../../lib/platform/kubernetes/pod-size";
import { INSTANCE_CPU, INSTANCE_MEMORY } from "../../lib/platform/serverless/instance-size";
import { DATABASE_TIER, maxConnections } from "../../lib/platform/sql/database-size";
import { kubernetesTerraform } from "../stacks/kubernetes-stack";
import { serverlessTerraform } from "../stacks/serverless-stack";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { fc } from "../support/seeded-cases";

interface Size {
  readonly cpu: number;
  readonly memory: string;
}

const [ofPod, ofInstance] = [POD_MEMORY, INSTANCE_MEMORY].map((rule) =>
  rule.ruleOn<Size>({ cpu: ["cpu", ({ cpu }) => cpu], memory: ["memory", ({ memory }) => memory] }),
) as [Rule<Size>, Rule<Size>];

describeWith(["terraform"], "Terraform and the library", () => {
  /** A rule of the stack as an expression over `each` instead of the inputs. */
  const ruleOf = (variable: string, terraform = serverlessTerraform): string => {
    const rules = terraform().variable?.[variable]?.validation as { condition: string }[];
    return (rules[0]?.condition ?? "").replace(/^\$\{|\}$/g, "").replaceAll("var.", "each.");
  };

  const tiers = fc.sample(
    fc.oneof(
      fc
        .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 2600 }))
        .map(([cpus, steps]) => `db-custom-${cpus}-${steps * 256}`),
      fc
        .tuple(fc.constantFrom(1, 2, 4, 8, 16, 96), fc.integer({ min: 880, max: 6700 }))
        .map(([cpus, perCpu]) => `db-custom-${cpus}-${Math.round((cpus * perCpu) / 256) * 256}`),
      fc.constantFrom("db-f1-micro", "db-g1-small", "db-n1-standard-1", "", "toString", "db-custom-1"),
    ),
    { numRuns: 300, seed: 15 },
  );
  const sizes = fc.sample(
    fc.tuple(
      fc.constantFrom(0, 1, 2, 3, 4, 6, 8, 16),
      fc.oneof(
        fc
          .tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom("Gi", "G", "Mi", "gi"))
          .map((parts) => parts.join("")),
        fc.integer({ min: 1, max: 34000 }).map((mib) => `${mib}Mi`),
      ),
    ),
    { numRuns: 300, seed: 15 },
  );

  const pods = fc.sample(
    fc.tuple(
      fc.oneof(
        fc.integer({ min: 0, max: 120 }).map((quarters) => quarters / 4),
        fc.constantFrom(0.3, 28.5),
      ),
      fc.oneof(
        fc.tuple(fc.integer({ min: 0, max: 120 }), fc.constantFrom("Gi", "G", "Mi")).map((parts) => parts.join("")),
        fc.integer({ min: 1, max: 115_000 }).map((mib) => `${mib}Mi`),
      ),
    ),
    { numRuns: 300, seed: 15 },
  );
  const domains = [
    ...fc.sample(fc.domain(), { numRuns: 60, seed: 15 }),
    ...fc.sample(fc.string({ unit: fc.constantFrom("a", "9", "-", ".", "A", "_") }), { numRuns: 200, seed: 15 }),
    `${"a.".repeat(126)}com`,
  ];

  it("judge pods and domains alike", () => {
    const { fitting, names } = evaluated({
      locals: {
        pods: pods.map(([cpu, memory]) => ({ container_cpu: cpu, container_memory: memory })),
        domains: domains.map((domain) => ({ domain })),
        fitting: `\${[for each in local.pods : ${ruleOf("container_cpu", kubernetesTerraform)} && ${ruleOf("container_memory", kubernetesTerraform)}]}`,
        names: `\${[for each in local.domains : ${ruleOf("domain", kubernetesTerraform)}]}`,
      },
    });
    const expected = pods.map(([cpu, memory]) => POD_CPU.accepts(cpu) && ofPod.holds({ cpu, memory }));
    expect(fitting).toEqual(expected);
    expect(expected.filter((fits) => fits).length).toBeGreaterThan(20);
    expect(names).toEqual(domains.map((domain) => DOMAIN.accepts(domain)));
    expect(domains.filter((domain) => DOMAIN.accepts(domain)).length).toBeGreaterThan(40);
  });

  it("judge tiers and sizes alike, and count the same connections", () => {
    const connections = String(serverlessTerraform().locals?.database_max_connections)
      .replace(/^\$\{|\}$/g, "")
      .replaceAll("var.", "each.");
    const result = evaluated({
      locals: {
        tiers: tiers.map((tier) => ({ database_tier: tier })),
        sizes: sizes.map(([cpu, memory]) => ({ container_cpu: cpu, container_memory: memory })),
        offered: `\${[for each in local.tiers : ${ruleOf("database_tier")}]}`,
        connections: `\${[for each in local.tiers : tostring(${connections})]}`,
        fitting: `\${[for each in local.sizes : ${ruleOf("container_cpu")} && ${ruleOf("container_memory")}]}`,
      },
    });
    expect(result.offered).toEqual(tiers.map((tier) => DATABASE_TIER.accepts(tier)));
    expect(result.fitting).toEqual(
      sizes.map(([cpu, memory]) => INSTANCE_CPU.accepts(cpu) && ofInstance.holds({ cpu, memory })),
    );
    const offered = tiers.flatMap((tier, index) => (DATABASE_TIER.accepts(tier) ? [[tier, index] as const] : []));
    expect(offered.length).toBeGreaterThan(30);
    expect(offered.map(([, index]) => (result.connections as string[])[index])).toEqual(
      offered.map(([tier]) => maxConnections(tier)),
    );
  });
});
