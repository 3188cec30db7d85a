import { block, type Blocks, type Body } from "./hcl-body";
import { aligned } from "./hcl-expression";

type Elements = Readonly<Record<string, Body>>;

/**
 * What a configuration does not say of its elements, by type and name: a resource's type as it is, others as in
 * `data.google_project`, `ephemeral.random_password`, `provider.google`, `local` and `module`.
 */
export interface Origin {
  /** Names of the files that an element may be in, from the outermost construct's. */
  readonly pathOf: (type: string, name: string) => readonly string[];

  /** Place among all elements, in the order in which the program makes them. */
  readonly orderOf: (type: string, name: string) => number;

  /** Why an element is as it is, for readers of the folder. */
  readonly reasonOf: (type: string, name: string) => string | undefined;

  readonly blocksOf: (type: string, name: string) => Blocks;

  /** What a file holds. */
  readonly purposeOf: (file: string) => string;
}

/** A part of a root module. */
interface Part {
  readonly path: readonly string[];
  readonly order: number;

  /** A block, or the name and the value of a local. */
  readonly content: string | readonly [name: string, value: unknown];
}

/** A file that would be longer is divided by the constructs further inside. */
const LONGEST_FILE = 600;
const LARGE_PART = 150;

/** Blocks that are lists without labels. */
const UNNAMED = ["import", "moved", "removed"];

const SETTINGS_BLOCKS: Blocks = { cloud: { workspaces: {} }, required_providers: {} };

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

  const part = (type: string, name: string, content: Part["content"]): Part => {
    return { path: origin.pathOf(type, name), order: origin.orderOf(type, name), content };
  };
  const typed = (kind: string, types: Elements = {}, prefix = `${kind}.`): Part[] =>
    each(types as Readonly<Record<string, Elements>>, (label, elements) =>
      each(elements, (name, body) => {
        const type = `${prefix}${label}`;
        const reason = origin.reasonOf(type, name);
        const text = block(`${kind} "${label}" "${name}"`, body, { blocks: origin.blocksOf(type, name) });
        return part(type, name, reason === undefined ? text : reason.replaceAll(/(.{1,110})( |$)/g, "# $1\n") + text);
      }),
    ).flat();
  const parts = [
    ...each(locals, (name, value) => part("local", name, [name, value])),
    ...typed("data", data),
    ...typed("ephemeral", ephemeral),
    ...typed("resource", resource, ""),
    ...each(module, (name, body) => part("module", name, block(`module "${name}"`, body))),
  ].sort((one, other) => one.order - other.order);

  const { backend, ...settings } = { ...terraform };
  const ofKind = (kind: string, elements: Elements | undefined, blocks: Blocks) =>
    each(elements, (name, body) => block(`${kind} "${name}"`, body, { blocks, kind }));
  const texts: Readonly<Record<string, readonly string[]>> = {
    versions: [block("terraform", settings, { blocks: SETTINGS_BLOCKS, kind: "terraform" })],
    root: [
      ...each(backend as Elements | undefined, (type, body) => {
        return `terraform {\n${block(`backend "${type}"`, body, { kind: "backend", indent: "  " })}\n}`;
      }),
      ...each(provider, (type, given) =>
        [given].flat().map((body: Body) => {
          return block(`provider "${type}"`, body, { blocks: origin.blocksOf(`provider.${type}`, type) });
        }),
      ).flat(),
    ],
    variables: ofKind("variable", variable, { validation: {} }),
    checks: ofKind("check", check, { assert: {} }),
    outputs: ofKind("output", output, { precondition: {} }),
    moved: UNNAMED.flatMap((kind) => [others[kind] ?? []].flat().map((body: Body) => block(kind, body, { kind }))),
  };
  const files = [...Object.entries(texts), ...divided(parts)].filter(([, blocks]) => blocks.length > 0);
  return Object.fromEntries(
    files.map(([name, blocks]) => {
      const lines = aligned(blocks.join("\n\n"));
      return [`${name}.tf`, `${SYNTHESIZED}\n# ${PURPOSES[name] ?? origin.purposeOf(name)}.\n\n${lines}\n`];
    }),
  );
}

/** Beginning of every file, by which those of a former synthesis are known. */
export const SYNTHESIZED = "# Synthesized: change the program, or add files of your own.";

/** The parts by file: by the outermost construct, and in long files by larger parts of it. */
function divided(parts: readonly Part[], depth = 1): [name: string, blocks: string[]][] {
  const nameOf = ({ path }: Part, segments: number) => path.slice(0, segments).join("-") || "main";
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
  const contents = parts.map(({ content }) => content);
  const locals = contents.filter((content) => typeof content !== "string");
  const texts = contents.filter((content) => typeof content === "string");
  return locals.length === 0 ? texts : [block("locals", Object.fromEntries(locals)), ...texts];
}

function each<Item, To>(
  elements: Readonly<Record<string, Item>> | undefined,
  write: (name: string, element: Item) => To,
): To[] {
  return Object.entries(elements ?? {}).map(([name, element]) => write(name, element));
}
