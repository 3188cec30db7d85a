import { type BlockSchema, type ElementSchema, type ProviderSchema } from "../stacks/provider-schema/provider-schema";
import { type Cloud, type CloudObject, Refusal } from "./cloud";
import {
  type DataSourceKind,
  type EphemeralKind,
  labelsOf,
  type ProviderSettings,
  type ResourceKind,
} from "./resource-kind";
import { configurationProblems, typedDefault } from "./schema-rules";
import {
  blockType,
  completed,
  isValueObject,
  mapAttributes,
  sameValue,
  textAt,
  Unknown,
  UNKNOWN,
  type Value,
  valueAt,
  type ValueObject,
} from "./terraform-value";

export interface ProviderKinds {
  readonly resources: Readonly<Record<string, ResourceKind>>;
  readonly ephemeral: Readonly<Record<string, EphemeralKind>>;
  readonly dataSources?: Readonly<Record<string, DataSourceKind>>;
}

/** Kinds of blocks that a configuration is checked for. */
export type BlockKind = "data" | "ephemeral" | "resource";

/** One change as Terraform hands it over; a prior state of null is a creation, a planned one of null a deletion. */
export interface Change {
  readonly prior: Value;
  readonly planned: Value;
  readonly config: Value;
}

/** A problem together with what exists nevertheless. */
export class BrokenCreation extends Error {
  constructor(
    message: string,
    readonly state: Value,
  ) {
    super(message);
  }
}

/** What a provider does for resources, without the protocol around it: the schema's rules, then the type's own. */
export class ResourceProvider {
  private settings: ProviderSettings = { project: "", region: "" };

  constructor(
    readonly schema: ProviderSchema,
    private readonly kinds: ProviderKinds,
    private readonly cloud: Cloud,
  ) {}

  configure(config: Value): void {
    this.settings = { project: textAt(config, "project"), region: textAt(config, "region") };
  }

  problems(type: string, config: Value, kind: BlockKind): readonly string[] {
    const schemas = {
      data: this.schema.data_source_schemas,
      ephemeral: this.schema.ephemeral_resource_schemas,
      resource: this.schema.resource_schemas,
    };
    const problems = configurationProblems(config, this.schemaOf(type, schemas[kind]).block);
    if (kind !== "resource" || !isValueObject(config)) return problems;
    return [...problems, ...(this.kindOf(type).problems?.(config) ?? [])];
  }

  /** A state of JSON in the shape of the schema. */
  upgraded(type: string, json: string): Value {
    return completed(JSON.parse(json) as unknown, blockType(this.blockOf(type)));
  }

  /** State as the project has it; null when the thing is gone. */
  read(type: string, current: Value): Value {
    const object = this.cloud.find(type, textAt(current, "id"));
    if (object === undefined) return null;
    return this.kindOf(type).asRead?.(object.values) ?? object.values;
  }

  plan(type: string, { prior, planned: proposed, config }: Change): { planned: Value; replacedBy: readonly string[] } {
    if (proposed === null || !isValueObject(config)) return { planned: proposed, replacedBy: [] };
    const block = this.blockOf(type);
    const kind = this.kindOf(type);
    const unset = mapAttributes(proposed, block, prior, (value, { computed, write_only: writeOnly }, _name, before) => {
      if (writeOnly === true) return null;
      // A value that the platform left empty stays so; only what is new can be anything.
      return value === null && computed === true && (prior === null || before === UNKNOWN) ? UNKNOWN : value;
    });
    const planned = this.withKnown(kind, unset as ValueObject, config, block);
    if (!isValueObject(prior)) return { planned, replacedBy: [] };
    if (!isValueObject(planned) || sameValue(planned, prior)) return { planned, replacedBy: [] };
    const replacedBy = [
      ...kind.replacedBy.filter((path) => !sameValue(valueAt(prior, path), valueAt(planned, path))),
      ...(kind.replacedWhen?.(prior, planned) ?? []),
    ];
    return { planned, replacedBy };
  }

  apply(type: string, change: Change): Value {
    try {
      return this.applied(type, change);
    } catch (error) {
      const isOwn = error instanceof Refusal || error instanceof BrokenCreation;
      if (isOwn && !error.message.includes("injected failure")) this.cloud.refusals.push(error.message);
      throw error;
    }
  }

  private applied(type: string, { prior, planned, config }: Change): Value {
    const kind = this.kindOf(type);
    if (planned === null) return this.destroy(type, kind, prior as ValueObject);
    const values = planned as ValueObject;
    const writeOnly = this.writeOnly(type, config);
    if (prior !== null) return this.update(type, kind, { prior: prior as ValueObject, values, writeOnly });

    const id = kind.id(values, this.cloud);
    const state = this.filled(type, kind, values, id);
    const object: CloudObject = { type, id, values: state, writeOnly, needs: kind.needs?.(state, this.cloud) ?? [] };
    try {
      this.cloud.create(object);
      kind.afterCreate?.(object, this.cloud);
    } catch (error) {
      if (!(error instanceof Refusal) || this.cloud.objects.get(`${type} ${id}`) !== object) throw error;
      throw new BrokenCreation(error.message, state);
    }
    return state;
  }

