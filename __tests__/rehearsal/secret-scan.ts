import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Cloud } from "./cloud";
import { zipEntries } from "./zip-entries";

/** Where Terraform and its scripts leave things behind. */
export interface Traces {
  readonly folder: string;
  readonly cloud: Cloud;
  /** What was printed, sent or shown, by name; it only grows. */
  readonly texts: Readonly<Record<string, string>>;
  /** Those of the texts that show the state as it is. */
  readonly stateViews?: readonly string[];
}

/** A shorter text turns up by chance. */
const SHORTEST_SECRET = 8;

/** Longer than any form of a secret that might lie across the end of what was looked at before. */
const OVERLAP = 1000;

/** Looks for the values of secrets in everything that is new since it looked before. */
export class SecretScan {
  /** Plan files that never change again. */
  private readonly seenPlans = new Set<string>();
  private readonly seenLengths = new Map<string, number>();

  /** Every place where the value of a secret can be read; none when all is well. The values themselves are not in it. */
  leaks(traces: Traces): string[] {
    const texts = Object.entries(traces.texts).map(([place, text]): Place => {
      const before = this.seenLengths.get(place) ?? 0;
      this.seenLengths.set(place, text.length);
      return [place, Buffer.from(text.slice(Math.max(0, before - OVERLAP)))];
    });
    const places = [...this.artefacts(traces.folder), ...texts];
    const shown = texts.filter(([place]) => traces.stateViews?.includes(place) !== true);
    return secretsOf(traces).flatMap(({ value, meaning, mayBeInState }) => {
      const forms = formsOf(value);
      return (mayBeInState === true ? shown : places)
        .filter(([, bytes]) => forms.some((form) => bytes.includes(form)))
        .map(([place]) => `${meaning} is in ${place}`);
    });
  }

  private artefacts(folder: string): Place[] {
    return readdirSync(folder).flatMap((name): Place[] => {
      if (/\.tfstate(\.backup)?$/.test(name)) return [[name, readFileSync(join(folder, name))]];
      if (!name.endsWith(".tfplan") || this.seenPlans.has(name)) return [];
      this.seenPlans.add(name);
      return [...zipEntries(readFileSync(join(folder, name)))].map(([entry, bytes]) => [`${name}, ${entry}`, bytes]);
    });
  }
}

type Place = readonly [place: string, bytes: Buffer];

interface Secret {
  readonly value: string;
  readonly meaning: string;
  /** Where the provider itself keeps it, and a saved plan with it. */
  readonly mayBeInState?: boolean;
}

/** All secret values that the project knows. A payload that is a file of the folder is public: who has one has both. */
function secretsOf({ cloud, folder }: Traces): Secret[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /^(scripts|image)\//.test(path))
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const stored = cloud.payloads.map(({ name, payload }) => ({ value: payload, meaning: `the payload of ${name}` }));
  const opened = [...cloud.handedOut].map((value) => ({ value, meaning: "a generated value that was never stored" }));
  const written = [...cloud.objects.values()].flatMap(({ id, writeOnly }) =>
    Object.entries(writeOnly).map(([name, value]) => ({ value, meaning: `${name} of ${id}` })),
  );
  const kept = [...cloud.keptInState].map((value) => ({ value, meaning: "a key of the state", mayBeInState: true }));
  const seen = new Set<string>(files);
  return [...stored, ...written, ...opened, ...kept].filter(({ value }) => {
    if (seen.has(value) || value.length < SHORTEST_SECRET || cloud.publicPayloads.has(value)) return false;
    seen.add(value);
    return true;
  });
}

/** A value as it is, as JSON and addresses write it, and in Base64 at each of the three places where it may begin. */
function formsOf(value: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from(" ".repeat(shift) + value).toString("base64");
    // The first and last characters also depend on what surrounds the value.
    return text.slice(shift === 0 ? 0 : 4, text.length - 4);
  });
  const asJson = jsonText(value);
  const asTerraformJson = terraformJsonText(value);
  const inAddress = encodeURIComponent(value);
  return [
    ...new Set([
      value,
      asJson,
      asTerraformJson,
      // The result of jsonencode() is a text of the state.
      terraformJsonText(asTerraformJson),
      inAddress,
      inAddress.replace(/[!'()*]/g, percentCode),
      ...encoded,
    ]),
  ];
}

const jsonText = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Terraform writes JSON that HTML could contain: in the state, in what it shows, and in jsonencode(). */
function terraformJsonText(value: string): string {
  return jsonText(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const percentCode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
