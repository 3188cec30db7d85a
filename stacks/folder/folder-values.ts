import { plannedResources, type CountedConfiguration } from "../planned-resources";
import { amountRange, COST_HEADINGS, costRows, priceBasis, rangeReasons } from "../cost/cost-table";
import { type CostInputs } from "../cost/input-values";
import { monthlyCost, type PricedStack } from "../cost/monthly-cost";
import { MONTH_HOURS } from "../cost/prices";
import { contents, headingsOf } from "./headings";
import {
  inputCells,
  inputsTables,
  outputCells,
  outputsTable,
  table,
  type Rows,
  type TabledConfiguration,
} from "./markdown-tables";
import { pageText } from "./page-sections";

/** The parts of a synthesized configuration that its page describes. */
export type PageConfiguration = CountedConfiguration &
  TabledConfiguration & {
    readonly terraform: {
      readonly backend?: Readonly<Record<string, unknown>>;
      readonly cloud?: unknown;
      readonly required_providers: Readonly<Record<string, { readonly source: string; readonly version: string }>>;
      readonly required_version: string;
    };
  };

interface Folder {
  readonly stack: PricedStack;
  readonly configuration: PageConfiguration;
  readonly version: string;
}

/**
 * The values of this folder that a page contains, by name.
 *
 * @param text the page, with its headings
 */
export function folderValues(folder: Folder, text: string): Readonly<Record<string, string>> {
  const { configuration, stack, version } = folder;
  const inputs = inputCells(configuration);
  const { required_providers: providers, required_version: release } = configuration.terraform;
  return {
    ...{ stack, version, previous: previousVersion(version), ...costs(stack, configuration) },
    minutes: /takes (\d+ to \d+ minutes)/.exec(pageText(`${stack}.md`))?.[1] ?? "some time",
    resources: String(plannedResources(configuration)),
    contents: contents(headingsOf(text).filter(({ level }) => level === 2)),
    "required-inputs": inputsTables(inputs.filter(isRequired)),
    "other-inputs": inputsTables(inputs.filter((cells) => !isRequired(cells))),
    outputs: outputsTable(outputCells(configuration)),
    "required-version": release,
    providers: Object.entries(providers)
      .map(([name, { source, version: range }]) => `${name} (\`${source}\` ${range})`)
      .join(", "),
    state: stateText(configuration.terraform),
    ...apis(configuration),
  };
}

function isRequired(cells: Rows[number]): boolean {
  return cells[2] === "required";
}

/** The previous version, from the changelog. */
function previousVersion(version: string): string {
  const versions = [...pageText("../CHANGELOG.md").matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, each = ""]) => each);
  return versions.find((each) => each !== version) ?? version;
}

/** Costs with the defaults: per month, per hour, and by part. */
function costs(
  stack: PricedStack,
  { variable }: PageConfiguration,
): Readonly<Record<"costs" | "hour" | "month", string>> {
  const defaults = Object.entries(variable).map(([name, { default: value = null }]) => [name, value]);
  const cost = monthlyCost(stack, Object.fromEntries(defaults) as CostInputs);
  const { firstApply, firstApplyParts, monthly, parts, unknown } = cost;
  return {
    hour: amountRange({ min: monthly.min / MONTH_HOURS, max: monthly.max / MONTH_HOURS }),
    month: [...new Set([monthly.min, monthly.max].map(nearestTen))].join(" to "),
    costs: [
      `With the defaults. ${priceBasis(cost)}`,
      table(COST_HEADINGS, [...costRows(parts), ["**Sum**", "", "", "", `**${amountRange(monthly)}**`]]),
      ...(firstApplyParts.length === 0 ? [] : [`A first apply costs ${amountRange(firstApply)} in addition, once.`]),
      [...rangeReasons(parts), ...unknown].map((sentence) => `- ${sentence}`).join("\n"),
    ].join("\n\n"),
  };
}

/** Costs vary by more than ten dollars a month from what any table says. */
function nearestTen(dollars: number): number {
  return Math.round(dollars / 10) * 10;
}

function stateText({ backend, cloud }: PageConfiguration["terraform"]): string {
  const [type] = cloud === undefined ? Object.keys(backend ?? {}) : ["cloud"];
  if (type === "local") return "the file `terraform.tfstate` in this folder, and is lost with it";
  return type === undefined
    ? "in the backend that you choose: this folder names none, so add one as below"
    : `in a backend, \`${type}\``;
}

/** The APIs that an apply enables: always, and depending on inputs. */
function apis({ resource = {} }: PageConfiguration): Readonly<Record<"apis" | "apis-by-input", string>> {
  const services = Object.values(resource.google_project_service ?? {}) as { count?: unknown; service?: unknown }[];
  const names = (chosen: typeof services) =>
    [...new Set(chosen.map(({ service }) => `\`${String(service)}\``))].sort().join(", ");
  return {
    apis: names(services.filter(({ count }) => count === undefined)),
    "apis-by-input": names(services.filter(({ count }) => count !== undefined)),
  };
}
