import { BILLED_TYPES, FREE_TYPES } from "../../stacks/cost/billing";
import {
  amountRange,
  amountText,
  COST_HEADINGS,
  costRows,
  priceBasis,
  priceText,
  rangeReasons,
} from "../../stacks/cost/cost-table";
import { type CostInputs } from "../../stacks/cost/input-values";
import { monthlyCost, type Cost, type PricedStack } from "../../stacks/cost/monthly-cost";
import { sumOf, type PartGroup } from "../../stacks/cost/part";
import { MONTH_HOURS, PRICES } from "../../stacks/cost/prices";
import { USAGE } from "../../stacks/cost/usage";
import { table } from "../../stacks/folder/markdown-tables";
import { type Terraform } from "../support/synthesis";

type Stacks = Readonly<Record<string, Terraform>>;

const IDENTITY_PROVIDERS = { "Cloud Run": "idp-serverless", GKE: "idp-kubernetes" } as const;

/** What a stack costs with these inputs and the defaults of all others. */
function costOf(stacks: Stacks, stack: string, inputs: CostInputs = {}): Cost {
  const { variable } = stacks[stack] ?? {};
  if (variable === undefined) throw new Error(`a page shows what ${stack} costs, which is not a stack`);
  const defaults = Object.entries(variable).map(([name, { default: value = null }]): [string, unknown] => [
    name,
    value,
  ]);
  return monthlyCost(stack as PricedStack, { ...Object.fromEntries(defaults), ...inputs });
}

/**
 * What a page says of costs:
 *
 * - `summary`: each stack for an hour, four hours and a month
 * - `a`: the parts of stack a with the defaults, what they depend on and what is not known
 * - `domain a`, `workers`, `dumps`: what these add
 * - `prices`, `usage`, `types`: the price table, the assumed use, and which types of resources are billed by what
 */
export function costPart(selection: string, stacks: Stacks): string {
  const [kind = "", stack = ""] = selection.split(" ");
  switch (kind) {
    case "summary":
      return summaryTable(stacks);
    case "domain":
      return domainTable(stack, stacks);
    case "workers":
      return additionsTable("workers", { worker_mode: "separate" }, stacks);
    case "dumps":
      return additionsTable("dumps", { dump_schedule: "30 4 * * *" }, stacks);
    case "prices":
      return pricesTable();
    case "usage":
      return table(
        ["Assumed use in a month", "Minimum", "Maximum"],
        Object.values(USAGE).map(({ max, meaning, min }) => [meaning, String(min), String(max)]),
      );
    case "types":
      return typesTable();
    default:
      return stackTable(costOf(stacks, kind));
  }
}

function summaryTable(stacks: Stacks): string {
  const rows = Object.keys(stacks).map((stack) => {
    const { monthly } = costOf(stacks, stack);
    const hour = monthly.min / MONTH_HOURS;
    return [
      `[\`${stack}\`](stacks/${stack}.md#costs)`,
      amountText(hour),
      amountText(4 * hour),
      monthly.min.toFixed(0),
      monthly.max.toFixed(0),
    ];
  });
  return table(["Stack", "An hour", "Four hours", "A month at least", "A month at most"], rows);
}

function stackTable(cost: Cost): string {
  const { firstApply, firstApplyParts, monthly, parts, unknown } = cost;
  const once = `A first apply costs ${amountRange(firstApply)} in addition, once.`;
  const reasons = rangeReasons(parts);
  return [
    [priceBasis(cost), ...(firstApplyParts.length === 0 ? [] : [once])].join(" "),
    table(COST_HEADINGS, [...costRows(parts), sumRow("Sum", amountRange(monthly))]),
    ...(reasons.length === 0 ? [] : ["What the ranges depend on:", list(reasons)]),
    "What is not known:",
    list(unknown.map((sentence) => sentence.replaceAll(/\b([a-z]+(?:_[a-z]+)+)\b/g, "`$1`"))),
  ].join("\n\n");
}

/** Steps from no domain to a protected one. */
function domainTable(stack: string, stacks: Stacks): string {
  const [without, with_, protected_] = [{}, { domain: "x" }, { domain: "x", protection: {} }].map((inputs) =>
    costOf(stacks, stack, inputs),
  ) as [Cost, Cost, Cost];
  const own = (cost: Cost, group: PartGroup) => costRows(cost.parts.filter((part) => part.group === group));
  const gone = without.parts.filter(({ name }) => !with_.parts.some((part) => part.name === name));
  return table(COST_HEADINGS, [
    sumRow("Without a domain", amountRange(without.monthly)),
    ...costRows(gone).map(([name = "", ...cells]) => [
      `${name}, which is not needed then`,
      ...cells.slice(0, -1),
      `less ${String(cells.at(-1))}`,
    ]),
    ...own(with_, "domain"),
    sumRow("With a domain", amountRange(with_.monthly)),
    ...own(protected_, "protection"),
    sumRow("With a domain and `protection`", amountRange(protected_.monthly)),
  ]);
}

/** The parts of a group on both platforms, with their sum on each. */
function additionsTable(group: PartGroup, inputs: CostInputs, stacks: Stacks): string {
  const rows = Object.entries(IDENTITY_PROVIDERS).flatMap(([where, stack]) => {
    const parts = costOf(stacks, stack, inputs).parts.filter((part) => part.group === group);
    const sum = amountRange(sumOf(parts.map(({ amount }) => amount)));
    return [...costRows(parts), sumRow("Sum", sum)].map((cells) => [where, ...cells]);
  });
  return table(["Where", ...COST_HEADINGS], rows);
}

function pricesTable(): string {
  const rows = Object.values(PRICES).map(({ amount, sku, source, unit, unverified }) => [
    sku,
    priceText(amount),
    unit,
    `[page](${source.page})`,
    unverified === undefined ? source.through : `not verified: ${unverified}`,
    source.asOf ?? "unknown",
  ]);
  return table(["What is billed", "Price", "Unit", "Provider", "Read through", "Of"], rows);
}

function typesTable(): string {
  const billed = Object.entries(BILLED_TYPES).map(([type, prices]) => [
    `\`${type}\``,
    prices.map((price) => PRICES[price].sku).join("; "),
  ]);
  const free = FREE_TYPES.map(({ reason, types }) => [types.map((type) => `\`${type}\``).join(", "), reason]);
  return table(["Resources", "Billed by, or why not"], [...billed, ...free]);
}

function sumRow(name: string, amount: string): string[] {
  return [`**${name}**`, ...COST_HEADINGS.slice(2).map(() => ""), `**${amount}**`];
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}
