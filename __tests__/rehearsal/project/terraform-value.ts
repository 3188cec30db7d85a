import { decode, encode, ExtensionCodec } from "@msgpack/msgpack";

import {
  type AttributeSchema,
  type AttributeType,
  type BlockSchema,
} from "../../stacks/provider-schema/provider-schema";

/** A value that Terraform knows only after an apply. */
export class Unknown {
  readonly description = "known after apply";
}

export const UNKNOWN = new Unknown();

/** A Terraform value, typed by a schema: every attribute of an object is present, null if not set. */
export type Value = null | boolean | number | string | Unknown | readonly Value[] | ValueObject;

export interface ValueObject {
  readonly [name: string]: Value;
}

/** Terraform writes unknown values as these two extensions; the second has optional hints. */
const UNKNOWN_EXTENSIONS = [0, 12];

const codec = new ExtensionCodec();
for (const type of UNKNOWN_EXTENSIONS) {
  codec.register({
    type,
    encode: (value) => (type === 0 && value instanceof Unknown ? new Uint8Array([0]) : null),
    decode: () => UNKNOWN,
  });
}

export function valueFromMessage(message: { readonly msgpack: Uint8Array }): Value {
  return decode(message.msgpack, { extensionCodec: codec }) as Value;
}

export function messageFromValue(value: Value): { msgpack: Uint8Array } {
  return { msgpack: encode(value, { extensionCodec: codec }) };
}

export function isValueObject(value: Value | undefined): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
}

/** Whether a value, or anything in it, is known only after an apply. */
export function hasUnknown(value: Value): boolean {
  if (value instanceof Unknown) return true;
  return typeof value === "object" && value !== null && Object.values(value).some((part) => hasUnknown(part));
}

/** Members of a list or set, or of a map or object; none of anything else. */
export function membersOf(value: Value | undefined): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[];
  return isValueObject(value) ? Object.values(value) : [];
}

/** The value at a path of names and list positions; null where the path ends. */
export function valueAt(value: Value | undefined, path: string): Value {
  return path.split(".").reduce<Value>((current, step) => {
    if (Array.isArray(current)) return (current as readonly Value[])[Number(step)] ?? null;
    return isValueObject(current) ? (current[step] ?? null) : null;
  }, value ?? null);
}

/** The string at a path; empty if there is none. */
export function textAt(value: Value | undefined, path: string): string {
  const found = valueAt(value, path);
  return typeof found === "string" ? found : "";
}

/** All values at a path, in which `*` is each member of a list. */
export function valuesAt(value: Value, path: string): readonly Value[] {
  const [start = "", ...ends] = path.split(".*");
  const found = start === "" ? value : valueAt(value, start);
  const rest = ends.join(".*").replace(/^\./, "");
  return ends.length === 0 ? [found] : membersOf(found).flatMap((member) => valuesAt(member, rest));
}

/** The strings at a path, as in `valuesAt`. */
export function textsAt(value: Value, path: string): string[] {
  return textsIn(valuesAt(value, path));
}

/** The strings of a list. */
export function textsIn(values: readonly Value[]): string[] {
  return values.filter((value): value is string => typeof value === "string");
}

export function sameValue(one: Value, other: Value): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: Value): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isValueObject(item as Value)
      ? Object.fromEntries(Object.entries(item as ValueObject).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item instanceof Unknown
        ? { "\0": "unknown" }
        : item,
  );
}

/** Completes a JSON value by its type: absent attributes become null, attributes of an older schema are dropped. */
function completed(value: unknown, type: AttributeType): Value {
  if (value === null || value === undefined) return null;
  if (value instanceof Unknown) return value;
  if (typeof type === "string") return value as Value;
  const [kind, inner] = type;
  if (kind === "list" || kind === "set") {
    return (value as readonly unknown[]).map((item) => completed(item, inner as AttributeType));
  }
  const given = value as Readonly<Record<string, unknown>>;
  return kind === "map"
    ? Object.fromEntries(Object.entries(given).map(([key, item]) => [key, completed(item, inner as AttributeType)]))
    : Object.fromEntries(
        Object.entries(inner as Readonly<Record<string, AttributeType>>).map(([name, member]) => [
          name,
          completed(given[name], member),
        ]),
      );
}

/** Completes a block's value by its schema: attributes that are not set become null, blocks empty. */
export function completedBlock(value: Value, block: BlockSchema): Value {
  if (!isValueObject(value)) return value;
  const attributes = Object.entries(block.attributes ?? {}).map(([name, { type }]): [string, Value] => [
    name,
    completed(value[name], type),
  ]);
  const blocks = Object.entries(block.block_types ?? {}).map(([name, nested]): [string, Value] => {
    const given = value[name] ?? null;
    if (nested.nesting_mode === "single") return [name, completedBlock(given, nested.block)];
    return [
      name,
      given instanceof Unknown ? given : membersOf(given).map((item) => completedBlock(item, nested.block)),
    ];
  });
  return Object.fromEntries([...attributes, ...blocks]);
}

/**
 * Called for an attribute of a block; `other` is the same attribute in the value to compare with, undefined if that has
 * no such block.
 */
export type AttributeChange = (value: Value, schema: AttributeSchema, name: string, other: Value | undefined) => Value;

/**
 * A block's value with every attribute of it and of the blocks in it replaced.
 *
 * Elements of lists are compared by position, those of sets with an equal one.
 */
export function mapAttributes(value: Value, block: BlockSchema, other: Value, change: AttributeChange): Value {
  if (!isValueObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const counterpart = isValueObject(other) ? (other[name] ?? null) : null;
      const attribute = block.attributes?.[name];
      if (attribute !== undefined) {
        return [name, change(member, attribute, name, isValueObject(other) ? counterpart : undefined)];
      }
      const nested = block.block_types?.[name];
      if (nested === undefined) return [name, member];
      const each = (item: Value, index: number) => {
        const candidates = membersOf(counterpart);
        const match =
          nested.nesting_mode === "set"
            ? (candidates.find((candidate) => sameValue(candidate, item)) ?? null)
            : valueAt(counterpart, String(index));
        return mapAttributes(item, nested.block, match, change);
      };
      if (Array.isArray(member)) return [name, (member as readonly Value[]).map(each)];
      return [name, mapAttributes(member, nested.block, counterpart, change)];
    }),
  );
}
