import { type BlockSchema } from "../../stacks/provider-schema/provider-schema";
import { type Cloud, Refusal } from "../project/cloud";
import { computedOf, type ProviderSettings, type ResourceType } from "../project/resource-type";
import {
  completedBlock,
  isValueObject,
  mapAttributes,
  UNKNOWN,
  Unknown,
  type Value,
  valueAt,
  type ValueObject,
} from "../project/terraform-value";
import { typedDefault } from "./schema-rules";

interface FillContext {
  readonly id: string;
  readonly cloud: Cloud;
  readonly block: BlockSchema;
}

/** Labels, with the one that the provider adds. */
function labelsOf(config: ValueObject): ValueObject {
  const labels = config.labels ?? config.resource_labels ?? null;
  return { ...(isValueObject(labels) ? labels : {}), "goog-terraform-provisioned": "true" };
}

/** Planned values, with those that the real provider knows before the apply. */
export function withKnown(
  kind: ResourceType,
  planned: ValueObject,
  config: ValueObject,
  settings: ProviderSettings,
): ValueObject {
  const hasProject = "project" in planned && kind.isPlacedByReference !== true;
  const labels = planned.labels instanceof Unknown ? UNKNOWN : labelsOf(config);
  const known: ValueObject = {
    ...(hasProject ? { project: requireProject(config.project ?? settings.project) } : {}),
    deletion_policy: "DELETE",
    effective_labels: labels,
    terraform_labels: labels,
    ...kind.knownAtPlan?.(config, settings),
  };
  return Object.fromEntries(
    Object.entries(planned).map(([name, value]) => [name, config[name] === null ? (known[name] ?? value) : value]),
  );
}

/** Planned values, with the provider's project if the configuration has none. */
export function withProject(planned: ValueObject, { project }: ProviderSettings): ValueObject {
  return planned.project instanceof Unknown ? { ...planned, project } : planned;
}

/** @throws Refusal as the provider does, if neither the resource nor the `provider` block has a project */
function requireProject(project: Value): Value {
  if (project === "") throw new Refusal("project: required field is not set");
  return project;
}

/** Values after an apply: everything unknown has a value. */
export function filled(
  kind: ResourceType,
  planned: ValueObject,
  values: ValueObject,
  context: FillContext,
): ValueObject {
  const computed = computedOf(kind, values, context.id, context.cloud);
  const { block } = context;
  const { block_types: blocks = {} } = block;
  const top = Object.fromEntries(
    Object.entries(planned).map(([name, value]) => {
      if (name === "project" && value instanceof Unknown)
        return [name, computed.project ?? requireProject(values.project ?? "")];
      const filled = withComputed(value, computed[name]);
      return [name, filled instanceof Unknown && name in blocks ? [] : filled];
    }),
  );
  return mapAttributes(completedBlock(top, block), block, null, (value, { type: attributeType }, name) =>
    value instanceof Unknown ? typedDefault(attributeType, name) : value,
  ) as ValueObject;
}

/** Write-only arguments by path. */
export function writeOnlyIn(config: Value, block: BlockSchema): Record<string, string> {
  const attributes = Object.entries(block.attributes ?? {});
  return Object.fromEntries(
    attributes.flatMap(([name, attribute]) => {
      const value = attribute.write_only === true ? valueAt(config, name) : null;
      const entries = isValueObject(value)
        ? Object.entries(value).map(([key, item]) => [`${name}.${key}`, item] as const)
        : [[name, value] as const];
      return entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
    }),
  );
}

/** A value with its unknown parts replaced by the computed ones. */
function withComputed(value: Value, computed: Value | undefined): Value {
  if (computed === undefined) return value;
  if (value instanceof Unknown) return computed;
  if (Array.isArray(value)) {
    return (value as readonly Value[]).map((item, index) =>
      withComputed(item, valueAt(computed, String(index)) ?? undefined),
    );
  }
  if (!isValueObject(value) || !isValueObject(computed)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withComputed(item, computed[name])]));
}

/** Blocks that are not configured: as they were, or unknown until the apply. */
export function computedBlocks(
  { computedBlocks: names = [] }: ResourceType,
  prior: Value,
  config: ValueObject,
): ValueObject {
  const unconfigured = names.filter((name) => Array.isArray(config[name]) && config[name].length === 0);
  return Object.fromEntries(unconfigured.map((name) => [name, isValueObject(prior) ? (prior[name] ?? null) : UNKNOWN]));
}
