import { type Kind, type Picture, type PictureNode } from "./picture";

/** Brackets around the text of a node. */
const SHAPES: Readonly<Record<Kind, readonly [open: string, close: string]>> = {
  data: ["[(", ")]"],
  door: ["[/", "\\]"],
  outside: ["((", "))"],
  program: ["[", "]"],
  secret: ["([", "])"],
  step: ["[", "]"],
  "main-step": ["[", "]"],
};

/** A picture in the language of Mermaid, as a block of a page, with its description below. */
export function mermaidPicture(picture: Picture): string {
  const { arrows, description, direction, frames, nodes } = picture;
  const slow = nodes.filter(({ kind }) => kind === "main-step").map(({ id }) => id);
  const lines = [
    ...frames.flatMap(({ id, words }) => [
      `subgraph ${id}["${words}"]`,
      ...nodes.filter(({ frame }) => frame === id).map((node) => `  ${nodeLine(node)}`),
      "end",
    ]),
    ...nodes.filter(({ frame }) => frame === undefined).map(nodeLine),
    ...arrows.map(({ from, isMain, to, words }) => {
      const line = isMain === true ? "==>" : "-->";
      return [from, words === undefined ? line : `${line}|"${words}"|`, to].join(" ");
    }),
    ...(slow.length === 0 ? [] : ["classDef slow stroke-width:3px", `class ${slow.join(",")} slow`]),
  ];
  const block = ["```mermaid", `flowchart ${direction}`, ...lines.map((line) => `  ${line}`), "```"].join("\n");
  return `${block}\n\n${description}`;
}

function nodeLine({ id, kind, lines }: PictureNode): string {
  const [open, close] = SHAPES[kind];
  return `${id}${open}"${lines.join("<br/>")}"${close}`;
}
