import { block, type Blocks, type Body, OWN_BLOCKS } from "./hcl-body";
import { aligned } from "./hcl-expression";
import { withoutTransitiveDependencies } from "./transitive-dependencies";

type Elements = Readonly<Record<string, Body>>;
type Texts = Readonly<Record<string, string>>;

/** Facts of an element that are not in the configuration. */
export interface Origin {
  /** Segments of possible file names, from the outermost construct inwards. */
  readonly path: readonly string[];

  /** Position in the order in which the program creates the elements. */
  readonly order: number;

  /** Comment for readers of the folder. */
  readonly reason?: string | undefined;
  readonly blocks: Blocks;
}

/**
 * Looks up an element. The types of elements other than resources are, for example, `data.google_project`,
 * `provider.google` or `local`.
 */
export type OriginOf = (type: string, name: string) => Origin;

/** A part of a root module: a block, or the name and the value of a local. */
type Part = Origin & { readonly content: string | readonly [name: string, value: unknown] };

/** Longest file, in lines; a longer one is divided by inner constructs. */
const MAX_FILE_LINES = 600;
const LARGE_PART = 150;

/** Blocks that JSON represents as lists without labels. */
const UNNAMED = ["import", "moved", "removed"];

/** First comment of the file with the checks. */
export const CHECKS_PURPOSE = "What a plan or an apply warns of";

/** First comment of the file with the variables. */
export const VARIABLES_PURPOSE = "Inputs";

const PURPOSES: Texts = {
  checks: CHECKS_PURPOSE,
  moved: "Former addresses",
  outputs: "Outputs",
  root: "Where the state is kept, and the providers; a module has none of this",
  variables: VARIABLES_PURPOSE,
  versions: "Releases of Terraform and of its providers",
};

/** First line of every file; identifies files of an earlier synthesis. */
export const SYNTHESIZED = "# Synthesized. Put changes into files that end in _override.tf.";

/** The files of a root module by name, from its finished Terraform JSON. @param purposes first comments, by file */
export function hclFiles(configuration: Body, originOf: OriginOf, purposes: Texts = {}): Record<string, string> {
  const { check, data, ephemeral, locals, module, output, provider, resource, terraform, variable, ...others } =
    withoutTransitiveDependencies(configuration) as Readonly<Record<string, Elements>>;
  const unknown = Object.keys(others).filter((name) => name !== "//" && !UNNAMED.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: no such blocks are known in HCL`);

  const reasonFor = ({ reason }: Origin) => reason?.replaceAll(/(.{1,110})( |\n|$)/g, "# $1\n") ?? "";
  const element = (type: string, name: string, header: string, body: Body, own = OWN_BLOCKS): Part => {
    const origin = originOf(type, name);
    return { ...origin, content: `${reasonFor(origin)}${block(header, body, { ...own, ...origin.blocks })}` };
  };
  const parts = [
    ...each(locals, (name, value): Part => ({ ...originOf("local", name), content: [name, value] })),
    ...Object.entries({ data, ephemeral, resource }).flatMap(([kind, types]) =>
      each(types, (label, elements) => {
        const type = kind === "resource" ? label : `${kind}.${label}`;
        return each(elements as Elements, (name, body) => element(type, name, `${kind} "${label}" "${name}"`, body));
      }).flat(),
    ),
    ...each(module, (name, body) => element("module", name, `module "${name}"`, body, {})),
  ].sort((one, other) => one.order - other.order);

  const { backend, ...settings } = { ...terraform };
  const ofKind = (kind: string, elements: Elements | undefined, blocks: Blocks) =>
    each(elements, (name, body) => block(`${kind} "${name}"`, body, blocks, kind));
  const texts: Record<string, readonly string[]> = {
    versions: [block("terraform", settings, { cloud: { workspaces: {} }, required_providers: {} }, "terraform")],
    root: [
      ...each(backend as Elements | undefined, (type, body) => {
        return `terraform {\n${block(`backend "${type}"`, body, {}, "backend", "  ")}\n}`;
      }),
      ...each(provider, (type, given) => {
        const { blocks } = originOf(`provider.${type}`, type);
        return [given].flat().map((body: Body) => block(`provider "${type}"`, body, blocks));
      }).flat(),
    ],
    variables: each(variable, (name, body) => {
      const reason = reasonFor(originOf("var", name));
      return `${reason}${block(`variable "${name}"`, body, { validation: {} }, "variable")}`;
    }),
    checks: ofKind("check", check, { assert: {} }),
    outputs: ofKind("output", output, { precondition: {} }),
    moved: UNNAMED.flatMap((kind) =>
      [others[kind] ?? []].flat().map((body: Body) => block(kind, body, OWN_BLOCKS, kind)),
    ),
  };
  const names = parts.map((part) => fileOf(part, parts));
  for (const name of new Set(names)) {
    const inside = parts.filter((_, index) => names[index] === name);
    texts[name] = [...(texts[name] ?? []), ...blocksOf(inside)];
  }
  const files = Object.entries(texts).filter(([, blocks]) => blocks.length > 0);
  return Object.fromEntries(
    files.map(([name, blocks]) => {
      const whole = Object.keys(purposes).find((each) => name.startsWith(`${each}-`)) ?? "";
      const purpose = PURPOSES[name] ?? purposes[name] ?? `${purposes[whole] ?? "Part"}: ${name}`;
      return [`${name}.tf`, `${SYNTHESIZED}\n# ${purpose}.\n\n${aligned(blocks.join("\n\n"))}\n`];
    }),
  );
}

/**
 * The file of a part: the file of the outermost construct or, if this would be too long, of a large inner construct.
 */
function fileOf(part: Part, parts: readonly Part[], depth = 1): string {
  const nameOf = ({ path }: Part, segments: number) => path.slice(0, segments).join("-") || "main";
  const linesNamed = (segments: number) =>
    linesIn(parts.filter((each) => nameOf(each, segments) === nameOf(part, segments)));
  const isApart = part.path.length > depth && linesNamed(depth) > MAX_FILE_LINES && linesNamed(depth + 1) > LARGE_PART;
  return isApart ? fileOf(part, parts, depth + 1) : nameOf(part, depth);
}

/** Estimated lines of the parts in their file; a local counts as one. */
const linesIn = (parts: readonly Part[]): number =>
  parts.flatMap(({ content }) => (typeof content === "string" ? content.split("\n") : content[0])).length;

function blocksOf(parts: readonly Part[]): string[] {
  const contents = parts.map(({ content }) => content);
  const locals = contents.filter((content) => typeof content !== "string");
  const texts = contents.filter((content) => typeof content === "string");
  return locals.length === 0 ? texts : [block("locals", Object.fromEntries(locals)), ...texts];
}

const each = <To>(elements: Elements | undefined, write: (name: string, element: Body) => To): To[] =>
  Object.entries(elements ?? {}).map(([name, element]) => write(name, element));
