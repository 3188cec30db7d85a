import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Cloud } from "./cloud";
import { zipEntries } from "./zip-entries";

/** Where Terraform and its scripts leave things behind. */
export interface Traces {
  readonly folder: string;
  readonly log: string;
  readonly cloud: Cloud;
  /** Requests that the scripts have sent, and other texts, by name. */
  readonly further: Readonly<Record<string, string>>;
}

/** A shorter text turns up by chance. */
const SHORTEST_SECRET = 8;

/** Every place where the value of a secret can be read; none when all is well. The values themselves are not in it. */
export function secretLeaks(traces: Traces): string[] {
  const places = [...artefacts(traces.folder), ["what was printed", Buffer.from(traces.log)] as const];
  const texts = Object.entries(traces.further).map(([name, text]) => [name, Buffer.from(text)] as const);
  const secrets = secretsOf(traces);
  return [...places, ...texts].flatMap(([place, bytes]) =>
    secrets.flatMap(({ value, meaning }) => formsOf(value).some((form) => bytes.includes(form)) ? [`${meaning} is in ${place}`] : []),
  );
}

/** All secret values that the project knows. A payload that is a file of the folder is public: who has one has both. */
function secretsOf({ cloud, folder }: Traces): { value: string; meaning: string }[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /^(scripts|image)\//.test(path))
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const stored = cloud.payloads.map(({ name, payload }) => ({ value: payload, meaning: `the payload of ${name}` }));
  const opened = [...cloud.handedOut].map((value) => ({ value, meaning: "a generated value that was never stored" }));
  const written = [...cloud.objects.values()].flatMap(({ id, writeOnly }) =>
    Object.entries(writeOnly).map(([name, value]) => ({ value, meaning: `${name} of ${id}` })),
  );
  const seen = new Set<string>(files);
  return [...stored, ...written, ...opened].filter(({ value }) => {
    if (seen.has(value) || value.length < SHORTEST_SECRET || cloud.publicPayloads.has(value)) return false;
    seen.add(value);
    return true;
  });
}

/** A value as it is, as JSON writes it, and in Base64 at each of the three places where it may begin. */
function formsOf(value: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from(" ".repeat(shift) + value).toString("base64");
    // The first and last characters also depend on what surrounds the value.
    return text.slice(shift === 0 ? 0 : 4, text.length - 4);
  });
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), ...encoded];
}

function artefacts(folder: string): (readonly [place: string, bytes: Buffer])[] {
  return readdirSync(folder).flatMap((name): (readonly [string, Buffer])[] => {
    if (/\.tfstate(\.backup)?$/.test(name)) return [[name, readFileSync(join(folder, name))]];
    if (!name.endsWith(".tfplan")) return [];
    return [...zipEntries(readFileSync(join(folder, name)))].map(([entry, bytes]) => [`${name}, ${entry}`, bytes]);
  });
}
