import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { parse } from "yaml";

import { BLUEPRINT_TAGS, SHIPPED_BLUEPRINTS, shippedBlueprintName } from "../../../lib/idp/blueprint-files";
import { BLUEPRINT_VARIABLE_PREFIX, PINNED_VERSION } from "../../../lib/idp/contract";
import { RELEASE_MODELS, RELEASE_WORDS } from "./release-models";

interface Entry {
  readonly model: string;
  readonly id?: string;
  readonly identifiers?: Readonly<Record<string, unknown>>;
  readonly attrs?: Readonly<Record<string, unknown>>;
}

const FOLDER = join(__dirname, "../../../image/blueprints");

/** A tag with its arguments, in the place of its value. */
class Tagged {
  constructor(
    readonly tag: string,
    readonly value: unknown,
  ) {}
}

const CUSTOM_TAGS = BLUEPRINT_TAGS.flatMap((name) => [
  { tag: `!${name}`, resolve: (text: string) => new Tagged(name, text) },
  {
    tag: `!${name}`,
    collection: "seq" as const,
    resolve: (node: unknown) => new Tagged(name, (node as { toJSON(): unknown }).toJSON()),
  },
]);

const blueprints = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const content = parse(text, { customTags: CUSTOM_TAGS }) as {
    readonly version: number;
    readonly metadata: { readonly name: string };
    readonly entries: readonly Entry[];
  };
  return { name: basename(file, ".yaml"), text, content };
});

const entries = blueprints.flatMap(({ content, name }) => content.entries.map((entry) => ({ ...entry, of: name })));

const fieldsOf = ({ attrs = {}, identifiers = {} }: Entry) => ({ ...identifiers, ...attrs });

describe(`Shipped blueprints, by what release ${PINNED_VERSION} takes`, () => {
  it("are those that the input names, under the names that the application lists", () => {
    expect(blueprints.map(({ name }) => name).sort()).toEqual(Object.keys(SHIPPED_BLUEPRINTS).sort());
    for (const { content, name } of blueprints) {
      expect(content).toMatchObject({ version: 1, metadata: { name: shippedBlueprintName(name) } });
    }
  });

  it("use existing models and their fields", () => {
    const unknown = entries.flatMap((entry) =>
      Object.keys(fieldsOf(entry))
        .filter((field) => RELEASE_MODELS[entry.model]?.fields.includes(field) !== true)
        .map((field) => `${entry.of}: ${entry.model}.${field}`),
    );
    expect(unknown).toEqual([]);
  });

  it("set every required field of a new object, unless it is one of the application's own", () => {
    const OWN_OBJECTS = ["default-authentication-identification", "default-source-enrollment"];
    const lacking = entries
      .filter(({ identifiers = {} }) => !OWN_OBJECTS.some((name) => Object.values(identifiers).includes(name)))
      .flatMap((entry) =>
        (RELEASE_MODELS[entry.model]?.required ?? [])
          .filter((field) => !(field in fieldsOf(entry)))
          .map((field) => `${entry.of}: ${entry.model}.${field}`),
      );
    expect(lacking).toEqual([]);
  });

  it("use existing choices", () => {
    const chosen = entries.flatMap((entry) => wordsIn(fieldsOf(entry)));
    expect(chosen.length).toBeGreaterThan(3);
    expect(chosen.filter(([field, word]) => RELEASE_WORDS[field]?.includes(word) !== true)).toEqual([]);
  });

  it("refer only to entries of their own that precede", () => {
    for (const { content } of blueprints) {
      const known: string[] = [];
      for (const entry of content.entries) {
        for (const { tag, value } of taggedIn(fieldsOf(entry))) if (tag === "KeyOf") expect(known).toContain(value);
        if (entry.id !== undefined) known.push(entry.id);
      }
    }
  });

  it("wait for what they build on, and change nothing before that", () => {
    for (const { content } of blueprints) {
      const models = content.entries.map(({ model }) => model.endsWith(".metaapplyblueprint"));
      expect(models).toEqual([...models].sort((one, other) => Number(other) - Number(one)));
      const required = content.entries.filter(({ attrs }) => attrs?.required !== undefined);
      expect(required.map(({ attrs }) => attrs?.required)).toEqual(models.filter(Boolean).map(() => true));
    }
  });

  it("read variables that are meant for them alone, and name each in the header", () => {
    for (const { content, text } of blueprints) {
      const read = taggedIn(content).flatMap(({ tag, value }) => (tag === "Env" ? [[value].flat()[0] as string] : []));
      const [header = ""] = text.split("\nversion: 1");
      for (const variable of read) {
        expect(variable.startsWith(BLUEPRINT_VARIABLE_PREFIX)).toBe(true);
        expect(header).toContain(variable);
      }
    }
  });
});

function taggedIn(value: unknown): Tagged[] {
  if (value instanceof Tagged) return [value, ...taggedIn(value.value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap((inner) => taggedIn(inner)) : [];
}

function wordsIn(value: unknown): (readonly [field: string, word: string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]: [string, unknown]) =>
    field in RELEASE_WORDS ? [inner].flat().map((word) => [field, String(word)] as const) : wordsIn(inner),
  );
}
