import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { type Cloud } from "../project/cloud";
import { zipEntries } from "./zip-entries";

/** What Terraform and its scripts leave behind. */
export interface Traces {
  readonly folder: string;
  readonly cloud: Cloud;
  /** What was printed, sent or shown, by name; these texts only grow. */
  readonly texts: Readonly<Record<string, string>>;
  /** Names of the texts that show the state. */
  readonly stateViews?: readonly string[];
  /** Names of the texts that show plans. */
  readonly planViews?: readonly string[];
  /** Secrets among the inputs. */
  readonly inputs?: readonly SecretInput[];
}

/** The value of an input that is declared as a secret. */
interface SecretInput {
  readonly name: string;
  readonly value: string;
  /** False if Terraform writes the input into every plan file, even if it is marked sensitive. */
  readonly isEphemeral: boolean;
}

/** The part of a configuration that declares which inputs are secrets. */
export interface Configuration {
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

/** Longer than any form of a secret that may span the end of the text scanned before. */
const OVERLAP = 1000;

/** Scans everything new since the last scan for the values of secrets, and everything for new secrets. */
export class SecretScan {
  /** Contents of plan files, which never change. */
  private readonly plans = new Map<string, readonly Place[]>();
  private readonly seenLengths = new Map<string, number>();
  private readonly seenSecrets = new Set<string>();

  /** All places where the value of a secret can be read, without the values themselves. */
  leaks(traces: Traces): string[] {
    // What is generated and never stored can only be in what the command wrote that it was generated for.
    const secrets = secretsOf(traces).filter(
      ({ value, isPassing }) => isPassing !== true || !this.seenSecrets.has(value),
    );
    const looks = { fresh: this.places(traces, false), all: this.places(traces, true) };
    for (const [place, text] of Object.entries(traces.texts)) this.seenLengths.set(place, text.length);
    return secrets.flatMap((secret) => {
      const { value, meaning } = secret;
      // A newly generated value cannot be in what was written before.
      const isKnown = this.seenSecrets.has(value) || traces.cloud.handedOut.has(value);
      this.seenSecrets.add(value);
      const forms = formsOf(value);
      return (isKnown ? looks.fresh : looks.all)
        .filter(({ kind, bytes }) => !mayBeIn(secret, kind) && forms.some((form) => bytes().includes(form)))
        .map(({ name }) => `${meaning} is in ${name}`);
    });
  }

  private places({ folder, planViews = [], stateViews = [], texts }: Traces, isAll: boolean): Place[] {
    const names = readdirSync(folder);
    const states = names
      .filter((name) => /\.tfstate(\.backup)?$/.test(name))
      .map((name): Place => ({ name, kind: "state", bytes: once(() => readFileSync(join(folder, name))) }));
    const plans = names
      .filter((name) => name.endsWith(".tfplan") && (isAll || !this.plans.has(name)))
      .flatMap((name) => this.planned(folder, name));
    const shown = Object.entries(texts).map(([name, text]): Place => {
      const start = isAll ? 0 : Math.max(0, (this.seenLengths.get(name) ?? 0) - OVERLAP);
      const kind = stateViews.includes(name) ? "state" : planViews.includes(name) ? "plan" : "text";
      return { name, kind, bytes: once(() => Buffer.from(text.slice(start))) };
    });
    return [...states, ...plans, ...shown];
  }

  private planned(folder: string, name: string): readonly Place[] {
    const known = this.plans.get(name);
    if (known !== undefined) return known;
    const entries = [...zipEntries(readFileSync(join(folder, name)))];
    const places = entries.map(([entry, bytes]): Place => ({
      name: `${name}, ${entry}`,
      kind: "plan",
      bytes: () => bytes,
    }));
    this.plans.set(name, places);
    return places;
  }
}

type PlaceKind = "plan" | "state" | "text";

interface Place {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly bytes: () => Buffer;
}

function once(read: () => Buffer): () => Buffer {
  let bytes: Buffer | undefined;
  return () => (bytes ??= read());
}

interface Secret {
  readonly value: string;
  readonly meaning: string;
  /** Where Terraform or the provider itself stores it. */
  readonly kept?: readonly PlaceKind[];
  /** True for a value that nothing has stored. */
  readonly isPassing?: boolean;
}

function mayBeIn({ kept = [] }: Secret, kind: PlaceKind): boolean {
  return kept.includes(kind);
}

/** All secret values in the project. A payload that is also a file of the folder is not secret. */
function secretsOf({ cloud, folder, inputs = [] }: Traces): Secret[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /^(scripts|image)\//.test(path) && statSync(join(folder, path)).isFile())
    .map((path) => readFileSync(join(folder, path), "utf8"));
  const payloads = [...cloud.payloads.map(({ name, payload }) => [name, payload] as const), ...cloud.othersPayloads];
  const stored = payloads.map(([name, value]) => ({ value, meaning: `the payload of ${name}` }));
  const opened = [...cloud.handedOut].map((value): Secret => ({
    value,
    meaning: "a generated value that was never stored",
    isPassing: true,
  }));
  const written = [...cloud.objects.values()].flatMap(({ id, writeOnly }) =>
    Object.entries(writeOnly).map(([name, value]) => ({ value, meaning: `${name} of ${id}` })),
  );
  const kept = [...cloud.keptInState].map((value): Secret => ({
    value,
    meaning: "a key of the state",
    kept: ["plan", "state"],
  }));
  const given = inputs.map(({ name, value, isEphemeral }): Secret => ({
    value,
    meaning: `the input ${name}`,
    kept: isEphemeral ? [] : ["plan"],
  }));
  const seen = new Set<string>(files);
  return [...stored, ...written, ...opened, ...kept, ...given].filter(({ value }) => {
    if (seen.has(value) || value.length < SHORTEST_SECRET || cloud.publicPayloads.has(value)) return false;
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
  const inAddress = encodeURIComponent(value);
  return [
    ...new Set([
      value,
      asJson,
      asTerraformJson,
      // In the state, the result of jsonencode() is a string and so escaped again.
      terraformJsonText(asTerraformJson),
      inAddress,
      inAddress.replace(/[!'()*]/g, percentCode),
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

const percentCode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
