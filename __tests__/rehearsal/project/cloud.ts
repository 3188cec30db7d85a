import { type Value, type ValueObject } from "./terraform-value";

/** Number of the one project that there is. */
export const PROJECT_NUMBER = "123456789012";

/** What the stand-in platform refuses, in words that a reader of the report understands. */
export class Refusal extends Error {}

/** A refusal that a scenario has asked for. */
export class InjectedRefusal extends Refusal {}

/** Refused before anything exists, broken after it does, or broken and taken away again by the provider. */
export type FaultKind = "broken" | "refused" | "withdrawn";

interface Fault {
  readonly kind: FaultKind;
  readonly message: string;
}

/** One thing that exists. */
export interface CloudObject {
  readonly type: string;
  readonly id: string;
  /** Attributes as the provider returned them last. */
  readonly values: ValueObject;
  /** Write-only arguments, which nobody can read back. */
  readonly writeOnly: Readonly<Record<string, string>>;
  /** Things that must exist as long as this does. */
  readonly needs: readonly Need[];
}

/** Something that a thing cannot be without. */
export interface Need {
  /** For the message, for example `the secret projects/p/secrets/s`. */
  readonly what: string;
  readonly isMet: (cloud: Cloud) => boolean;
}

/** One version of a secret. A payload never changes once it is stored. */
export interface StoredPayload {
  /** `projects/<number>/secrets/<id>/versions/<version>`. */
  readonly name: string;
  readonly payload: string;
}

/** One run of a job to its end. */
export interface JobExecution {
  readonly job: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Pods that were started together. */
export interface StartedPods {
  readonly template: Value;
  readonly environment: Readonly<Record<string, string>>;
}

/** What lies beside the provider: the web services that the scripts talk to. */
export interface CloudSurroundings {
  /** Services of the project that are on, by host name; both sides turn them on. */
  readonly enabledApis: Set<string>;
  readonly hasImage: (image: string) => boolean;
  /** True when somebody has asked this service and got an answer. */
  readonly hasAnswered: (api: string) => boolean;
}

/**
 * An in-memory project: what providers made, with write-only values, and what the platform checks at deploy time.
 *
 * It outlives the provider's processes and Terraform's runs, as the real one does.
 */
export class Cloud {
  readonly objects = new Map<string, CloudObject>();
  /** All payloads ever stored, also of versions that are gone. */
  readonly payloads: StoredPayload[] = [];
  readonly executions: JobExecution[] = [];
  /** Passwords of database roles, by instance and role. */
  readonly databaseRoles = new Map<string, string>();
  /** Projects with a pool of identities, and the cluster that made it; it stays when that goes. */
  readonly identityPools = new Map<string, string>();
  /** Type and identity of what has made a role. */
  readonly roleMakers = new Map<string, string>();
  /** Database instances that were deleted: their names stay taken for days. */
  readonly retiredNames = new Set<string>();
  /** What images of repositories that were deleted begin with: they went with them. */
  readonly deletedRepositories = new Set<string>();
  /** Networks that others made, by `projects/<project>/global/networks/<name>`. */
  readonly othersNetworks = new Set<string>();
  /** Other things that others made, by type and identity. */
  readonly others = new Set<string>();
  /** Whether whatever the configuration does not make itself is there already: services that are on, accounts, grants. */
  othersExist = false;
  /** What the configuration makes or has made, by type and identity, as soon as that is planned. */
  private readonly own = new Set<string>();
  /** Files that others put into buckets. */
  readonly bucketFiles = new Map<string, number>();
  /** Payloads that an edit has since removed from the folder they were public in. */
  readonly publicPayloads = new Set<string>();
  /** What an ephemeral resource has handed out: secret, wherever it turns up. */
  readonly handedOut = new Set<string>();
  /** Tokens that an ephemeral resource has handed out, with which the platform's own interfaces can be asked. */
  readonly accessTokens = new Set<string>();
  /** Whether clusters write into objects what Autopilot writes. */
  admission: "autopilot" | "none" = "autopilot";
  /** What the pods of a deployment were started with, and from which template. */
  readonly podEnvironments = new Map<string, StartedPods>();
  /** What the pods of a deployment work with until they have ended. */
  readonly podNeeds = new Map<string, readonly Need[]>();
  /** Annotations of a service as they were sent last. */
  readonly serverAnnotations = new Map<string, Readonly<Record<string, Value>>>();
  /** How many of the next executions of jobs fail. */
  failingJobs = 0;
  /** What the state holds because the provider puts it there: secret, wherever else it turns up. */
  readonly keptInState = new Set<string>();
  readonly projectNumber = PROJECT_NUMBER;
  /** What was refused for a reason of the platform's own, so not by an injected fault. */
  readonly refusals: string[] = [];
  private readonly faults = new Map<string, Fault>();

  constructor(readonly surroundings: CloudSurroundings) {}

  find(type: string, id: string): CloudObject | undefined {
    return this.objects.get(`${type} ${id}`);
  }

  /** Told of everything that is planned, so that it is not taken for something that others made. */
  plan(type: string, id: string): void {
    this.own.add(`${type} ${id}`);
  }

  /** Whether the configuration makes something of a type whose identity fits. */
  makes(type: string, fits: (id: string) => boolean): boolean {
    const prefix = `${type} `;
    return [...this.own].some((key) => key.startsWith(prefix) && fits(key.slice(prefix.length)));
  }

