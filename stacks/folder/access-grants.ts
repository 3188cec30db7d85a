import { type ActorName, ACTORS, type ActorText } from "./access-texts";
import { type Block, type ConfigurationFacts, type FoundResource, root } from "./configuration-facts";
import { asText, whereSet } from "./expression-text";

/** A role of an identity, for the page. */
export interface Grant {
  /** Address of the resource that grants the role. */
  readonly address: string;
  readonly actor: ActorName;

  /** Name of the account on the page. */
  readonly account: string;

  /** Whether the account is managed elsewhere. */
  readonly isGiven: boolean;
  readonly role: string;

  /** Object of the grant, in words. */
  readonly on: string;

  /** Conditions of the grant, in words; none if it always exists. */
  readonly when: readonly string[];

  /** Secret that the identity may read by the grant, instead of `on`. */
  readonly secret?: SecretName;
}

/** A secret: one that the folder creates, by the name of its resource, or one that an input names. */
export interface SecretName {
  readonly name: string;
  readonly isGiven: boolean;
}

/** All roles that a configuration grants. @throws Error for an identity that is not in the table of texts */
export function grantsOf(facts: ConfigurationFacts): readonly Grant[] {
  const members = facts.ofType(/_iam_(?:member|binding)$/).map((resource) => grantOf(facts, resource));
  return [...members, ...openServices(facts), ...bindings(facts), ...ofAws(facts)];
}

function grantOf(facts: ConfigurationFacts, resource: FoundResource): Grant {
  const { body, name, type } = resource;
  const found = identityOf(facts, String(body.member), resource);
  const role = String(body.role);
  const common = { address: `${type}.${name}`, role, ...found, when: whenOf(facts, resource, found.actor) };
  const isRead = type.startsWith("google_secret_manager") && role === "roles/secretmanager.secretAccessor";
  const secret = isRead ? secretOf(facts, body) : undefined;
  return { ...common, on: secret === undefined ? targetOf(facts, resource) : "", ...(secret && { secret }) };
}

type Identity = Pick<Grant, "account" | "actor" | "isGiven">;

/**
 * Holder of a role, from its member: a created account, an account from an input, an agent of Google, pods, or anyone.
 */
function identityOf(facts: ConfigurationFacts, member: string, { name }: FoundResource): Identity {
  if (member === "allUsers") return { actor: "public", account: "`allUsers`", isGiven: false };
  const text = facts.expanded(member);
  const [, pods] = /[.]svc[.]id[.]goog\[(.*)\]$/.exec(member) ?? [];
  if (pods !== undefined) return { actor: "pods", account: facts.nameInWords(pods), isGiven: false };
  if (member.startsWith("serviceAccount:service-")) {
    const account = facts.nameInWords(withNumber(member.replace("serviceAccount:", "")));
    return { actor: "agents", account, isGiven: false };
  }
  if (/google_logging_project_cmek_settings[.]/.test(text))
    return { actor: "agents", account: "the CMEK account of Cloud Logging", isGiven: false };
  const [, sink] = /\bgoogle_logging_project_sink[.](\w+)/.exec(text) ?? [];
  if (sink !== undefined) return { actor: "copy_writer", account: writerOf(facts, sink), isGiven: false };
  const made = createdAccount(facts, text, member);
  if (made !== undefined) return { actor: actorNamed(made.name), account: accountOf(facts, made), isGiven: false };
  const inputs = facts.inputsIn(member);
  const actors = Object.entries<ActorText>(ACTORS).filter(([, { given }]) => given === inputs[0]);
  // One account may start several jobs; the name of the grant begins with the name of the job.
  const [actor] = actors.find(([each]) => name.startsWith(each.replace(/_job_starter$/, ""))) ?? actors[0] ?? [];
  if (actor === undefined) throw new Error(`${member} is nobody that the page of rights has a text for`);
  return { actor: actor as ActorName, account: `\`${inputs[0] ?? ""}\``, isGiven: true };
}

/** The account of a sink, created and named by Cloud Logging. */
const writerOf = (facts: ConfigurationFacts, sink: string): string =>
  `writer identity of the sink ${facts.nameInWords(facts.at(`google_logging_project_sink.${sink}`)?.body.name)}`;

/**
 * An e-mail address with a placeholder for the number of the project, because the folder may not contain the number.
 */
const withNumber = (email: string): string => email.replace(/\$\{[^}]*\}/, "<project_number>");

