import { type Declaration, type DeclaredApi, type Member } from "./declared-api";
import { withFreshParts } from "./page-parts";

/** Modules of the names under which the package is imported. */
export const ENTRIES = {
  "cdktf-idp-stacks": "lib/index.ts",
  "cdktf-idp-stacks/kubernetes": "lib/kubernetes.ts",
  "cdktf-idp-stacks/lab": "lib/lab/index.ts",
} as const;

/** The reference of all that can be imported, and what has no comment in it. */
export interface ApiPage {
  readonly text: string;
  /** Names of what is not documented, and what it lacks. */
  readonly undocumented: readonly string[];
}

const INTRODUCTION = `# Reference

Everything that can be imported, generated from the comments of the code by \`npm run surface\`. How to use it is in
[README.md](README.md). A literal of the wrong kind or out of its limits is refused at synth.

<!-- contents -->

<!-- end -->
`;

/** Writes the page. */
export function apiPage(api: Pick<DeclaredApi, "alsoNamed" | "exportsOf">): ApiPage {
  const importable = Object.entries(ENTRIES).map(([name, module]) => ({ name, declarations: api.exportsOf(module) }));
  const others = api.alsoNamed();
  const all = [...importable.flatMap(({ declarations }) => declarations), ...others];
  const page = new Page(all);
  const sections = importable.map(({ name, declarations }) => page.section(name, declarations));
  const text = [INTRODUCTION, ...sections, page.section("Types that are used above but cannot be imported", others)];
  return { text: withFreshParts(text.filter((each) => each !== "").join("\n"), {}), undocumented: undocumentedIn(all) };
}

class Page {
  private readonly byName: ReadonlyMap<string, Declaration>;
  /** Headings of what a type is explained under: props are under what takes them. */
  private readonly headings = new Map<string, string>();
  private readonly shown = new Set<Declaration>();

  constructor(all: readonly Declaration[]) {
    this.byName = new Map(all.map((each) => [each.name, each]));
    for (const { name } of all) this.headings.set(name, name);
    for (const { name, props } of all) if (props !== undefined) this.headings.set(props, name);
  }

  /** A chapter; what an earlier one has is not shown again. */
  section(title: string, declarations: readonly Declaration[]): string {
    const own = declarations
      .filter((each) => !this.shown.has(each) && this.headings.get(each.name) === each.name)
      .sort((a, b) => a.name.localeCompare(b.name, "en"));
    for (const each of own) this.shown.add(each);
    const features = own.filter(({ kind }) => kind !== "type");
    const types = own.filter(({ kind }) => kind === "type");
    return [
      `## ${title}\n`,
      ...features.map((each) => `### ${each.name}\n\n${this.body(each)}\n`),
      ...(features.length > 0 && types.length > 0 ? [`### Types of ${title}\n`] : []),
      ...types.map((each) => `#### ${each.name}\n\n${this.body(each)}\n`),
    ].join("\n");
  }

  private body({ kind, members, props, signature, text }: Declaration): string {
    const given = this.byName.get(props ?? "");
    const parts = [
      prose(text),
      signature === undefined ? "" : `\`\`\`text\n${signature}\n\`\`\``,
      given === undefined ? "" : this.propsTable(given.members),
      kind === "type" ? this.propsTable(members) : this.exposed(members),
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  }

  private propsTable(members: readonly Member[]): string {
    const rows = [...members]
      .sort((a, b) => Number(a.isOptional) - Number(b.isOptional) || a.name.localeCompare(b.name, "en"))
      .map((member) => [
        `\`${member.name}\``,
        this.typeCell(member.type),
        member.isOptional ? defaultCell(member.default) : "required",
        prose(member.text),
      ]);
    // What has only members that are always there is no choice of anybody's.
    const isGiven = members.some(({ isOptional }) => isOptional);
    return isGiven
      ? table(["Prop", "Type", "Default", "Meaning"], rows)
      : table(
          ["Member", "Type", "Meaning"],
          rows.map(([name = "", type = "", , meaning = ""]) => [name, type, meaning]),
        );
  }

  private exposed(members: readonly Member[]): string {
    const rows = [...members]
      .sort((a, b) => a.name.localeCompare(b.name, "en"))
      .map(({ name, text, type }) => [`\`${name}\``, this.typeCell(type), prose(text)]);
    return table(["Exposes", "Type", "Meaning"], rows);
  }

  /** The words of a type, with links to those that the page has. */
  private typeCell(words: string): string {
    const parts = words.split(/\b([A-Z]\w+)\b/).reduce<string[]>((texts, part, index) => {
      const heading = index % 2 === 1 ? this.headings.get(part) : undefined;
      if (heading !== undefined) return [...texts, `[\`${part}\`](#${heading.toLowerCase()})`, ""];
      return [...texts.slice(0, -1), `${texts.at(-1) ?? ""}${part}`];
    }, []);
    return parts
      .map((part) => (part.startsWith("[`") ? part : part.trim() === "" ? "" : `\`${part.trim()}\``))
      .filter((part) => part !== "")
      .join(" ");
  }
}

/** What has no comment, and optional props that do not say what happens without them. */
function undocumentedIn(declarations: readonly Declaration[]): string[] {
  const names = new Set(declarations.map(({ name }) => name));
  // Props need no words beside those of what takes them.
  const isExplained = ({ name, text }: Declaration) =>
    text !== "" || (name.endsWith("Props") && names.has(name.slice(0, -"Props".length)));
  return [
    ...declarations.filter((each) => !isExplained(each)).map(({ name }) => `${name}: no comment`),
    ...declarations.flatMap(({ members, name }) =>
      members.filter(({ text }) => text === "").map((member) => `${name}.${member.name}: no comment`),
    ),
    ...declarations
      .filter(({ kind }) => kind === "type")
      .flatMap(({ members, name }) =>
        members
          .filter((member) => member.isOptional && member.default === undefined)
          .map((member) => `${name}.${member.name}: no @default`),
      ),
  ];
}

/** `- in words`, or a literal, with or without words behind it. */
function defaultCell(text = ""): string {
  if (text.startsWith("- ")) return prose(text.slice(2));
  return prose(text.replace(/^("[^"]*"|\S+?)(?=,? |,?$)/, "`$1`"));
}

/** A renderer takes `<name>` for a tag otherwise. */
function prose(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "\\<") : part))
    .join("`");
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const cells = (row: readonly string[]) =>
    `| ${row.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ")).join(" | ")} |`;
  return [cells(header), cells(header.map(() => "---")), ...rows.map(cells)].join("\n");
}
