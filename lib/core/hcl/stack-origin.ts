import { readFileSync } from "node:fs";

import { TerraformElement, type TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

import { packageFile } from "../package-file";
import { RulesBrokenError } from "../rules-broken-error";
import { type Blocks } from "./hcl-body";
import { hclFiles } from "./hcl-files";

/** Nested blocks by type; a type of a data source, ephemeral resource or provider has `data.`, `ephemeral.` or `provider.` before it. */
export type HclBlocks = Readonly<Record<string, Blocks>>;

/** Those of the types that the library uses, from the providers' schemas. */
export const KNOWN_BLOCKS = "lib/core/hcl/nested-blocks.json";

/** Those of Terraform's own types. */
const OWN_TYPES: HclBlocks = { terraform_data: {}, "data.terraform_remote_state": {}, "provider.terraform": {} };

const REASON = "reason";

/** Says why an element is as it is, above it in HCL: one sentence, for whoever reads the folder alone. */
export function explain(element: IConstruct, reason: string): void {
  element.node.addMetadata(REASON, reason);
}

const FILE = "file";

/** Puts parts of a construct, by their ids, into files of these names in HCL, instead of one file for each part. */
export function inFiles(scope: IConstruct, files: Readonly<Record<string, readonly string[]>>): void {
  for (const [file, ids] of Object.entries(files)) {
    for (const id of ids) scope.node.tryFindChild(id)?.node.addMetadata(FILE, file);
  }
}

/** Names of the constructs around an element, from the outermost, as names of files. */
function segmentsOf({ node }: IConstruct, stack: TerraformStack): string[] {
  const scopes = node.scopes.slice(node.scopes.indexOf(stack) + 1).filter((scope) => scope.node.id !== "Default");
  return scopes.map((scope) => {
    const file = scope.node.metadata.find(({ type }) => type === FILE);
    return file === undefined ? kebabCase(scope.node.id) : String(file.data);
  });
}

function kebabCase(id: string): string {
  return id
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[^A-Za-z0-9-]+/g, "-")
    .toLowerCase();
}

/**
 * The files of a stack in HCL, from its finished Terraform JSON.
 *
 * @param further nested blocks of types that the library does not know
 * @throws RulesBrokenError that names every type whose nested blocks are not known
 */
export function hclFilesOf(
  stack: TerraformStack,
  configuration: Readonly<Record<string, unknown>>,
  further: HclBlocks,
): Record<string, string> {
  const known: HclBlocks = {
    ...(JSON.parse(readFileSync(packageFile(KNOWN_BLOCKS), "utf8")) as HclBlocks),
    ...OWN_TYPES,
    ...further,
  };
  const elements = new Map<string, TerraformElement>();
  for (const element of stack.node.findAll().filter((each) => TerraformElement.isTerraformElement(each))) {
    elements.set(element.friendlyUniqueId, element);
    elements.set(`${typeOf(element)}.${element.friendlyUniqueId}`, element);
  }
  const find = (name: string, type = "") => elements.get(`${type}.${name}`) ?? elements.get(name);

  const problems: string[] = [];
  const files = hclFiles(configuration, {
    pathOf: (name, type) => {
      const element = find(name, type);
      return element === undefined ? ["others"] : segmentsOf(element, stack);
    },
    reasonOf: (name, type) => {
      const reason = find(name, type)?.node.metadata.find((entry) => entry.type === REASON);
      return reason === undefined ? undefined : String(reason.data);
    },
    blocksOf: (type, name) => {
      const blocks = known[type];
      if (blocks === undefined) {
        problems.push(
          `${type} (${find(name, type)?.node.path ?? name}) cannot be written in HCL; which of its arguments are blocks is known of the library's own types alone, and nothing in a program tells; pass hclBlocks: { "${type}": { <block>: {} } } to the stack with all nested blocks of that type, or {} if it has none, or synthesize JSON`,
        );
      }
      return blocks ?? {};
    },
  });
  if (problems.length > 0) throw new RulesBrokenError(stack.node.path, [...new Set(problems)]);
  return files;
}

function typeOf(element: TerraformElement): string {
  return (element as { terraformResourceType?: string }).terraformResourceType ?? "";
}