function createdAccount(facts: ConfigurationFacts, text: string, member: string): FoundResource | undefined {
  const [, referred] = /\bgoogle_service_account[.](\w+)/.exec(text) ?? [];
  // Texts in expanded locals have escaped quotes.
  const plain = (value: unknown) => facts.expanded(value).replaceAll("\\", "");
  const isOf = (id: unknown) => [`:${plain(id)}@`, `"${plain(id)}@`].some((part) => plain(member).includes(part));
  return facts.ofType(/^google_service_account$/).find(({ body, name }) => name === referred || isOf(body.account_id));
}

function actorNamed(name: string): ActorName {
  if (!(name in ACTORS)) throw new Error(`the account ${name} has no text; add it to ACTORS`);
  return name as ActorName;
}

/** The address of a created account, with placeholders. */
export function accountOf(facts: ConfigurationFacts, { body }: FoundResource): string {
  return facts.nameInWords(`${String(body.account_id)}@${String(body.project)}.iam.gserviceaccount.com`);
}

/** Destination of an audit log's copy, by the type of the grant there. */
const DESTINATIONS: Readonly<Record<string, string>> = {
  google_bigquery_dataset_iam_member: "dataset",
  google_project_iam_member: "project",
  google_pubsub_topic_iam_member: "topic",
};

/** Conditions of a grant, without conditions that only select the account. */
function whenOf(facts: ConfigurationFacts, { body, type }: FoundResource, actor: ActorName): readonly string[] {
  const destination = actor === "copy_writer" ? DESTINATIONS[type] : undefined;
  if (destination !== undefined) return [`with a ${destination} in \`audit_log.destination\``];
  const { given }: ActorText = ACTORS[actor];
  const isOfAccount = (phrase: string) =>
    /`grant_roles`|`existing_service_accounts/.test(phrase) || (given !== undefined && phrase.includes(given));
  return facts.conditionsOf(body).filter((phrase) => !isOfAccount(phrase));
}

/** Object of a grant, in words. */
function targetOf(facts: ConfigurationFacts, { body, name, type }: FoundResource): string {
  const named = (kind: string, value: unknown): string => {
    const inputs = facts.inputsIn(value).filter((input) => root(input).startsWith("existing_"));
    return inputs[0] === undefined
      ? `the ${kind} ${facts.nameInWords(nameOf(facts, value))}`
      : `the ${kind} of \`${root(inputs[0])}\``;
  };
  switch (type) {
    case "google_artifact_registry_repository_iam_member":
      return named("repository", body.repository);
    case "google_cloud_run_v2_job_iam_member":
      return named("job", body.name);
    case "google_cloud_run_v2_service_iam_member":
      return named("service", body.name);
    case "google_kms_crypto_key_iam_member": {
      const key = facts.expanded(body.crypto_key_id);
      return facts
        .inputsIn(whereSet(key)?.[1] ?? key)
        .map((input, index) => `${index === 0 ? "the key" : ", else the one"} in \`${input}\``)
        .join("");
    }
    case "google_pubsub_topic_iam_member":
      return "the topic in `audit_log.destination`";
    case "google_bigquery_dataset_iam_member":
      return "the dataset in `audit_log.destination`";
    case "google_project_iam_member":
      return projectTarget(facts, body, name);
    case "google_secret_manager_secret_iam_member":
      return named("secret", body.secret_id);
    case "google_service_account_iam_member":
      return serviceAccountTarget(facts, body);
    case "google_storage_bucket_iam_member": {
      if (facts.inputsIn(body.bucket).includes("dumps.copy_bucket")) return "the bucket in `dumps.copy_bucket`";
      const { condition } = body as { readonly condition?: { readonly title: string } };
      return `${named("bucket", body.bucket)}${condition === undefined ? "" : `, of it ${condition.title}`}`;
    }
    default:
      throw new Error(`${type} is granted on something that the page of rights has no words for`);
  }
}

