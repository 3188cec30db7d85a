import { contents, headingsOf } from "./headings";
import {
  inputCells,
  inputsTables,
  outputCells,
  outputsTable,
  type Rows,
  type TabledConfiguration,
} from "./markdown-tables";
import { pageText } from "./page-sections";

/** The parts of a synthesized configuration that its page describes. */
export type PageConfiguration = TabledConfiguration & {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, object>>>>;
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
    ...{ stack, version },
    minutes: /takes (\d+ to \d+ minutes)/.exec(pageText(`${stack}.md`))?.[1] ?? "some time",
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