  open(type: string, config: Value): Value {
    const kind = this.kinds.ephemeral[type];
    if (kind === undefined) throw new Error(missingKind(type));
    return kind.open(config as ValueObject, this.cloud);
  }

  /** What a data source finds; attributes of its schema that nobody gives are typed and always the same. */
  look(type: string, config: Value): Value {
    const kind = this.kinds.dataSources?.[type];
    if (kind === undefined) throw new Error(missingKind(type));
    const { block } = this.schemaOf(type, this.schema.data_source_schemas);
    const found: ValueObject = {
      ...(config as ValueObject),
      ...kind.read(config as ValueObject, this.cloud, this.settings),
    };
    return mapAttributes(found, block, null, (value, { type: attributeType, computed }, name) =>
      value === null && computed === true ? typedDefault(attributeType, name) : value,
    );
  }

  private update(
    type: string,
    kind: ResourceKind,
    change: { readonly prior: ValueObject; readonly values: ValueObject; readonly writeOnly: Record<string, string> },
  ): Value {
    const before = this.cloud.find(type, textAt(change.prior, "id"));
    if (before === undefined) throw new Refusal(`Error 404: ${type} ${textAt(change.prior, "id")} does not exist`);
    const state = this.filled(type, kind, change.values, before.id);
    const needs = kind.needs?.(state, this.cloud) ?? [];
    // The provider sends a write-only value only together with a new version number of it.
    const sent = Object.entries(change.writeOnly).filter(
      ([name]) => !sameValue(change.prior[`${name}_version`] ?? null, state[`${name}_version`] ?? null),
    );
    const object = { ...before, values: state, writeOnly: { ...before.writeOnly, ...Object.fromEntries(sent) }, needs };
    this.cloud.update(object);
    kind.afterUpdate?.(object, this.cloud);
    return state;
  }

  private destroy(type: string, kind: ResourceKind, prior: ValueObject): Value {
    const object = this.cloud.find(type, textAt(prior, "id"));
    if (object === undefined) return null;
    kind.beforeDestroy?.(prior, object, this.cloud);
    this.cloud.destroy(object);
    kind.afterDestroy?.(object, this.cloud);
    return null;
  }

  /** Planned values with those that the real provider knows before the apply. */
  private withKnown(kind: ResourceKind, planned: ValueObject, config: ValueObject, block: BlockSchema): Value {
    const attributes = block.attributes ?? {};
    const ofEvery: ValueObject = {
      ...(kind.knownAtPlan === undefined ? { project: this.settings.project, deletion_policy: "DELETE" } : {}),
      ...("project" in attributes && config.project !== null ? { project: config.project ?? null } : {}),
      ...("terraform_labels" in attributes
        ? { effective_labels: labelsOf(config), terraform_labels: labelsOf(config) }
        : {}),
    };
    const known: ValueObject = { ...ofEvery, ...kind.knownAtPlan?.(config, this.settings) };
    const labelsUnknown = planned.labels instanceof Unknown;
    return Object.fromEntries(
      Object.entries(planned).map(([name, value]) => {
        const replacement = known[name];
        if (replacement === undefined || config[name] !== null) return [name, value];
        return [name, labelsUnknown && name.endsWith("_labels") ? UNKNOWN : replacement];
      }),
    );
  }

  private filled(type: string, kind: ResourceKind, planned: ValueObject, id: string): ValueObject {
    const project = planned.project instanceof Unknown ? this.settings.project : planned.project;
    const values = "project" in planned ? { ...planned, project: project ?? null } : planned;
    const computed: ValueObject = { id, ...kind.computed?.(values, { id, cloud: this.cloud }) };
    const top = Object.fromEntries(
      Object.entries(planned).map(([name, value]) => [
        name,
        value instanceof Unknown ? (computed[name] ?? (name === "project" ? (project ?? null) : value)) : value,
      ]),
    );
    return mapAttributes(top, this.blockOf(type), null, (value, { type: attributeType }, name) =>
      value instanceof Unknown ? typedDefault(attributeType, name) : value,
    ) as ValueObject;
  }

  private writeOnly(type: string, config: Value): Record<string, string> {
    const attributes = Object.entries(this.blockOf(type).attributes ?? {});
    return Object.fromEntries(
      attributes.flatMap(([name, attribute]) => {
        const value = attribute.write_only === true ? valueAt(config, name) : null;
        return typeof value === "string" ? [[name, value]] : [];
      }),
    );
  }

  private blockOf(type: string): BlockSchema {
    return this.schemaOf(type, this.schema.resource_schemas).block;
  }

  private schemaOf(type: string, schemas: Readonly<Record<string, ElementSchema>> = {}): ElementSchema {
    const schema = schemas[type];
    if (schema === undefined) throw new Error(`the stand-in has no schema of ${type}`);
    return schema;
  }

  private kindOf(type: string): ResourceKind {
    const kind = this.kinds.resources[type];
    if (kind === undefined) throw new Error(missingKind(type));
    return kind;
  }
}

function missingKind(type: string): string {
  return `nothing is known of how ${type} behaves; add it to the kinds of its provider`;
}
