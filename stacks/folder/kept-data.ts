import { type Block, type ConfigurationFacts, type FoundResource, root } from "./configuration-facts";
import { DATA, type DatumText } from "./data-texts";
import { asText } from "./expression-text";

/** A row of the table of data, with the resource that stores the data. */
export interface KeptDatum extends Pick<DatumText, "what" | "persons" | "where" | "kept" | "deleted"> {
  /** Address of the resource or input that stores the data. */
  readonly address: string;
  readonly when: readonly string[];
}

/** The data of a folder, with the values and inputs that determine place and retention. */
export function keptData(facts: ConfigurationFacts): readonly KeptDatum[] {
  return [...DATA.flatMap((text) => datumOf(facts, text) ?? []), stateOf(facts)];
}

function datumOf(facts: ConfigurationFacts, datum: DatumText): KeptDatum | undefined {
  const { block, isAlways = false, of, ...text } = datum;
  for (const address of of) {
    const [, input] = /^var[.]([\w.]+)$/.exec(address) ?? [];
    if (input !== undefined && facts.uses(input))
      return { ...text, address, when: (facts.defaultOf(input) ?? null) === null ? [`with \`${input}\``] : [] };
    const resource = facts.at(address);
    if (resource === undefined || (block !== undefined && argumentAt(resource.body, block) === undefined)) continue;
    const filled = (sentence: string) =>
      sentence.replace(/\{([\w.]+)(?:[|](\w+))?\}/g, (_, path: string, unit?: string) => {
        const value = valueAt(facts, resource, path);
        return unit === undefined ? value : value.replace(/(?=, here )|$/, ` ${unit}`);
      });
    const { deleted, kept, persons, what, where } = text;
    const ofResource = isAlways ? [] : [...facts.conditionsOf(resource.body), ...facts.elementsOf(resource.body)];
    const when = [...ofResource, ...(block === undefined ? [] : conditionsOfBlock(facts, resource.body, block))];
    return { address, what, persons, where: filled(where), kept: filled(kept), deleted, when };
  }
  return undefined;
}

/** An argument in words. @throws Error if the resource does not have the argument */
function valueAt(facts: ConfigurationFacts, { body, name, type }: FoundResource, path: string): string {
  const value = argumentAt(body, path);
  if (value === undefined) throw new Error(`${type}.${name} has no ${path}, of which the page of rights tells`);
  if (["bucket_id", "name", "repository_id"].includes(path)) return facts.template(asText(value));
  if (path === "replication") return placesOf(facts, value);
  const [, seconds] = /^(\d+)s?$/.exec(asText(value)) ?? [];
  if (seconds !== undefined && /seconds|ttl|older/.test(path))
    return `${path.includes("older") ? "until they are older than " : ""}${Number(seconds) / 86_400} days`;
  return facts.valueInWords(value);
}

/** An argument by its path, even in a block that depends on an input; undefined if there is none. */
function argumentAt(body: Block, path: string): unknown {
  return path.split(".").reduce<unknown>((part, each) => {
    const { [each]: own, dynamic } = (part ?? {}) as Block & { readonly dynamic?: Readonly<Record<string, Block>> };
    return own ?? dynamic?.[each]?.content;
  }, body);
}

/** The inputs without which a block is missing, as phrases. */
function conditionsOfBlock(facts: ConfigurationFacts, body: Block, path: string): string[] {
  const names = path.split(".");
  const around = argumentAt(body, names.slice(0, -1).join(".")) as {
    readonly dynamic?: Readonly<Record<string, Block>>;
  };
  const { for_each: elements } = around.dynamic?.[names.at(-1) ?? ""] ?? {};
  return facts.inputsIn(elements).map((input) => `without \`${input}\``);
}

/** Regions of a secret, or the input that determines them. */
function placesOf(facts: ConfigurationFacts, replication: unknown): string {
  const { user_managed: chosen } = replication as { readonly user_managed?: Block };
  if (chosen === undefined) return "regions that Google chooses";
  const { replicas: elsewhere } = (chosen.dynamic ?? {}) as { readonly replicas?: Block };
  const inputs = [...new Set(facts.inputsIn(elsewhere?.for_each ?? chosen.replicas).map(root))];
  const places = [chosen.replicas ?? []].flat() as unknown as readonly { readonly location: string }[];
  return inputs.length === 0
    ? places.map(({ location }) => location).join(", ")
    : inputs.map((name) => facts.inputInWords(name)).join("; else ");
}

/** Data that Terraform itself keeps. */
function stateOf(facts: ConfigurationFacts): KeptDatum {
  const { backend = {} } = (facts.configuration.terraform ?? {}) as {
    readonly backend?: Readonly<Record<string, Block>>;
  };
  const [[kind, settings] = ["local", {}]] = Object.entries(backend);
  const isLab = facts.at("tls_private_key.lab_key") !== undefined;
  const { bucket, path } = settings as { readonly bucket?: unknown; readonly path?: unknown };
  const place =
    kind === "gcs"
      ? `the bucket \`${String(bucket)}\``
      : `the file \`${String(path)}\` in this folder, unless you name another place`;
  return {
    address: "terraform.backend",
    what: isLab
      ? "The state of Terraform, with the private SSH key"
      : "The state of Terraform: names, settings, `environment_variables`; no secret",
    persons: facts.hasInput("alert_emails") ? "mail addresses of who gets alerts" : "no",
    where: place,
    kept: "until you delete it; in a bucket with versions also its former ones",
    deleted: "by you, after a destroy",
    when: [],
  };
}
