import { readFileSync } from "node:fs";

import { TerraformElement, type TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

import { MAIN_CHILD_ID, snakeCase } from "../element-names";
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

/** Says why an element is as it is, above it in HCL, for readers who have only the folder. */
export function explain(element: IConstruct, reason: string): void {
  element.node.addMetadata(REASON, reason);
}

/** Files of a construct in HCL: what each holds, and the ids of the parts that are in it. */
export type FileTable = Readonly<Record<string, readonly [purpose: string, ids: readonly string[]]>>;

const FILE = "file";

/** Puts parts of a construct into files, instead of one file for each part. */
export function inFiles(scope: IConstruct, files: FileTable): void {
  for (const [file, [purpose, ids]] of Object.entries(files)) {
    for (const id of ids) scope.node.tryFindChild(id)?.node.addMetadata(FILE, [file, purpose]);
  }
}

const metadataOf = ({ node }: IConstruct, wanted: string): unknown =>
  node.metadata.find(({ type }) => type === wanted)?.data;

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
  const elements = new Map<string, IConstruct>();
  for (const element of stack.node.findAll().filter((each) => TerraformElement.isTerraformElement(each))) {
    const { _elementType: type = "" } = element as unknown as { readonly _elementType?: string };
    elements.set(`${type}.${element.friendlyUniqueId}`, element);
  }
  const find = (type: string, name: string) => elements.get(`${type}.${name}`);
  const purposes = new Map<string, string>();
  /** A scope that has a file of its own begins the path with it, whatever is around it. */
  const pathTo = (path: readonly string[], scope: IConstruct): string[] => {
    const [file, purpose] = (metadataOf(scope, FILE) ?? []) as readonly string[];
    if (file === undefined || purpose === undefined) return [...path, snakeCase(scope.node.id).replaceAll("_", "-")];
    const name = [...path, file].join("-");
    purposes.set(name, purpose);
    return [name];
  };

  const problems: string[] = [];
  const files = hclFiles(configuration, {
    pathOf: (type, name) => {
      const scopes = find(type, name)?.node.scopes ?? [];
      const named = scopes.slice(scopes.indexOf(stack) + 1).filter(({ node }) => node.id !== MAIN_CHILD_ID);
      return named.reduce(pathTo, []);
    },
    orderOf: (type, name) => [...elements.keys()].indexOf(`${type}.${name}`),
    reasonOf: (type, name) => metadataOf(find(type, name) ?? stack, REASON) as string | undefined,
    purposeOf: (file) => purposes.get(file) ?? `Part ${file}`,
    blocksOf: (type, name) => {
      const blocks = known[type];
      if (blocks === undefined) {
        problems.push(
          `${type} (${find(type, name)?.node.path ?? name}) cannot be written in HCL; which of its arguments are blocks is known of the library's own types alone, and nothing in a program tells; pass hclBlocks: { "${type}": { <block>: {} } } to the stack with all nested blocks of that type, or {} if it has none, or synthesize JSON`,
        );
      }
      return blocks ?? {};
    },
  });
  if (problems.length > 0) throw new RulesBrokenError(stack.node.path, [...new Set(problems)]);
  return files;
}
