import {
  type AttributeSchema,
  type AttributeType,
  type BlockSchema,
  type ElementSchema,
  type NestedBlockSchema,
} from "../../stacks/provider-schema/provider-schema";
import { isValueObject, membersOf, Unknown, type Value } from "../project/terraform-value";

const NESTING = { single: 1, list: 2, set: 3, map: 4, group: 5 } as const;

/** A schema in the form in which a provider announces it. */
export function schemaMessage({ version, block }: ElementSchema): object {
  return { version, block: blockMessage(block, version) };
}

function blockMessage(block: BlockSchema, version: number): object {
  return {
    version,
    attributes: Object.entries(block.attributes ?? {}).map(([name, attribute]) => ({
      ...attribute,
      name,
      type: Buffer.from(JSON.stringify(attribute.type)),
    })),
    block_types: Object.entries(block.block_types ?? {}).map(([name, nested]) => ({
      type_name: name,
      block: blockMessage(nested.block, 0),
      nesting: NESTING[nested.nesting_mode],
      min_items: nested.min_items ?? 0,
      max_items: nested.max_items ?? 0,
    })),
  };
}

/** Everything in a block's configuration that its schema does not allow, one sentence per problem. */
export function configurationProblems(config: Value, block: BlockSchema, path = ""): string[] {
  if (!isValueObject(config)) return [];
  return Object.entries(config).flatMap(([name, value]) => {
    const place = path === "" ? name : `${path}.${name}`;
    const attribute = block.attributes?.[name];
    if (attribute !== undefined) return attributeProblems(value, attribute, place);
    const nested = block.block_types?.[name];
    return nested === undefined ? [`${place} does not exist`] : nestedProblems(value, nested, place);
  });
}

function attributeProblems(value: Value, attribute: AttributeSchema, place: string): string[] {
  if (value === null) return attribute.required === true ? [`${place} is required and missing`] : [];
  if (attribute.computed === true && attribute.optional !== true) return [`${place} is the provider's to set`];
  return fits(value, attribute.type) ? [] : [`${place} has not the type ${JSON.stringify(attribute.type)}`];
}

function nestedProblems(value: Value, nested: NestedBlockSchema, place: string): string[] {
  if (value instanceof Unknown) return [];
  if (nested.nesting_mode === "single" || nested.nesting_mode === "group") {
    return configurationProblems(value, nested.block, place);
  }
  const items = membersOf(value);
  const { max_items: most = 0, min_items: least = 0 } = nested;
  return [
    ...(items.length < least ? [`${place} is given ${items.length} times, at least ${least} are required`] : []),
    ...(most > 0 && items.length > most
      ? [`${place} is given ${items.length} times, at most ${most} are allowed`]
      : []),
    ...items.flatMap((item, index) => configurationProblems(item, nested.block, `${place}.${index}`)),
  ];
}

function fits(value: Value, type: AttributeType): boolean {
  if (value === null || value instanceof Unknown) return true;
  if (typeof type === "string") return type === "dynamic" || typeof value === (type === "bool" ? "boolean" : type);
  const [kind, inner] = type;
  if (kind === "list" || kind === "set") {
    return Array.isArray(value) && membersOf(value).every((item) => fits(item, inner as AttributeType));
  }
  if (!isValueObject(value)) return false;
  return Object.entries(value).every(([name, item]) => {
    const member = kind === "map" ? (inner as AttributeType) : (inner as Readonly<Record<string, AttributeType>>)[name];
    return member !== undefined && fits(item, member);
  });
}

/** A constant value of the right type for a computed attribute that is not described. */
export function typedDefault(type: AttributeType, name: string): Value {
  if (type === "string") return name.endsWith("time") ? "2025-01-01T00:00:00Z" : `${name}-value`;
  if (type === "number") return 0;
  if (type === "bool") return false;
  if (typeof type === "string") return null;
  const [kind, inner] = type;
  if (kind === "list" || kind === "set") return [];
  if (kind === "map") return {};
  return Object.fromEntries(
    Object.entries(inner as Readonly<Record<string, AttributeType>>).map(([member, memberType]) => [
      member,
      typedDefault(memberType, member),
    ]),
  );
}
