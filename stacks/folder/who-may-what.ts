import { accountOf, type Grant, grantsOf } from "./access-grants";
import { type ActorName, ACTORS, type ActorText, REASONS } from "./access-texts";
import { type Block, ConfigurationFacts } from "./configuration-facts";
import { asText } from "./expression-text";
import { keptData, type KeptDatum } from "./kept-data";
import { table } from "./markdown-tables";
import { openPorts } from "./open-ports";
import { type ReadSecret, readSecrets } from "./secret-readers";

/** The page of a folder about permissions, from its configuration. */
export function whoMayWhat(configuration: Block): string {
  const facts = new ConfigurationFacts(configuration);
  const grants = grantsOf(facts);
  const sections = [
    ["Who", identities(facts, grants)],
    ["Roles", roles(facts, grants)],
    ["Secrets", secrets(facts, grants)],
    ["Open ports", ports(facts)],
    ["Data", data(facts)],
  ] as const;
  const texts = sections.filter(([, text]) => text !== "").map(([title, text]) => `## ${title}\n\n${text}\n`);
  return `# Who may what\n\n${introduction(facts)}\n\n${texts.join("\n")}`;
}

function introduction(facts: ConfigurationFacts): string {
  const isLab = facts.at("tls_private_key.lab_key") !== undefined;
  const has = (input: string) => facts.hasInput(input);
  const placeholders = isLab
    ? "In names, `…` stands for the id of the lab, the output `deployment_id`."
    : [
        "In names, `<input>` stands for the value of that input, `<tenant_prefix>` for `tenant_id` and six digits of a",
        "hash of the project, and `…` for what is computed; a plan has the full names.",
      ].join("\n");
  return [
    "Generated from the configuration in this folder: it has what an apply makes. What else the project and its",
    "organization grant, for example to owners and to Google's own agents, or open by other rules, is not in it.",
    "Which roles whoever applies needs: [network and rights](guides/network-and-rights.md#roles).",
    placeholders,
    ...(has("own_parts")
      ? ["What is there `without` an `existing_…` input stays beside it too, while `own_parts` is not `deleted`."]
      : []),
    ...(has("grant_roles")
      ? [
          "With `grant_roles = false`, nothing is granted to accounts, and on parts, that are managed elsewhere: the",
          "output `grant_commands` has a command for each.",
        ]
      : []),
  ].join("\n");
}

/** A table without a column that is empty in each row. */
function compactTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const isColumnKept = header.map((_, column) => rows.some((row) => row[column] !== ""));
  const only = (cells: readonly string[]) => cells.filter((_, column) => isColumnKept[column]);
  return rows.length === 0 ? "" : table(only(header), rows.map(only));
}

const sentence = (phrases: readonly string[]): string => phrases.join(", ");

/** Kinds of holders with several members, each with its own role. */
const SEVERAL: readonly ActorName[] = ["agents", "pods"];

const ORDER = Object.keys(ACTORS) as ActorName[];

