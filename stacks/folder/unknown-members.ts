import { TerraformLocal } from "cdktf";

import { expression } from "../../lib/core/expression";
import { type PortableStack } from "../../lib/core/portable-stack";
import { requireBuiltInProvider } from "../../lib/core/provider-requirements";
import { CheckBlock } from "../../lib/core/risks";
import { type Input } from "../inputs/input-table";
import { type Member, type ObjectType } from "../inputs/object-type";

/**
 * Warns at every plan of misspelt members of inputs in the files beside the configuration.
 *
 * Terraform drops them without a word when it converts an input to its type, so only the files still have them; a
 * function of the provider that is built into Terraform and OpenTofu reads these.
 */
export function warnOfUnknownMembers(stack: PortableStack, inputs: Readonly<Record<string, Input>>): void {
  const unknown = Object.entries(inputs).flatMap(([name, { type }]) =>
    typeof type !== "string" && "mapOf" in type
      ? eachEntry(name, unknownIn(`${name}.\${key}`, `input["${name}"][key]`, type.mapOf))
      : unknownIn(name, `input["${name}"]`, type),
  );
  if (unknown.length === 0) return;
  requireBuiltInProvider(stack);
  const text = 'file("${path.module}/${file}")';
  const read = `try(provider::terraform::decode_tfvars(${text}), jsondecode(${text}), null)`;
  const members = new TerraformLocal(
    stack,
    "UnknownMembers",
    expression(
      `flatten([for file in fileset(path.module, "*.{tfvars,tfvars.json}") : [for input in [${read}] : [${unknown.join(", ")}]]])`,
    ),
  ).fqn;
  new CheckBlock(stack, "MembersAreKnown", [
    {
      condition: expression(`length(${members}) == 0`),
      errorMessage: `there are ${expression(`join(", ", ${members})`)}; an input has no such member, so it is ignored; compare the spelling with terraform.tfvars.example.`,
    },
  ]);
}

/** Terraform expressions for lists of the unknown members of an object, and of those in it. */
function unknownIn(path: string, value: string, type: Member["type"]): readonly string[] {
  if (typeof type === "string") return [];
  const { members }: ObjectType = type;
  return [
    `[for member in try(keys(${value}), []) : "${path}.\${member} in \${file}" if !contains(${JSON.stringify(Object.keys(members))}, member)]`,
    ...Object.entries(members).flatMap(([name, member]) =>
      unknownIn(`${path}.${name}`, `${value}["${name}"]`, member.type),
    ),
  ];
}

function eachEntry(name: string, unknown: readonly string[]): readonly string[] {
  return [`[for key in try(keys(input["${name}"]), []) : [${unknown.join(", ")}]]`];
}
