import { givenSecret, type Grant } from "./access-grants";
import { ACTORS, COPIES, SECRETS } from "./access-texts";
import { type Block, type ConfigurationFacts, root } from "./configuration-facts";

/** A secret and its readers. */
export interface ReadSecret {
  /** Names of the resource, or inputs that name an existing secret. */
  readonly key: string;

  /** Name of the secret on the page. */
  readonly secret: string;
  readonly holds: string;

  /** Each reader in words, with the condition for it. */
  readonly readers: readonly string[];
  readonly when: readonly string[];
}

type Named = Readonly<Record<string, Block>>;

/** Every secret: created by the folder, or named by inputs. */
export function readSecrets(facts: ConfigurationFacts, grants: readonly Grant[]): readonly ReadSecret[] {
  const readers = [...ofGrants(grants), ...copies(facts), ...ofTerraform(facts)];
  const created = facts.ofType(/^google_secret_manager_secret$/).map(({ body, name }) => {
    const holds = SECRETS[name];
    if (holds === undefined) throw new Error(`the secret ${name} has no text; add it to SECRETS`);
    const when = facts.conditionsOf(body);
    const ownReaders = readers.filter(({ key, isGiven }) => key === name && !isGiven);
    return { key: name, secret: facts.nameInWords(body.secret_id), holds, readers: inWords(ownReaders, when), when };
  });
  const order = Object.keys(SECRETS);
  created.sort((one, other) => order.indexOf(one.key) - order.indexOf(other.key));
  const keys = [...new Set(readers.filter(({ isGiven }) => isGiven).map(({ key }) => key))].sort();
  const given = keys.map((key) => {
    const givenReaders = readers.filter((each) => each.key === key);
    const paths = key.split(" ");
    // Of one input, the second takes the place of the first where that is not set.
    const isOfOne = new Set(paths.map(root)).size === 1;
    const inputs = paths.map((path) => namedInput(facts, path));
    // Whichever of both it is, there is one with the input.
    const decisive = paths.length > 1 ? paths.map(root) : paths;
    const when = isOfOne ? decisive.slice(0, 1).flatMap((path) => whenGiven(facts, path)) : [];
    return {
      key,
      secret: inputs.join(isOfOne ? ", else " : ", and "),
      holds: "a secret of yours",
      readers: inWords(givenReaders, when),
      when,
    };
  });
  return [...created, ...given];
}

/** An input that names secrets, with its default. */
function namedInput(facts: ConfigurationFacts, path: string): string {
  const value = facts.defaultOf(root(path));
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty
    ? `each in \`${path}\`, here none`
    : root(path) === path
      ? `each in \`${path}\``
      : `the one in \`${path}\``;
}

const whenGiven = (facts: ConfigurationFacts, path: string): readonly string[] =>
  facts.defaultOf(root(path)) === null ? [`with \`${path}\``] : [];

interface Reader {
  readonly key: string;
  readonly isGiven: boolean;
  readonly who: string;
  readonly when: readonly string[];
}

/** Readers in words, each once, with what only holds for it. */
function inWords(readers: readonly Reader[], ofSecret: readonly string[]): readonly string[] {
  const texts = readers.map(({ when, who }) => {
    const ownConditions = when.filter(
      (phrase) => !ofSecret.includes(phrase) && !/existing_(?:database|secrets)/.test(phrase),
    );
    return ownConditions.length === 0 ? who : `${who} (${ownConditions.join(", ")})`;
  });
  return [...new Set(texts)];
}

function ofGrants(grants: readonly Grant[]): readonly Reader[] {
  return grants.flatMap(({ actor, secret, when }) =>
    secret === undefined
      ? []
      : [{ key: secret.name, isGiven: secret.isGiven, who: lowerFirst(ACTORS[actor].title), when }],
  );
}

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** Secrets that Terraform reads at each plan and apply, under the account that runs it. */
function ofTerraform(facts: ConfigurationFacts): readonly Reader[] {
  return Object.values(openedVersions(facts)).flatMap((body) =>
    secretsOf(facts, body).map((secret) => ({
      key: secret.name,
      isGiven: secret.isGiven,
      who: "Terraform, at each plan and apply",
      when: [],
    })),
  );
}

/** Copies in the cluster for pods. */
function copies(facts: ConfigurationFacts): readonly Reader[] {
  const opened = openedVersions(facts);
  return facts.ofType(/^kubernetes_secret_v1$/).flatMap(({ body, name: copy }) => {
    const { metadata } = body as { readonly metadata: Block };
    const actor = COPIES[copy];
    if (actor === undefined) throw new Error(`the Kubernetes secret ${copy} is nobody's; add it to COPIES`);
    const who = `${lowerFirst(ACTORS[actor].title)}, by the Kubernetes secret ${facts.nameInWords(metadata.name)}`;
    const names = JSON.stringify(body.data_wo).matchAll(/ephemeral[.]google_secret_manager_secret_version[.](\w+)/g);
    return [...names].flatMap(([, name = ""]) =>
      secretsOf(facts, opened[name] ?? {}).map((secret) => ({
        key: secret.name,
        isGiven: secret.isGiven,
        who,
        when: facts.conditionsOf(body),
      })),
    );
  });
}

function openedVersions(facts: ConfigurationFacts): Named {
  const { google_secret_manager_secret_version: versions = {} } = (facts.configuration.ephemeral ?? {}) as Readonly<
    Record<string, Named>
  >;
  return versions;
}

/** The secrets of an ephemeral value: a created secret, a secret from an input, or either of them. */
function secretsOf(facts: ConfigurationFacts, body: Block) {
  const isEach = facts.expanded(body.secret).includes("each.value");
  const text = facts.expanded(isEach ? body.for_each : body.secret);
  const created = [...text.matchAll(/\bgoogle_secret_manager_secret[.](\w+)/g)].map(([, name = ""]) => ({
    name,
    isGiven: false,
  }));
  const [given] = /\bsecret_id\b/.test(text) ? [givenSecret(facts, text)] : [];
  return [...created, ...(given === undefined || given.name === "" ? [] : [given])];
}