/** The name in an attribute, or the name of the resource to which the attribute refers. */
function nameOf(facts: ConfigurationFacts, value: unknown): unknown {
  const [, type = "", name = ""] = /\b(google_\w+)[.](\w+)(?:\[|[.])/.exec(String(value)) ?? [];
  const resource = facts.at(`${type}.${name}`);
  return resource === undefined ? value : (resource.body.name ?? resource.body.secret_id);
}

/** A project, or the only database in it that a condition allows. */
function projectTarget(facts: ConfigurationFacts, body: Block, name: string): string {
  if (name.startsWith("audit_log_")) return "the project in `audit_log.destination`";
  const isExisting = name.endsWith("existing_database");
  const database = isExisting ? "the database of `existing_database`" : databaseName(facts);
  const { condition, dynamic } = body as { readonly condition?: unknown; readonly dynamic?: { condition: unknown } };
  if (condition !== undefined) return `${database} alone`;
  if (dynamic !== undefined)
    return `${database} alone; every database of the project with \`database_rights.conditional_access = false\``;
  return body.role === "roles/cloudsql.client" ? "every database of the project" : "the project";
}

const databaseName = (facts: ConfigurationFacts): string =>
  `the database ${facts.nameInWords(facts.at("google_sql_database_instance.database")?.body.name)}`;

function serviceAccountTarget(facts: ConfigurationFacts, body: Block): string {
  const id = String(body.service_account_id);
  const made = createdAccount(facts, id, `:${id.split("/").at(-1) ?? ""}`);
  return made === undefined
    ? `the service account in \`${facts.inputsIn(id)[0] ?? ""}\``
    : `the service account ${accountOf(facts, made)}`;
}

/** The secret of a grant. */
function secretOf(facts: ConfigurationFacts, body: Block): SecretName {
  const value = String(body.secret_id ?? body.secret);
  const [, referred] = /\bgoogle_secret_manager_secret[.](\w+)/.exec(value) ?? [];
  if (referred !== undefined) return { name: referred, isGiven: false };
  return givenSecret(facts, value.includes("each.value") ? body.for_each : value);
}

/** Inputs in an expression that name existing secrets. */
export function givenSecret(facts: ConfigurationFacts, source: unknown): SecretName {
  const inputs = facts
    .inputsIn(source)
    .map((path) => path.replace(/[.](?:secret_id|version)$/, ""))
    .filter((path) => /secret|key|password/.test(path));
  return { name: [...new Set(inputs)].join(" "), isGiven: true };
}

/** Services that anyone may call, because they check no permission. */
function openServices(facts: ConfigurationFacts): readonly Grant[] {
  return facts.ofType(/^google_cloud_run_v2_service$/).flatMap(({ body, name, type }) => {
    const { invoker_iam_disabled: isOpen } = body;
    if (isOpen === undefined || isOpen === false) return [];
    const [, condition] = /^\$\{([\s\S]*)\}$/.exec(asText(isOpen)) ?? [];
    const grant = {
      address: `${type}.${name}`,
      actor: "public",
      account: "anyone",
      isGiven: false,
      role: "none: the invoker check is off",
      on: `the service ${facts.nameInWords(body.name)}`,
      when: condition === undefined ? [] : facts.inWords(condition),
    } as const;
    return [grant];
  });
}

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Rights of pods in the cluster. */
function bindings(facts: ConfigurationFacts): readonly Grant[] {
  return facts.ofType(/^kubernetes_role_binding_v1$/).flatMap(({ body, name, type }) => {
    const { metadata, role_ref: ref } = body as { readonly metadata: Block; readonly role_ref: Block };
    const [, referred = ""] = /kubernetes_role_v1[.](\w+)/.exec(String(ref.name)) ?? [];
    const rules = (facts.at(`kubernetes_role_v1.${referred}`)?.body.rule ?? []) as readonly Rule[];
    const allowed = rules.map(({ resources, verbs }) => `${resources.join(", ")}: ${verbs.join(", ")}`).join("; ");
    return (body.subject as readonly Block[]).map((subject): Grant => {
      const account = `${String(subject.namespace)}/${String(subject.name)}`;
      return {
        address: `${type}.${name}`,
        actor: "pods",
        account: facts.nameInWords(account),
        isGiven: false,
        role: "a role of Kubernetes",
        on: `${allowed}, in the namespace ${facts.nameInWords(namespaceOf(facts, metadata.namespace))}`,
        when: facts.conditionsOf(body),
      };
    });
  });
}

/** The name of the namespace to which a part belongs. */
function namespaceOf(facts: ConfigurationFacts, value: unknown): unknown {
  const [, name = ""] = /kubernetes_namespace_v1[.](\w+)/.exec(String(value)) ?? [];
  const { metadata } = (facts.at(`kubernetes_namespace_v1.${name}`)?.body ?? {}) as { readonly metadata?: Block };
  return metadata?.name ?? value;
}

function ofAws(facts: ConfigurationFacts): readonly Grant[] {
  return facts.ofType(/^aws_iam_policy$/).map(({ body, name, type }): Grant => {
    const policy = JSON.parse(String(body.policy)) as { readonly Statement: readonly { readonly Action: string[] }[] };
    const actions = policy.Statement.flatMap(({ Action }) => Action);
    return {
      address: `${type}.${name}`,
      actor: "aws_user",
      account: facts.nameInWords(body.name),
      isGiven: false,
      role: "a policy of AWS",
      on: `${actions.map((action) => `\`${action}\``).join(", ")} on all resources`,
      when: facts.conditionsOf(body),
    };
  });
}
