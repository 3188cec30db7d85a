import { InputValues, type CostInputs } from "./input-values";
import { kubernetesParts } from "./kubernetes-parts";
import { labParts } from "./lab-parts";
import { priced, sumOf, type CostPart, type Part, type Range } from "./part";
import { PRICES_LOOKED_UP } from "./price-sources";
import { CURRENCY, PRICE_REGION, PRICES } from "./prices";
import { serverlessParts } from "./serverless-parts";

/** What a stack costs with given inputs. */
export interface Cost {
  readonly stack: string;
  readonly currency: typeof CURRENCY;

  /** Region that the prices hold for. */
  readonly priceRegion: string;

  /** Last day on which the prices were looked up. */
  readonly pricesLookedUp: string;

  /** The parts that are billed every month. */
  readonly parts: readonly CostPart[];

  /** Sum of the parts, in US dollars a month. */
  readonly monthly: Range;

  /** What a first apply costs once. */
  readonly firstApplyParts: readonly CostPart[];
  readonly firstApply: Range;

  /** Sentences about what is not in the sums, or not certain. */
  readonly unknown: readonly string[];
}

/** Stacks that have a price. */
export type PricedStack = "assessment-lab" | "idp-kubernetes" | "idp-serverless";

/**
 * What a stack costs a month, by part, at the list prices of the table. It reads only its arguments.
 *
 * @param inputs the value of every input by its Terraform name, with defaults for those that are not set
 */
export function monthlyCost(stack: PricedStack, inputs: CostInputs): Cost {
  const values = new InputValues(inputs);
  const { parts, unknown } = PARTS[stack](values);
  const all = parts.map(priced);
  const firstApplyParts = all.filter(({ group }) => group === "first apply");
  const monthlyParts = all.filter(({ group }) => group !== "first apply");
  return {
    stack,
    currency: CURRENCY,
    priceRegion: PRICE_REGION,
    pricesLookedUp: PRICES_LOOKED_UP,
    parts: monthlyParts,
    monthly: sumOf(monthlyParts.map(({ amount }) => amount)),
    firstApplyParts,
    firstApply: sumOf(firstApplyParts.map(({ amount }) => amount)),
    unknown: [...regionUnknown(values.text("region")), ...unknown, ...unverified(all), ...ALWAYS_UNKNOWN],
  };
}

const SERVERLESS_UNKNOWN = [
  "The additional CPU of starting instances, with startup_cpu_boost, is not in the sum.",
] as const;

const IDENTITY_PROVIDER_UNKNOWN = [
  "Alerts are free. Google has announced a price for each metric that an alert reads, 0.35 a month, from September 2027 at the earliest.",
] as const;

const KUBERNETES_UNKNOWN = [
  "Metrics that managed Prometheus collects in the cluster are not in the sum: their number is unknown before it runs.",
] as const;

const LAB_UNKNOWN = [
  "The VMs are billed as if they ran all month. A stopped VM costs only its disk.",
  "Traffic from VMs to the internet is not in the sum.",
] as const;

const ALWAYS_UNKNOWN = ["Taxes, discounts and the free tiers of a billing account are not in the sums."] as const;

const PARTS: Readonly<
  Record<PricedStack, (inputs: InputValues) => { readonly parts: readonly Part[]; readonly unknown: readonly string[] }>
> = {
  "idp-serverless": (inputs) => ({
    parts: serverlessParts(inputs),
    unknown: [...SERVERLESS_UNKNOWN, ...IDENTITY_PROVIDER_UNKNOWN],
  }),
  "idp-kubernetes": (inputs) => ({
    parts: kubernetesParts(inputs),
    unknown: [...KUBERNETES_UNKNOWN, ...IDENTITY_PROVIDER_UNKNOWN],
  }),
  "assessment-lab": (inputs) => {
    const { parts, unknown } = labParts(inputs);
    return { parts, unknown: [...unknown, ...LAB_UNKNOWN] };
  },
};

function regionUnknown(region: string): string[] {
  if (region === PRICE_REGION) return [];
  return [`The prices are those of ${PRICE_REGION}. Those of ${region} are not in the table.`];
}

/** Prices without a source. */
function unverified(parts: readonly CostPart[]): string[] {
  const ids = [...new Set(parts.map(({ price }) => price))];
  return ids.flatMap((id) => {
    const { sku, unverified: reason } = PRICES[id];
    return reason === undefined ? [] : [`The price of "${sku}" is not verified: ${reason}.`];
  });
}
