import { existsSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { UPDATE_COMMAND } from "../tools/page-parts";
import { goldenStacks } from "./golden-stacks";
import { type Picture } from "../tools/pictures/picture";
import { stackPictures } from "../tools/pictures/stack-pictures";
import { svgPicture } from "../tools/pictures/svg-picture";

const PICTURES = Object.entries(stackPictures(goldenStacks()));

const SMALL: Picture = {
  title: "a < b",
  description: "a & b",
  direction: "LR",
  frames: [{ id: "f", words: "frame" }],
  nodes: [
    { id: "a", lines: ["<a>", "x & y"], kind: "program" },
    { id: "b", lines: ['"b"'], kind: "data", frame: "f" },
  ],
  arrows: [{ from: "a", to: "f", words: "one<br/>two" }],
};

describe.each(PICTURES)("%s", (path, picture) => {
  let svg = "";
  beforeAll(async () => {
    svg = await svgPicture(picture);
  });

  it(`is fresh; when this fails, run ${UPDATE_COMMAND}`, () => {
    expect(existsSync(packageFile(path)) ? readFileSync(packageFile(path), "utf8") : "").toBe(svg);
  });

  it("shows every line of every node, and the words of every arrow and frame", () => {
    const shown = textsIn(svg);
    const words = [
      ...picture.nodes.flatMap(({ lines }) => lines),
      ...picture.arrows.flatMap(({ words: each = "" }) => each.split("<br/>")),
      ...picture.frames.map(({ words: each }) => each),
    ].filter((each) => each !== "");
    expect(words.filter((each) => !shown.includes(each))).toEqual([]);
  });
});

describe("A picture as SVG", () => {
  it("has a title and a description, runs nothing and loads nothing", async () => {
    const svg = await svgPicture(SMALL);
    expect(svg).toContain('<title id="title">a &lt; b</title>\n<desc id="description">a &amp; b</desc>');
    expect(svg).toContain('role="img" aria-labelledby="title description"');
    expect(svg.match(/<script|<image|<foreignObject|@import|@font-face|\bon\w+=|href|url\(/gi)).toBeNull();
  });

  it("escapes text from elsewhere", async () => {
    expect(textsIn(await svgPicture(SMALL))).toEqual(
      expect.arrayContaining(["<a>", "x & y", '"b"', "one", "two", "frame"]),
    );
  });

  it("gives everything another colour in a dark theme", async () => {
    const [, dark = ""] =
      /@media \(prefers-color-scheme: dark\) \{([\s\S]*?)\n\}\n<\/style>/.exec(await svgPicture(SMALL)) ?? [];
    for (const part of [".ground", "text", ".edge > path", ".cluster > path", ".program > path", ".data > path"])
      expect([part, dark.includes(part)]).toEqual([part, true]);
  });
});

/** All texts of a picture, as they are read. */
function textsIn(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) =>
    text
      .replaceAll("&#45;", "-")
      .replaceAll("&#160;", " ")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&"),
  );
}
