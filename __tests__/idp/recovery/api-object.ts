import { type BlockSchema, trimmedSchema } from "../../stacks/provider-schema/provider-schema";
import { type Block } from "../../support/synthesis";

/** An object in the form of the Kubernetes API. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** Types of the API by those of the provider. */
const KINDS: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string } | undefined>> = {
  kubernetes_cron_job_v1: { apiVersion: "batch/v1", kind: "CronJob" },
  kubernetes_job_v1: { apiVersion: "batch/v1", kind: "Job" },
};

/** Blocks that are lists in the API, with their names there; every other block is a single object. */
const LISTS: Readonly<Record<string, string>> = {
  container: "containers",
  env: "env",
  init_container: "initContainers",
  items: "items",
  port: "ports",
  toleration: "tolerations",
  volume: "volumes",
  volume_mount: "volumeMounts",
};

/** Integers that the provider takes as strings. */
const NUMBERS = ["fs_group", "run_as_group", "run_as_user"];

/** File modes, which the provider takes in octal notation. */
const MODES = ["default_mode", "mode"];

/** Arguments for the provider only, or null in a cluster of the deployment's own, which are not sent. */
const NOT_SENT = ["id", "node_selector", "status", "timeouts"];

/** One resource in the form of the Kubernetes API. */
export function apiObject(type: string, block: Block): ApiObject {
  const { apiVersion, kind } = KINDS[type] ?? {};
  const described = trimmedSchema("kubernetes")?.resource_schemas?.[type];
  if (apiVersion === undefined || kind === undefined || described === undefined) {
    throw new Error(`nothing is known of ${type}; without schemas, run: npm run rehearse:schemas`);
  }
  return { apiVersion, kind, ...translated(block, described.block) };
}

function translated(block: Block, { attributes = {}, block_types: blocks = {} }: BlockSchema): Record<string, unknown> {
  const repeated = Object.fromEntries(
    Object.entries((block.dynamic ?? {}) as Block).map(([name, bodies]) => [
      name,
      [...itemsOf(block[name]), ...itemsOf(bodies).map(({ content }) => content)],
    ]),
  );
  return Object.fromEntries(
    Object.entries({ ...block, ...repeated }).flatMap(([name, value]): [string, unknown][] => {
      if (value === null || NOT_SENT.includes(name) || name.startsWith("wait_for_")) return [];
      if (name in attributes) return [[camelCase(name), typeof value === "string" ? sentText(name, value) : value]];
      const nested = blocks[name];
      // Anything else belongs to Terraform's language, not to the object.
      if (nested === undefined) return [];
      const items = itemsOf(value).map((item) => translated(item, nested.block));
      const list = nested.max_items === 1 ? undefined : LISTS[name];
      if (list !== undefined) return [[list, items]];
      return items.map((item): [string, unknown] => [camelCase(name), item]);
    }),
  );
}

const itemsOf = (value: unknown): readonly Block[] =>
  Array.isArray(value) ? (value as Block[]) : value === undefined ? [] : [value as Block];

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

function sentText(name: string, text: string): unknown {
  if (MODES.includes(name)) return Number.parseInt(text, 8);
  return NUMBERS.includes(name) ? Number(text) : text;
}
