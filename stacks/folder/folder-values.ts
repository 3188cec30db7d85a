import { plannedResources, type CountedConfiguration } from "../planned-resources";
import { contents, headingsOf } from "./headings";
import {
  inputCells,
  inputsTables,
  outputCells,
  outputsTable,
  type Rows,
  type TabledConfiguration,
} from "./markdown-tables";
import { pageText, tableOf } from "./page-sections";

/** A synthesized configuration, as far as its page tells of it. */
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
  readonly stack: string;
  readonly configuration: PageConfiguration;
  readonly pictures: Readonly<Record<string, string>>;
  readonly version: string;
}

/**
 * What a page says of this very folder, by name.
 *
 * @param text the page, with its headings
 */
export function folderValues(folder: Folder, text: string): Readonly<Record<string, string>> {
  const { configuration, pictures, stack, version } = folder;
  const inputs = inputCells(configuration);
  const { required_providers: providers, required_version: release } = configuration.terraform;
  return {
    ...{ stack, version, previous: previousVersion(version), ...prices(stack) },
    minutes: /takes (\d+ to \d+ minutes)/.exec(pageText(`${stack}.md`))?.[1] ?? "some time",
    resources: String(plannedResources(configuration)),
    contents: contents(headingsOf(text).filter(({ level }) => level === 2)),
    pictures: picturesText(pictures, ["overview.svg", "first-apply.svg"]),
    dashboard: picturesText(pictures, ["dashboard.svg"]),
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

/** The version before this one, as the changelog has it. */
function previousVersion(version: string): string {
  const versions = [...pageText("../CHANGELOG.md").matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, each = ""]) => each);
  return versions.find((each) => each !== version) ?? version;
}

/** Prices with the defaults, as the first page of this repository has them. */
function prices(stack: string): Readonly<Record<"hour" | "month", string>> {
  const { header, rows } = tableOf({ page: "../README.md", anchor: "what-it-costs-to-try" }, stack);
  const row = rows.find(([name = ""]) => name.includes(`\`${stack}\``));
  const of = (column: string) => row?.[header.indexOf(column)] ?? "";
  return { hour: of("An hour"), month: of("A month") };
}

function picturesText(pictures: Readonly<Record<string, string>>, names: readonly string[]): string {
  return names.flatMap((name) => (pictures[name] === undefined ? [] : [`![${pictures[name]}](${name})`])).join("\n\n");
}

function stateText({ backend, cloud }: PageConfiguration["terraform"]): string {
  const [type] = cloud === undefined ? Object.keys(backend ?? {}) : ["cloud"];
  if (type === "local") return "the file `terraform.tfstate` in this folder, and is lost with it";
  return type === undefined
    ? "wherever you say: this folder names no backend, so add one as below"
    : `in a backend, \`${type}\``;
}

/** The services that an apply switches on: always, and depending on inputs. */
function apis({ resource = {} }: PageConfiguration): Readonly<Record<"apis" | "apis-by-input", string>> {
  const services = Object.values(resource.google_project_service ?? {}) as { count?: unknown; service?: unknown }[];
  const names = (chosen: typeof services) =>
    [...new Set(chosen.map(({ service }) => `\`${String(service)}\``))].sort().join(", ");
  return {
    apis: names(services.filter(({ count }) => count === undefined)),
    "apis-by-input": names(services.filter(({ count }) => count !== undefined)),
  };
}
