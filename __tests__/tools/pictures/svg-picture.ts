import { instance, type Graph } from "@viz-js/viz";

import { type Kind, type Picture } from "./picture";

/** Colours of a kind of node in a light and in a dark surrounding. */
interface Colours {
  readonly fill: string;
  readonly line: string;
}

interface Look {
  readonly shape: string;
  readonly light: Colours;
  readonly dark: Colours;
}

const LOOKS: Readonly<Record<Kind, Look>> = {
  data: look("cylinder", ["#e6f4ea", "#188038"], ["#12361f", "#81c995"]),
  door: look("cds", ["#fef7e0", "#b06000"], ["#3d2e05", "#fdd663"]),
  outside: look("ellipse", ["#fce8e6", "#c5221f"], ["#451a17", "#f28b82"]),
  program: look("box", ["#e8f0fe", "#1967d2"], ["#14294d", "#8ab4f8"]),
  secret: look("note", ["#f3e8fd", "#8430ce"], ["#321a4a", "#c58af9"]),
  step: look("box", ["#f1f3f4", "#5f6368"], ["#2b2e31", "#9aa0a6"]),
  "main-step": look("box", ["#fef7e0", "#b06000"], ["#3d2e05", "#fdd663"]),
};

const KINDS = Object.keys(LOOKS) as Kind[];

const LIGHT = { ground: "#ffffff", text: "#202124", quiet: "#5f6368", frame: "#bdc1c6", frameFill: "#f8f9fa" } as const;
const DARK = { ground: "#1b1d1f", text: "#e8eaed", quiet: "#bdc1c6", frame: "#5f6368", frameFill: "#232629" } as const;

/** Narrower than most sans-serif fonts that stand in for it, which the margins make up for. */
const FONT = "Helvetica";

/**
 * A picture as SVG, the same bytes each time: no script, no font of its own, colours for light and dark surroundings.
 *
 * The places of its parts are calculated by Graphviz.
 */
export async function svgPicture(picture: Picture): Promise<string> {
  const viz = await instance();
  return readable(picture, viz.renderString(graphOf(picture), { format: "svg", engine: "dot" }));
}

function graphOf({ arrows, direction, frames, nodes }: Picture): Graph {
  // An arrow to a frame goes to one of its nodes, and ends where the frame begins.
  const inside = (id: string) =>
    (nodes.find(({ frame, kind }) => frame === id && kind === "program") ?? nodes.find(({ frame }) => frame === id))
      ?.id ?? id;
  const isFrame = (id: string) => frames.some((frame) => frame.id === id);
  const nodeOf = (node: Picture["nodes"][number]) => {
    const { light, shape } = LOOKS[node.kind];
    return {
      name: node.id,
      attributes: {
        class: node.kind,
        label: node.lines.join("\n"),
        shape,
        style: shape === "box" ? "filled,rounded" : "filled",
        fillcolor: light.fill,
        color: light.line,
        penwidth: node.kind === "main-step" ? 2.5 : 1.2,
      },
    };
  };
  return {
    directed: true,
    graphAttributes: {
      rankdir: direction,
      compound: true,
      newrank: true,
      bgcolor: "transparent",
      pad: 0.25,
      nodesep: 0.3,
      ranksep: 0.9,
      mclimit: 10,
      fontname: FONT,
    },
    nodeAttributes: { fontname: FONT, fontsize: 16, fontcolor: LIGHT.text, margin: "0.25,0.1" },
    edgeAttributes: { fontname: FONT, fontsize: 14, fontcolor: LIGHT.quiet, color: LIGHT.quiet, arrowsize: 0.8 },
    nodes: nodes.filter(({ frame }) => frame === undefined).map(nodeOf),
    subgraphs: frames.map(({ id, words }) => ({
      name: `cluster_${id}`,
      graphAttributes: {
        label: words,
        labeljust: "r",
        fontsize: 15,
        fontcolor: LIGHT.quiet,
        color: LIGHT.frame,
        bgcolor: LIGHT.frameFill,
        style: "rounded",
        margin: 14,
      },
      // Like stands below like.
      subgraphs: KINDS.map((kind) => ({
        graphAttributes: { rank: "same" },
        nodes: nodes.filter((node) => node.frame === id && node.kind === kind).map(nodeOf),
      })),
    })),
    edges: arrows.map(({ from, isMain, to, words }) => ({
      tail: inside(from),
      head: inside(to),
      attributes: {
        ...(words === undefined ? {} : { label: words.replaceAll("<br/>", "\n") }),
        ...(isFrame(from) ? { ltail: `cluster_${from}` } : {}),
        ...(isFrame(to) ? { lhead: `cluster_${to}` } : {}),
        ...(isMain === true ? { class: "main", penwidth: 2.5, color: LOOKS["main-step"].light.line, weight: 3 } : {}),
      },
    })),
  };
}

