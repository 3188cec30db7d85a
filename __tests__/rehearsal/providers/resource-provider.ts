import {
  type BlockSchema,
  type ElementSchema,
  type ProviderSchema,
} from "../../stacks/provider-schema/provider-schema";
import { type Cloud, type CloudObject, InjectedRefusal, Refusal } from "../project/cloud";
import {
  idOf,
  needsOf,
  type ProviderSettings,
  type ProviderTypes,
  replacing,
  requireUnprotected,
  type ResourceType,
} from "../project/resource-type";
import {
  completedBlock,
  hasUnknown,
  isValueObject,
  mapAttributes,
  sameValue,
  textAt,
  UNKNOWN,
  type Value,
  type ValueObject,
} from "../project/terraform-value";
import { computedBlocks, filled, withKnown, withProject, writeOnlyIn } from "./planned-values";
import { typedDefault } from "./schema-rules";

/** One change from Terraform; a null prior state is a creation, a null planned state a deletion. */
export interface Change {
  readonly prior: Value;
  readonly planned: Value;
  readonly config: Value;
}

/** A failed creation, with the resource that exists nevertheless. */
export class BrokenCreation extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly state: Value,
  ) {
    super(refusal.message);
  }
}

/**
 * What a provider of SDK v2 records when a change fails: of an update the planned values, as if it had succeeded,
 * unless it takes care not to.
 */
export function recordedAfterFailure({ planned, prior }: Change): Value {
  if (!isValueObject(prior) || !isValueObject(planned)) return prior;
  return Object.fromEntries(
    Object.entries(planned).map(([name, value]) => [name, hasUnknown(value) ? (prior[name] ?? null) : value]),
  );
}

/** A provider without the protocol: applies the schema's rules, then those of the type. */
export class ResourceProvider {
  private settings: ProviderSettings = { project: "", region: "" };
  private configuration: ValueObject = {};

  constructor(
    readonly schema: ProviderSchema,
    private readonly types: ProviderTypes,
    private readonly cloud: Cloud,
  ) {}

  configure(config: Value): void {
    this.settings = { project: textAt(config, "project"), region: textAt(config, "region") };
    this.configuration = isValueObject(config) ? config : {};
  }

  /** A JSON state in the shape of the schema. */
  upgraded(type: string, json: string): Value {
    return completedBlock(JSON.parse(json) as Value, this.blockOf(type));
  }

  /** The state in the project; null if the resource is gone. */
  read(type: string, current: Value): Value {
    this.types.requireAccess?.(this.configuration, this.cloud);
    const object = this.cloud.find(type, textAt(current, "id"));
    if (object === undefined || !isValueObject(current)) return null;
    const context = { cloud: this.cloud, provider: this.configuration, current };
    const read = this.kindOf(type).asRead?.(object.values, context);
    return read === undefined ? object.values : completedBlock(read, this.blockOf(type));
  }

  /** True for a type that returns blocks that are not configured, which Terraform must be told. */
  fillsBlocks(type: string): boolean {
    return this.kindOf(type).computedBlocks !== undefined;
  }

  plan(type: string, { prior, planned: proposed, config }: Change): { planned: Value; replacedBy: readonly string[] } {
    if (proposed === null || !isValueObject(config)) return { planned: proposed, replacedBy: [] };
    const block = this.blockOf(type);
    const kind = this.kindOf(type);
    const unset = mapAttributes(proposed, block, prior, (value, { computed, write_only: writeOnly }, _name, before) => {
      if (writeOnly === true) return null;
      // A value that the platform left empty stays empty; only a new one is unknown.
      return value === null && computed === true && before === undefined ? UNKNOWN : value;
    });
    const known = withKnown(kind, unset as ValueObject, config, this.settings);
    const planned = { ...known, ...computedBlocks(kind, prior, config) };
    this.cloud.planned.add(`${type} ${idOf(kind, withProject(planned, this.settings), this.cloud)}`);
    if (!isValueObject(prior)) return { planned, replacedBy: [] };
    if (!isValueObject(planned) || sameValue(planned, prior)) return { planned, replacedBy: [] };
    return { planned, replacedBy: replacing(kind, prior, planned) };
  }

  apply(type: string, change: Change): Value {
    try {
      return this.applied(type, change);
    } catch (error) {
      const refusal = error instanceof BrokenCreation ? error.refusal : error;
      if (refusal instanceof Refusal && !(refusal instanceof InjectedRefusal))
        this.cloud.refusals.push(refusal.message);
      throw error;
    }
  }

