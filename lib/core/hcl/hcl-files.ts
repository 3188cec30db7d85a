import { block, type Blocks, type Body } from "./hcl-body";
import { alignedLines } from "./hcl-expression";

type Elements = Readonly<Record<string, Body>>;

/** What a configuration does not say of its elements. */
export interface Origin {
  /** Names of the constructs around an element, from the outermost. */
  readonly pathOf: (name: string, type?: string) => readonly string[];

  /** Why an element is as it is, for readers of the folder. */
  readonly reasonOf: (name: string, type: string) => string | undefined;

  /**
   * The nested blocks of a type.
   *
   * @param type with `data.`, `ephemeral.` or `provider.` before it unless it is a resource's
   * @param name of the element that needs it
   */
  readonly blocksOf: (type: string, name: string) => Blocks;
}

/** A part of a root module, and the constructs around it. */
interface Part {
  readonly path: readonly string[];
  readonly text: string;

  /** Name and value, for a local. */
  readonly local?: readonly [name: string, value: unknown];
}

/** A file that would be longer is divided by the constructs further inside. */
const LONGEST_FILE = 600;
const LARGE_PART = 150;

/** Blocks that are lists without labels. */
const UNNAMED = ["import", "moved", "removed"];

/** What each file of every root module is. */
const PURPOSES: Readonly<Record<string, string>> = {
  checks: "What a plan or an apply warns of",
  moved: "Former addresses",
  outputs: "Outputs",
  root: "Where the state is kept, and the providers; a module has none of this",
  variables: "Inputs",
  versions: "Releases of Terraform and of its providers",
};

/** The files of a root module by their names, from its finished Terraform JSON. */
export function hclFiles(configuration: Body, origin: Origin): Record<string, string> {
  const { check, data, ephemeral, locals, module, output, provider, resource, terraform, variable, ...others } =
    configuration as Readonly<Record<string, Elements>>;
  const unknown = Object.keys(others).filter((name) => name !== "//" && !UNNAMED.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: no such blocks are known in HCL`);

  const typed = (kind: string, types: Elements = {}): Part[] =>
    Object.entries(types as Readonly<Record<string, Elements>>).flatMap(([type, elements]) =>
      each(elements, (name, body) => {
        const isResource = kind === "resource";
        const blocks = origin.blocksOf(isResource ? type : `${kind}.${type}`, name);
        const text = block({ header: `${kind} "${type}" "${name}"`, body, blocks });
        return { path: origin.pathOf(name, type), text: comment(isResource && origin.reasonOf(name, type)) + text };
      }),
    );
  const parts = [
    ...each(locals, (name, value): Part => ({ path: origin.pathOf(name), text: "", local: [name, value] })),
    ...typed("data", data),
    ...typed("ephemeral", ephemeral),
    ...typed("resource", resource),
    ...each(module, (name, body): Part => {
      return { path: origin.pathOf(name), text: block({ header: `module "${name}"`, body }) };
    }),
  ];

  const { backend, ...settings } = { ...terraform };
  const ofKind = (kind: string, elements: Elements | undefined, blocks?: Blocks) =>
    each(elements, (name, body) => block({ header: `${kind} "${name}"`, body, blocks, kind }));
  const texts: Readonly<Record<string, readonly string[]>> = {
    versions: [
      block({
        header: "terraform",
        body: settings,
        blocks: { cloud: { workspaces: {} }, required_providers: {} },
        kind: "terraform",
      }),
    ],
    root: [
      ...each(backend as Elements | undefined, (type, body) => {
        const inner = block({ header: `backend "${type}"`, body, kind: "backend", indent: "  " });
        return `terraform {\n${inner}\n}`;
      }),
      ...each(provider, (type, given) =>
        [given].flat().map((body: Body) => {
          return block({ header: `provider "${type}"`, body, blocks: origin.blocksOf(`provider.${type}`, type) });
        }),
      ).flat(),
    ],
    variables: ofKind("variable", variable, { validation: {} }),
    checks: ofKind("check", check, { assert: {} }),
    outputs: ofKind("output", output, { precondition: {} }),
    moved: UNNAMED.flatMap((kind) =>
      ([others[kind] ?? []].flat() as Body[]).map((body) => block({ header: kind, body, kind })),
    ),
  };
  const files = [...Object.entries(texts), ...divided(parts)].filter(([, blocks]) => blocks.length > 0);
  return Object.fromEntries(files.map(([name, blocks]) => [`${name}.tf`, written(PURPOSES[name] ?? name, blocks)]));
}

/** Beginning of every file, by which those of a former synthesis are known. */
export const SYNTHESIZED = "# Synthesized: change the program, or add files of your own.";

function written(purpose: string, blocks: readonly string[]): string {
  const lines = alignedLines(blocks.join("\n\n").split("\n"));
  return `${SYNTHESIZED}\n# ${purpose}.\n\n${lines.join("\n")}\n`;
}

function comment(reason: string | false | undefined): string {
  return reason === undefined || reason === false ? "" : `# ${reason}\n`;
}

/** The parts by file: by the outermost construct, and in long files by larger parts of it. */
function divided(parts: readonly Part[], depth = 1): [name: string, blocks: string[]][] {
  const nameOf = ({ path }: Part, segments: number) => path.slice(0, segments).join("-");
  const names = [...new Set(parts.map((part) => nameOf(part, depth)))];
  return names.flatMap((name) => {
    const inside = parts.filter((part) => nameOf(part, depth) === name);
    const isLarge = (part: Part) =>
      part.path.length > depth &&
      linesIn(inside.filter((each) => nameOf(each, depth + 1) === nameOf(part, depth + 1))) > LARGE_PART;
    const apart = linesIn(inside) > LONGEST_FILE ? inside.filter(isLarge) : [];
    const rest = inside.filter((part) => !apart.includes(part));
    return [[name, blocksOf(rest)] as [string, string[]], ...(apart.length > 0 ? divided(apart, depth + 1) : [])];
  });
}

function linesIn(parts: readonly Part[]): number {
  return blocksOf(parts).join("\n\n").split("\n").length;
}

function blocksOf(parts: readonly Part[]): string[] {
  const locals = parts.flatMap(({ local }) => (local === undefined ? [] : [local]));
  const texts = parts.filter(({ local }) => local === undefined).map(({ text }) => text);
  return locals.length === 0 ? texts : [block({ header: "locals", body: Object.fromEntries(locals) }), ...texts];
}

function each<Item, To>(
  elements: Readonly<Record<string, Item>> | undefined,
  write: (name: string, element: Item) => To,
): To[] {
  return Object.entries(elements ?? {}).map(([name, element]) => write(name, element));
}