function identities(facts: ConfigurationFacts, grants: readonly Grant[]): string {
  const rows = ORDER.flatMap((actor) => {
    const grantsOfActor = grants.filter((each) => each.actor === actor);
    if (grantsOfActor.length === 0) return [];
    const { title }: ActorText = ACTORS[actor];
    const account = facts.at(`google_service_account.${actor}`);
    const given = grantsOfActor.find(({ isGiven }) => isGiven)?.account;
    const names = account === undefined ? [] : [accountOf(facts, account)];
    const otherAccounts = [...new Set(grantsOfActor.filter(({ isGiven }) => !isGiven).map((each) => each.account))];
    if (SEVERAL.includes(actor)) return [[title, "those below", WITHOUT_ACCOUNT[actor] ?? "", ""]];
    const created = names.length > 0 ? names : [otherAccounts.join(", ")].filter((text) => text !== "");
    const shown = [...created, ...(given === undefined ? [] : [givenIn(facts, given)])];
    const description = asText(account?.body.description ?? WITHOUT_ACCOUNT[actor] ?? "");
    return [[title, shown.join(", or "), description, sentence(conditionsOfAccount(facts, actor))]];
  });
  const vms = facts.ofType(/^google_compute_instance$/);
  const areAlone = vms.length > 0 && vms.every(({ body }) => body.service_account === undefined);
  const alone = areAlone
    ? "The VMs have no service account: from them, nobody can call an API of Google without a sign-in."
    : "";
  return [compactTable(["Who", "Account", "What it does", "When"], rows), alone]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The account in an input, with its address if the folder contains it. */
function givenIn(facts: ConfigurationFacts, path: string): string {
  const [name = "", member = ""] = path.replaceAll("`", "").split(".");
  const value = (facts.defaultOf(name) as Block | null | undefined)?.[member];
  return typeof value === "string" ? `the one in ${path}, here \`${value}\`` : `the one in ${path}`;
}

/** Purposes of identities that have no account with a description. */
const WITHOUT_ACCOUNT: Readonly<Partial<Record<ActorName, string>>> = {
  existing_nodes: "Runs the nodes of the cluster",
  agents: "Encrypt, for a service of Google, what it stores",
  copy_writer: "Copies the audit log to its destination",
  aws_user: "Lists what there is in AWS",
  pods: "What pods of the cluster are, named as namespace and account",
  public: "Whoever knows the address, without a sign-in at Google",
};

function conditionsOfAccount(facts: ConfigurationFacts, actor: ActorName): readonly string[] {
  const account = facts.at(`google_service_account.${actor}`);
  if (account === undefined) return [];
  return facts.conditionsOf(account.body).filter((phrase) => !phrase.includes("`existing_service_accounts"));
}

function roles(facts: ConfigurationFacts, grants: readonly Grant[]): string {
  const byRow = new Map<string, { readonly cells: readonly [string, string, string, string]; on: readonly string[] }>();
  const rank = ({ actor, on }: Grant) => 2 * ORDER.indexOf(actor) + (on.includes("`existing_") ? 1 : 0);
  const sorted = [...grants].sort((one, other) => rank(one) - rank(other));
  for (const { account, actor, on, role, secret, when } of sorted) {
    if (secret !== undefined) continue;
    const why = REASONS[`${actor} ${role}`];
    if (why === undefined) throw new Error(`${actor} has ${role}, and nothing says why; add it to REASONS`);
    const { title }: ActorText = ACTORS[actor];
    const who = SEVERAL.includes(actor) ? account : title;
    const shown = role.startsWith("roles/") ? `\`${role}\`` : role;
    const ofAccount = conditionsOfAccount(facts, actor);
    const cells = [who, shown, why, sentence(when.filter((phrase) => !ofAccount.includes(phrase)))] as const;
    const row = byRow.get(cells.join("|")) ?? { cells: [...cells], on: [] };
    byRow.set(cells.join("|"), { ...row, on: [...new Set([...row.on, on])] });
  }
  const rows = [...byRow.values()].map(({ cells: [who, role, why, when], on }) => [
    who,
    role,
    on.join(", or "),
    why,
    when,
  ]);
  return compactTable(["Who", "Role", "On", "Why", "When"], rows);
}

function secrets(facts: ConfigurationFacts, grants: readonly Grant[]): string {
  const rows = readSecrets(facts, grants).map(({ holds, readers, secret, when }: ReadSecret) => [
    secret,
    holds,
    readers.length === 0 ? "nobody" : readers.join("; "),
    sentence(when),
  ]);
  if (rows.length === 0) return "";
  const isInCluster = facts.ofType(/^kubernetes_secret_v1$/).length > 0;
  return [
    "Owners of the project, and whoever applies, can read all. Of the accounts above, each reads only these, by",
    `\`roles/secretmanager.secretAccessor\` on the one secret${isInCluster ? ", or by a copy in the cluster" : ""}:`,
    "",
    compactTable(["Secret", "What is in it", "Who reads it", "When"], rows),
    "",
    ...(isInCluster ? ["Whoever may read Kubernetes secrets of the namespace can read these copies too."] : []),
    "How to replace each: [secrets and rotation](guides/secrets-and-rotation.md#rotate).",
  ].join("\n");
}

function ports(facts: ConfigurationFacts): string {
  const byRow = new Map<
    string,
    { readonly what: string; readonly ports: string[]; readonly protocols: string[]; readonly rest: string[] }
  >();
  for (const { from, port, protocol, what, when } of openPorts(facts)) {
    const rest = [from, sentence(when)];
    const key = [what, ...rest].join("|");
    const row = byRow.get(key) ?? { what, ports: [], protocols: [], rest };
    row.ports.push(port);
    if (!row.protocols.includes(protocol)) row.protocols.push(protocol);
    byRow.set(key, row);
  }
  const rows = [...byRow.values()].map((row) => [
    row.what,
    row.ports.join(", "),
    row.protocols.join(", "),
    ...row.rest,
  ]);
  const isLab = facts.at("tls_private_key.lab_key") !== undefined;
  const furtherLines = isLab
    ? []
    : [
        "",
        "Fewer of them: [no public address](guides/no-public-address.md). What a load balancer refuses: [domain and",
        "protection](guides/domain-and-protection.md#protection). What may be reached from inside: [who reaches",
        "what](guides/network-and-rights.md#who-reaches-what).",
      ];
  return [compactTable(["What listens", "Port", "Protocol", "Reachable from", "When"], rows), ...furtherLines].join(
    "\n",
  );
}

function data(facts: ConfigurationFacts): string {
  const rows = keptData(facts).map(({ deleted, kept, persons, what, when, where }: KeptDatum) => [
    what,
    persons,
    where,
    kept,
    deleted,
    sentence(when),
  ]);
  const header = ["What", "Tells of persons", "Where it lies", "How long it stays", "How it is deleted", "When"];
  const isLab = facts.at("tls_private_key.lab_key") !== undefined;
  const furtherLines = isLab
    ? []
    : [
        "",
        "Allowed locations, and keys of your own: [keys and mirrors](guides/keys-and-mirrors.md). What is restored,",
        "and how: [backup and restore](guides/backup-and-restore.md).",
      ];
  return [compactTable(header, rows), ...furtherLines].join("\n");
}