  private applied(type: string, { prior, planned, config }: Change): Value {
    const kind = this.kindOf(type);
    this.types.requireAccess?.(this.configuration, this.cloud);
    if (planned === null) return this.destroy(type, kind, prior as ValueObject);
    const values = planned as ValueObject;
    const writeOnly = writeOnlyIn(config, this.blockOf(type));
    if (prior !== null) return this.update(type, kind, { prior: prior as ValueObject, values, writeOnly });

    const id = idOf(kind, withProject(values, this.settings), this.cloud);
    const state = this.filled(type, values, id);
    const object: CloudObject = { type, id, values: state, writeOnly, needs: needsOf(kind, state, this.cloud) };
    this.requireNoConflict(kind, object, null);
    try {
      this.cloud.create(object);
      kind.afterCreate?.(object, this.cloud);
      kind.afterApply?.(object, this.cloud, true);
    } catch (error) {
      if (!(error instanceof Refusal) || this.cloud.objects.get(`${type} ${id}`) !== object) throw error;
      throw new BrokenCreation(error, state);
    }
    return state;
  }

  open(type: string, config: Value): Value {
    const open = this.types.ephemeral?.[type];
    if (open === undefined) throw new Error(missingKind(type));
    return open(config as ValueObject, this.cloud, this.settings);
  }

  /** What a data source finds; its other attributes get constant values of the right type. */
  look(type: string, config: Value): Value {
    const find = this.types.dataSources?.[type];
    if (find === undefined) throw new Error(missingKind(type));
    const { block } = this.schemaOf(type, this.schema.data_source_schemas);
    const found = { ...(config as ValueObject), ...find(config as ValueObject, this.cloud, this.settings) };
    return mapAttributes(found, block, null, (value, { type: attributeType, computed }, name) =>
      value === null && computed === true ? typedDefault(attributeType, name) : value,
    );
  }

  private update(
    type: string,
    kind: ResourceType,
    change: { readonly prior: ValueObject; readonly values: ValueObject; readonly writeOnly: Record<string, string> },
  ): Value {
    const before = this.cloud.find(type, textAt(change.prior, "id"));
    if (before === undefined) throw new Refusal(`Error 404: ${type} ${textAt(change.prior, "id")} does not exist`);
    const state = this.filled(type, change.values, before.id);
    const needs = needsOf(kind, state, this.cloud);
    // The provider sends a write-only value only with a new version number of it.
    const isSent = ([entry]: readonly [string, string]): boolean => {
      const [name = ""] = entry.split(".");
      return ["version", "revision"].some(
        (number) => !sameValue(change.prior[`${name}_${number}`] ?? null, state[`${name}_${number}`] ?? null),
      );
    };
    const kept = Object.entries(before.writeOnly).filter((entry) => !isSent(entry));
    const sent = Object.entries(change.writeOnly).filter(isSent);
    const object = { ...before, values: state, writeOnly: Object.fromEntries([...kept, ...sent]), needs };
    this.requireNoConflict(kind, object, before.values);
    this.cloud.update(object);
    kind.afterApply?.(object, this.cloud, false);
    return state;
  }

  private requireNoConflict(kind: ResourceType, { type, id, values }: CloudObject, before: ValueObject | null): void {
    const conflicts = kind.conflicts?.(values, { id, cloud: this.cloud, before }) ?? [];
    if (conflicts.length > 0) throw new Refusal(`Error 400: ${type} ${id} is refused: ${conflicts.join("; ")}`);
  }

  private destroy(type: string, kind: ResourceType, prior: ValueObject): Value {
    const object = this.cloud.find(type, textAt(prior, "id"));
    if (object === undefined) return null;
    requireUnprotected(kind, type, prior);
    kind.beforeDestroy?.(prior, object, this.cloud);
    this.cloud.destroy(object);
    kind.afterDestroy?.(object, this.cloud);
    return null;
  }

  private filled(type: string, planned: ValueObject, id: string): ValueObject {
    const context = { id, cloud: this.cloud, block: this.blockOf(type) };
    return filled(this.kindOf(type), planned, withProject(planned, this.settings), context);
  }

  private blockOf(type: string): BlockSchema {
    return this.schemaOf(type, this.schema.resource_schemas).block;
  }

  private schemaOf(type: string, schemas: Readonly<Record<string, ElementSchema>> = {}): ElementSchema {
    const schema = schemas[type];
    if (schema === undefined) throw new Error(`the stand-in has no schema of ${type}`);
    return schema;
  }

  private kindOf(type: string): ResourceType {
    const kind = this.types.resources[type];
    if (kind === undefined) throw new Error(missingKind(type));
    return kind;
  }
}

function missingKind(type: string): string {
  return `nothing is known of how ${type} behaves; describe it in __tests__/rehearsal/project`;
}
