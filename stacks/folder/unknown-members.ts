import { type PortableStack } from "../../lib/core/portable-stack";
import { addConfiguration } from "../../lib/core/stack-file";
import { type Input } from "../inputs/input-table";
import { type Member, type ObjectType } from "../inputs/object-type";

/**
 * Warns at every plan of misspelt members of inputs in the files beside the configuration.
 *
 * Terraform drops them without a word when it converts an input to its type, so only the files still have them; a
 * function of the provider that is built into Terraform and OpenTofu reads these. That provider must be declared and
 * cannot have a release, which CDKTF's own command line demands of every provider in `cdk.tf.json`.
 */
export function warnOfUnknownMembers(stack: PortableStack, inputs: Readonly<Record<string, Input>>): void {
  const unknown = Object.entries(inputs).flatMap(([name, { type }]) =>
    typeof type !== "string" && "mapOf" in type
      ? eachEntry(name, unknownIn(`${name}.\${key}`, `input["${name}"][key]`, type.mapOf))
      : unknownIn(name, `input["${name}"]`, type),
  );
  if (unknown.length === 0) return;
  const text = 'file("${path.module}/${file}")';
  const read = `try(provider::terraform::decode_tfvars(${text}), jsondecode(${text}), null)`;
  addConfiguration(stack, "unknown-members", {
    locals: {
      unknown_members: `\${flatten([for file in fileset(path.module, "*.{tfvars,tfvars.json}") : [for input in [${read}] : [${unknown.join(", ")}]]])}`,
    },
    check: {
      members_are_known: {
        assert: {
          condition: "${length(local.unknown_members) == 0}",
          error_message:
            'there are ${join(", ", local.unknown_members)}; an input has no such member, so it is ignored; compare the spelling with terraform.tfvars.example.',
        },
      },
    },
  });
  addConfiguration(stack, "unknown-members_override", {
    terraform: { required_providers: { terraform: { source: "terraform.io/builtin/terraform" } } },
  });
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
