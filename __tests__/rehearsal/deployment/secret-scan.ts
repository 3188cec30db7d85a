import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

import { type Cloud } from "../project/cloud";

type PlaceKind = "plan" | "state" | "text";

/** Something that Terraform or a script has written, sent or shown. */
export interface Place {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly bytes: Buffer;
}

/** The state files of a folder. */
export function statePlaces(folder: string): Place[] {
  const names = readdirSync(folder).filter((name) => /\.tfstate(\.backup)?$/.test(name));
  return names.map((name) => ({ name, kind: "state", bytes: readFileSync(join(folder, name)) }));
}

/** The files in a plan file. */
export function planPlaces(folder: string, name: string): Place[] {
  const entries = [...zipEntries(readFileSync(join(folder, name)))];
  return entries.map(([entry, bytes]) => ({ name: `${name}, ${entry}`, kind: "plan", bytes }));
}

/** The value of an input that is declared as a secret. */
interface SecretInput {
  readonly name: string;
  readonly value: string;
  /** False if Terraform writes the input into every plan file, even if it is marked sensitive. */
  readonly isEphemeral: boolean;
}

/** The part of a configuration that is read. */
export interface Configuration {
  readonly output?: Readonly<Record<string, unknown>>;
  /** By type and name. */
  readonly resource?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly variable?: Readonly<Record<string, { readonly ephemeral?: boolean; readonly sensitive?: boolean }>>;
}

/** Values of the inputs that are declared as secrets. */
export function secretInputs(
  { variable = {} }: Configuration,
  inputs: Readonly<Record<string, unknown>>,
): SecretInput[] {
  return Object.entries(variable).flatMap(([name, { ephemeral = false, sensitive = false }]) => {
    const value = inputs[name];
    return typeof value === "string" && (ephemeral || sensitive) ? [{ name, value, isEphemeral: ephemeral }] : [];
  });
}

/** Shorter texts occur by chance. */
const SHORTEST_SECRET = 8;

/** All places where the value of a secret can be read, without the values themselves. */
export function leaksIn(places: readonly Place[], secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ value, meaning, kept = [] }) => {
    const forms = formsOf(value);
    return places
      .filter(({ kind, bytes }) => !kept.includes(kind) && forms.some((form) => bytes.includes(form)))
      .map(({ name }) => `${meaning} is in ${name}`);
  });
}

interface Secret {
  readonly value: string;
  readonly meaning: string;
  /** Where Terraform or the provider itself stores it. */
  readonly kept?: readonly PlaceKind[];
}

/** All secret values in the project. A payload that is made of files of the folder is not secret. */
export function secretsOf(cloud: Cloud, folder: string, inputs: readonly SecretInput[]): Secret[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /(^|\/)(scripts|image)\//.test(path) && statSync(join(folder, path)).isFile())
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const payloads = [...cloud.payloads.map(({ name, payload }) => [name, payload] as const), ...cloud.othersPayloads];
  const written = [...cloud.objects.values()].flatMap(({ id, writeOnly }) =>
    Object.entries(writeOnly).map(([name, value]) => ({ value, meaning: `${name} of ${id}` })),
  );
  const secrets: readonly Secret[] = [
    ...payloads.map(([name, value]) => ({ value, meaning: `the payload of ${name}` })),
    ...written,
    ...[...cloud.handedOut].map((value) => ({ value, meaning: "a generated value that was never stored" })),
    ...[...cloud.keptInState].map((value): Secret => ({
      value,
      meaning: "a key of the state",
      kept: ["plan", "state"],
    })),
    ...inputs.map(({ name, value, isEphemeral }): Secret => {
      return { value, meaning: `the input ${name}`, kept: isEphemeral ? [] : ["plan"] };
    }),
  ];
  const seen = new Set<string>(cloud.publicPayloads);
  const isOfFiles = (value: string) => files.reduce((rest, file) => rest.replace(file, ""), value).trim() === "";
  return secrets.filter(({ value }) => {
    if (seen.has(value) || isOfFiles(value) || value.length < SHORTEST_SECRET) return false;
    seen.add(value);
    return true;
  });
}

/** A value as plain text, escaped in JSON and in URLs, and in Base64 at each of the three possible offsets. */
function formsOf(value: string): string[] {
  const encoded = [0, 1, 2].map((shift) => {
    const text = Buffer.from(" ".repeat(shift) + value).toString("base64");
    // The first and last characters also depend on what surrounds the value.
    return text.slice(shift === 0 ? 0 : 4, text.length - 4);
  });
  const asJson = jsonText(value);
  const asTerraformJson = terraformJsonText(value);
  return [
    ...new Set([
      value,
      asJson,
      asTerraformJson,
      // In the state, the result of jsonencode() is a string and so escaped again.
      terraformJsonText(asTerraformJson),
      encodeURIComponent(value),
      ...encoded,
    ]),
  ];
}

const jsonText = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Escapes for HTML, as Terraform does in JSON: in the state, in its output and in jsonencode(). */
function terraformJsonText(value: string): string {
  return jsonText(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const STORED = 0;

/** Uncompressed contents of a ZIP archive, by name; Terraform's plan files are such archives. */
function zipEntries(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0) throw new Error("this is no ZIP archive");
  const entries = new Map<string, Buffer>();
  let offset = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const method = archive.readUInt16LE(offset + 10);
    const size = archive.readUInt32LE(offset + 20);
    const nameLength = archive.readUInt16LE(offset + 28);
    const header = archive.readUInt32LE(offset + 42);
    const name = archive.toString("utf8", offset + 46, offset + 46 + nameLength);
    // Lengths from the entry's own header, because its extra field may differ from the directory's.
    const data = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const bytes = archive.subarray(data, data + size);
    entries.set(name, method === STORED ? bytes : inflateRawSync(bytes));
    offset += 46 + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32);
  }
  return entries;
}
