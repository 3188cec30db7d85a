import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { SHIPPED_BLUEPRINTS } from "../../lib/idp/blueprint-files";
import { apiPage } from "../tools/api-page";
import { type Declaration, type Member } from "../tools/declared-api";

const member = (name: string, more: Partial<Member> = {}): Member => ({
  ...{ name, type: "string", text: "Its text.", isOptional: false, default: undefined },
  ...more,
});

const declaration = (name: string, more: Partial<Declaration> = {}): Declaration => ({
  ...{ name, kind: "type", text: "Its text.", signature: undefined, members: [], props: undefined },
  ...more,
});

const pageOfEntry = (...declarations: readonly Declaration[]) =>
  apiPage({ exportsOf: (module) => (module === "lib/index.ts" ? declarations : []), alsoNamed: () => [] });

describe("The reference", () => {
  it("has a table of props for each construct, required ones first, and a table of what it exposes", () => {
    const props = declaration("BoxProps", {
      members: [
        member("colour", { isOptional: true, default: '"red", as a<b>', text: "One\nor another|two." }),
        member("lid", { isOptional: true, type: "readonly Lid[]", default: "- none" }),
        member("weight", { type: "number" }),
      ],
    });
    const box = declaration("Box", {
      ...{ kind: "class", signature: "new Box(props: BoxProps)", props: "BoxProps" },
      members: [member("open(): void", { type: "Lid" })],
    });
    const { text, undocumented } = pageOfEntry(props, box, declaration("Lid"));
    expect(text).toContain(
      [
        "### Box\n\nIts text.\n\n```text\nnew Box(props: BoxProps)\n```\n",
        "| Prop | Type | Default | Meaning |",
        "| --- | --- | --- | --- |",
        "| `weight` | `number` | required | Its text. |",
        '| `colour` | `string` | `"red"`, as a\\<b> | One or another\\|two. |',
        "| `lid` | `readonly` [`Lid`](#lid) `[]` | none | Its text. |\n",
        "| Exposes | Type | Meaning |",
        "| --- | --- | --- |",
        "| `open(): void` | [`Lid`](#lid) | Its text. |\n",
      ].join("\n"),
    );
    expect(text).not.toContain("# BoxProps");
    expect(undocumented).toEqual([]);
  });

  it("names everything that lacks a comment, and every optional prop without a default", () => {
    const { undocumented } = pageOfEntry(
      declaration("Box", { kind: "class", text: "", props: "BoxProps", members: [member("lid", { text: "" })] }),
      declaration("BoxProps", { text: "", members: [member("colour", { isOptional: true })] }),
      declaration("LooseProps", { text: "" }),
    );
    expect(undocumented).toEqual([
      "Box: no comment",
      "LooseProps: no comment",
      "Box.lid: no comment",
      "BoxProps.colour: no @default",
    ]);
  });
});

describe("A prop that takes one of a few words", () => {
  const rows = readFileSync(packageFile("lib/API.md"), "utf8")
    .split("\n")
    .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));

  it.each([
    ["availability", ["ZONAL", "REGIONAL"]],
    ["certificateValidation", ["dns", "load-balancer"]],
    ["databaseAvailability", ["ZONAL", "REGIONAL"]],
    ["dumpStorageClass", ["STANDARD", "NEARLINE", "COLDLINE"]],
    ["encryption", ["starttls", "tls", "none"]],
    ["logLevel", ["trace", "debug", "info", "warning", "error"]],
    ["storageClass", ["STANDARD", "NEARLINE", "COLDLINE"]],
    ["validation", ["dns", "load-balancer"]],
    ["waf", ["off", "preview", "enforce"]],
    ["workerMode", ["in-container", "all-in-one", "separate"]],
  ])("offers them to an editor, and accepts an expression: %s", (name, words) => {
    const types = rows.filter(([, prop]) => prop === `\`${name}\``).map(([, , type]) => type);
    const union = [...words.map((word) => `"${word}"`), "(string & {})"].join(" \\| ");
    expect([...new Set(types)]).toEqual([`\`${union}\``]);
  });

  it("offers them to an editor for each item of a list", () => {
    const types = rows
      .filter(([, prop]) => prop === "`blueprints`")
      .map(([, , type = ""]) => type.replaceAll("\\", ""));
    const words = [...Object.keys(SHIPPED_BLUEPRINTS).map((word) => JSON.stringify(word)), "(string & {})"];
    const list = `\`readonly (${words.join(" | ")})[]\``;
    expect([...new Set(types)]).toEqual([list, "[`Blueprints`](#blueprints)"]);
  });
});
