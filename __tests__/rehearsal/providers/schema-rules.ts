import { type AttributeType, type BlockSchema, type ElementSchema } from "../../stacks/provider-schema/provider-schema";
import { type Value } from "../project/terraform-value";

const NESTING = { single: 1, list: 2, set: 3, map: 4, group: 5 } as const;

/** A schema in the form in which a provider announces it. */
export function schemaMessage({ version, block }: ElementSchema): object {
  return { version, block: blockMessage(block) };
}

function blockMessage(block: BlockSchema): object {
  return {
    attributes: Object.entries(block.attributes ?? {}).map(([name, attribute]) => ({
      ...attribute,
      name,
      type: Buffer.from(JSON.stringify(attribute.type)),
    })),
    block_types: Object.entries(block.block_types ?? {}).map(([name, nested]) => ({
      type_name: name,
      block: blockMessage(nested.block),
      nesting: NESTING[nested.nesting_mode],
      min_items: nested.min_items ?? 0,
      max_items: nested.max_items ?? 0,
    })),
  };
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
