import { readFileSync } from "node:fs";

import { TerraformElement, type TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

import { elementNamePart, MAIN_CHILD_ID } from "../element-names";
import { RulesBrokenError } from "../inputs/rules-broken-error";
import { packageFile } from "../package-file";
import { prose } from "../prose";
import { type Blocks, type Body } from "./hcl-body";
import { CHECKS_PURPOSE, hclFiles, type OriginOf, VARIABLES_PURPOSE } from "./hcl-files";

/**
 * Nested blocks by type; data sources, ephemeral resources and providers have the prefix `data.`, `ephemeral.` or
 * `provider.`.
 */
export type HclBlocks = Readonly<Record<string, Blocks>>;

/** File with the nested blocks of all types that the library uses, from the providers' schemas. */
export const KNOWN_BLOCKS = "lib/core/hcl/nested-blocks.json";

/** Nested blocks of Terraform's own types. */
const OWN_TYPES: HclBlocks = { local: {}, module: {}, var: {}, terraform_data: {}, "data.terraform_remote_state": {} };

const REASONS = new WeakMap<IConstruct, string>();

/** Adds a comment above an element in HCL, for readers who have only the folder. */
export function explain(element: IConstruct, reason: string): void {
  REASONS.set(element, reason);
}

/** Adds a comment to an element without references, and tells the linter tflint not to report the element as unused. */
export function explainUnused(element: IConstruct, reason: string): void {
  explain(element, `${reason}\ntflint-ignore: terraform_unused_declarations`);
}

/** HCL files of a construct: the purpose of each file, and the ids of its parts. */
export type FileTable = Readonly<Record<string, readonly [purpose: string, ids: readonly string[]]>>;

const FILES = new WeakMap<IConstruct, readonly [file: string, purpose: string]>();

/** Assigns parts of a construct to files, instead of one file for each part. An id that ends with `*` is a prefix. */
export function inFiles({ node }: IConstruct, files: FileTable): void {
  for (const [file, [purpose, ids]] of Object.entries(files)) {
    const isInside = ({ node: { id } }: IConstruct) =>
      ids.some((each) => (each.endsWith("*") ? id.startsWith(each.slice(0, -1)) : id === each));
    for (const part of node.children.filter(isInside)) FILES.set(part, [file, purpose]);
  }
}

/** Puts an element that several validations share into the file of the variables. */
export function inFileOfVariables(part: IConstruct): void {
  FILES.set(part, ["variables", VARIABLES_PURPOSE]);
}

/** Puts an element that a check refers to into the file of the checks. */
export function inFileOfChecks(part: IConstruct): void {
  FILES.set(part, ["checks", CHECKS_PURPOSE]);
}

/** Separate files for existing parts, because most deployments have none. */
const EXISTING_FILES = {
  accounts: "Accounts that are managed elsewhere: what they are granted on single resources",
  "accounts-secrets": "Accounts that are managed elsewhere: the secrets that they may read",
  "accounts-project": "Accounts that are managed elsewhere: what they are granted on a project",
  grants: "Commands for grants that are left to others",
  keys: "Keys that are managed elsewhere: agents of Google that may encrypt with them",
  parts: "Parts that are managed elsewhere: who is granted access to them, and how they are read",
} as const;

/** Files that hold parts of many constructs. */
const SHARED_FILES = ["checks", "main", "variables", ...Object.keys(EXISTING_FILES).map((kind) => `existing-${kind}`)];

/** Puts an element for a part that is managed elsewhere into a separate file. */
export function inFileOfExisting(part: IConstruct, kind: keyof typeof EXISTING_FILES): void {
  FILES.set(part, [`existing-${kind}`, EXISTING_FILES[kind]]);
}

/** Whether an element, or a scope around it, exists for a part that is managed elsewhere. */
export function isForExisting(element: IConstruct): boolean {
  return element.node.scopes.some((scope) => FILES.get(scope)?.[0].startsWith("existing-"));
}

/**
 * The files of a stack in HCL, from its finished Terraform JSON.
 *
 * @param further nested blocks of types that the library does not know
 * @throws RulesBrokenError that names every type whose nested blocks are not known
 */
export function hclFilesOf(stack: TerraformStack, configuration: Body, further: HclBlocks): Record<string, string> {
  const used = JSON.parse(readFileSync(packageFile(KNOWN_BLOCKS), "utf8")) as HclBlocks;
  const known: HclBlocks = { ...used, ...OWN_TYPES, ...further };
  const purposes: Record<string, string> = {};
  /** Extends a path by a scope; a scope with an assigned file restarts the path there. */
  const pathTo = (path: readonly string[], scope: IConstruct): string[] => {
    const [file, purpose = ""] = FILES.get(scope) ?? [];
    if (file === undefined) return [...path, elementNamePart(scope.node.id).replaceAll("_", "-")];
    const name = SHARED_FILES.includes(file) ? file : [...path, file].join("-");
    purposes[name] = purpose;
    return [name];
  };
  const elements = stack.node.findAll().filter((each) => TerraformElement.isTerraformElement(each));
  const origins = new Map(
    elements.map((element, order) => {
      const { _elementType: type = "" } = element as unknown as { readonly _elementType?: string };
      const scopes = element.node.scopes.slice(stack.node.scopes.length);
      const path = scopes.filter(({ node }) => node.id !== MAIN_CHILD_ID).reduce(pathTo, []);
      return [`${type}.${element.friendlyUniqueId}`, { element, path, order, reason: REASONS.get(element) }];
    }),
  );

  const problems = new Set<string>();
  const originOf: OriginOf = (type, name) => {
    const { element, ...origin } = origins.get(`${type}.${name}`) ?? { path: [], order: -1 };
    if (known[type] === undefined)
      problems.add(
        prose`
          ${type} (${element?.node.path ?? name}) cannot be written in HCL;
          which of its arguments are blocks is known of the library's own types alone,
          and nothing in a program tells; pass hclBlocks: { "${type}": { <block>:
          {} } } to the stack with all nested blocks of that type, or {} if it has none, or synthesize JSON
        `,
      );
    return { ...origin, blocks: known[type] ?? {} };
  };
  const files = hclFiles(configuration, originOf, purposes);
  if (problems.size > 0) throw new RulesBrokenError(stack.node.path, [...problems]);
  return files;
}