/** Pixels between the drawing and the texts around it. */
const TITLE = { size: 20, left: 20, top: 36, height: 48 } as const;
const NOTE = { size: 14, lineHeight: 20, bottom: 18, letter: 7.2 } as const;

/** What Graphviz writes, with a title and a description, a family of fonts, and colours for a dark surrounding. */
function readable({ title, ...picture }: Picture, svg: string): string {
  const description = picture.description.replaceAll("`", "");
  const [, drawnWidth = "", drawnHeight = ""] = /viewBox="0\.00 0\.00 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const width = Math.max(Math.ceil(Number(drawnWidth)), 800);
  const note = wrapped(description, (width - 2 * TITLE.left) / NOTE.letter);
  const noteTop = TITLE.height + Math.ceil(Number(drawnHeight)) + NOTE.lineHeight;
  const height = noteTop + (note.length - 1) * NOTE.lineHeight + NOTE.bottom;
  const drawn = svg
    .slice(svg.indexOf("<g "), svg.lastIndexOf("</svg>"))
    .replaceAll(/<!--[\s\S]*?-->\n?/g, "")
    .replaceAll(/<title>[^<]*<\/title>\n?/g, "")
    .replaceAll(` font-family="${FONT}"`, "")
    .trimEnd();
  const indent = (width - Number(drawnWidth)) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    "<style>",
    "@media (prefers-color-scheme: dark) {",
    ...darkRules().map((rule) => `  ${rule}`),
    "}",
    "</style>",
    `<rect class="ground" width="${width}" height="${height}" fill="${LIGHT.ground}"/>`,
    `<text x="${TITLE.left}" y="${TITLE.top}" font-size="${TITLE.size}" font-weight="bold" fill="${LIGHT.text}">${escaped(title)}</text>`,
    `<g transform="translate(${indent.toFixed(1)} ${TITLE.height})">`,
    drawn,
    "</g>",
    ...note.map(
      (line, index) =>
        `<text class="note" x="${TITLE.left}" y="${noteTop + index * NOTE.lineHeight}" font-size="${NOTE.size}" fill="${LIGHT.quiet}">${escaped(line)}</text>`,
    ),
    "</svg>",
    "",
  ].join("\n");
}

/** A text in lines of at most so many letters. */
function wrapped(text: string, letters: number): string[] {
  return text.split(" ").reduce<string[]>((lines, word) => {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    return lines.length > 0 && longer.length <= letters ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}

function darkRules(): string[] {
  const shapes = (group: string) => ["polygon", "path", "ellipse"].map((shape) => `.${group} > ${shape}`).join(", ");
  return [
    `.ground { fill: ${DARK.ground}; }`,
    `text { fill: ${DARK.text}; }`,
    `.edge text, .cluster text, .note { fill: ${DARK.quiet}; }`,
    `${shapes("cluster")} { fill: ${DARK.frameFill}; stroke: ${DARK.frame}; }`,
    `.edge > path { stroke: ${DARK.quiet}; }`,
    `.edge > polygon { fill: ${DARK.quiet}; stroke: ${DARK.quiet}; }`,
    `.edge.main > path { stroke: ${LOOKS["main-step"].dark.line}; }`,
    `.edge.main > polygon { fill: ${LOOKS["main-step"].dark.line}; stroke: ${LOOKS["main-step"].dark.line}; }`,
    ...Object.entries(LOOKS).map(([kind, { dark }]) => `${shapes(kind)} { fill: ${dark.fill}; stroke: ${dark.line}; }`),
    // The visible edge of a cylinder and the fold of a note.
    ".node > polyline { fill: none; }",
    ...Object.entries(LOOKS).map(([kind, { dark }]) => `.${kind} > polyline { stroke: ${dark.line}; }`),
  ];
}

function look(shape: string, [fill, line]: [string, string], [darkFill, darkLine]: [string, string]): Look {
  return { shape, light: { fill, line }, dark: { fill: darkFill, line: darkLine } };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