  /** Whether a thing is there that this configuration does not make. */
  hasOthers(type: string, id: string): boolean {
    if (this.others.has(`${type} ${id}`)) return true;
    return this.othersExist && !this.makes(type, (own) => mayBe(own, id));
  }

  ofType(type: string): CloudObject[] {
    return [...this.objects.values()].filter((object) => object.type === type);
  }

  /** Lets the next creation of one thing fail: refused before anything exists, or broken after it does. */
  failOnce(type: string, id: string, kind: FaultKind = "refused"): void {
    this.faults.set(`${type} ${id}`, { kind, message: "injected failure" });
  }

  /** The same for the next thing of a type, in the platform's own words. */
  failNext(type: string, kind: FaultKind, message: string): void {
    this.faults.set(type, { kind, message });
  }

  /** True when no fault is left that was never met. */
  get allFaultsMet(): boolean {
    return this.faults.size === 0 && this.failingJobs === 0;
  }

  create(object: CloudObject): void {
    const key = `${object.type} ${object.id}`;
    const place = this.faults.has(key) ? key : object.type;
    const fault = this.faults.get(place);
    this.faults.delete(place);
    if (fault?.kind === "refused") throw new InjectedRefusal(`Error creating ${key}: ${fault.message}`);
    if (this.objects.has(key)) throw new Refusal(`Error 409: ${key} already exists`);
    if (this.retiredNames.has(key)) throw new Refusal(`Error 409: the name of ${key} is taken for up to a week`);
    this.requireNeeds(object);
    this.objects.set(key, object);
    if (fault === undefined) return;
    // Some providers clean up after themselves.
    if (fault.kind === "withdrawn") this.objects.delete(key);
    throw new InjectedRefusal(`Error waiting to create ${key}: ${fault.message}`);
  }

  update(object: CloudObject): void {
    this.requireNeeds(object);
    this.objects.set(`${object.type} ${object.id}`, object);
  }

  /** Deletes a thing, unless something else would be left without what it needs. */
  destroy(object: CloudObject): void {
    const key = `${object.type} ${object.id}`;
    const usersBefore = [...this.objects.values()].filter((user) => this.missingNeeds(user).length === 0);
    this.objects.delete(key);
    const user = usersBefore.find((candidate) => candidate !== object && this.missingNeeds(candidate).length > 0);
    if (user === undefined) return;
    this.objects.set(key, object);
    throw new Refusal(`Error 400: ${key} is still used by ${user.type} ${user.id}`);
  }

  /** Makes as if a thing had never been made, with what else it has brought about. */
  forget(key: string): void {
    this.objects.delete(key);
    for (const [role, maker] of this.roleMakers) if (maker === key) this.databaseRoles.delete(role);
    for (const [project, maker] of this.identityPools) if (maker === key) this.identityPools.delete(project);
  }

  /** Payloads of the versions that exist, by version. */
  get livePayloads(): ReadonlyMap<string, string> {
    return new Map(
      this.payloads
        .filter(({ name }) => this.find("google_secret_manager_secret_version", name) !== undefined)
        .map(({ name, payload }) => [name, payload]),
    );
  }

  /** Whether an image can be pulled: it was pushed, and its repository has not been deleted since. */
  hasImage(image: string): boolean {
    const isGone = [...this.deletedRepositories].some((prefix) => image.startsWith(prefix));
    return !isGone && this.surroundings.hasImage(image);
  }

  /** A copy that goes its own way from here, without the faults that were asked for. */
  copy(surroundings: CloudSurroundings): Cloud {
    const kept = Object.entries(this).filter(([name]) => !NOT_COPIED.includes(name));
    const copies = kept.map(([name, value]: [string, unknown]) => [name, copied(value)] as const);
    return Object.assign(new Cloud(surroundings), Object.fromEntries(copies));
  }

  /** Text of a secret's version; the newest for `latest`. */
  payloadOf(secretId: string, version: string): string | undefined {
    const short = secretId.split("/").at(-1) ?? "";
    const prefix = `projects/${this.projectNumber}/secrets/${short}/versions/`;
    const versions = this.ofType("google_secret_manager_secret_version").filter(({ id }) => id.startsWith(prefix));
    const wanted = version === "latest" ? versions.at(-1)?.id : prefix + version;
    return versions.some(({ id }) => id === wanted)
      ? this.payloads.find(({ name }) => name === wanted)?.payload
      : undefined;
  }

  private requireNeeds(object: CloudObject): void {
    const missing = this.missingNeeds(object);
    if (missing.length === 0) return;
    const list = missing.map(({ what }) => what).join("; ");
    throw new Refusal(`Error 400: ${object.type} ${object.id} needs what is not there: ${list}`);
  }

  /** What a thing has lost that it cannot be without. */
  missingNeeds(object: CloudObject): readonly Need[] {
    return object.needs.filter(({ isMet }) => !isMet(this));
  }
}

const NOT_COPIED = ["accessTokens", "failingJobs", "faults", "publicPayloads", "refusals", "surroundings"];

function copied(value: unknown): unknown {
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  return Array.isArray(value) ? [...(value as unknown[])] : value;
}

/** Whether a planned identity, of which parts that are known only after the apply are empty, can become another. */
function mayBe(planned: string, id: string): boolean {
  const parts = planned.split("/");
  const wanted = id.split("/");
  return parts.length === wanted.length && parts.every((part, index) => part === "" || part === wanted[index]);
}
