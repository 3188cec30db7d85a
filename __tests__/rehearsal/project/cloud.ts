import { type LoadBalancers } from "../../support/google-stand-in-load-balancers";
import { textAt, textsAt, type Value, valueAt, type ValueObject } from "./terraform-value";

/** Number of the only project. */
const PROJECT_NUMBER = "123456789012";

/** A refusal by the stand-in, worded for the reader of the report. */
export class Refusal extends Error {}

/** A refusal that a scenario has asked for. */
export class InjectedRefusal extends Refusal {}

/** Refused before the resource exists, or broken after that. */
export type FaultKind = "broken" | "refused";

/** An existing resource. */
export interface CloudObject {
  readonly type: string;
  readonly id: string;
  /** Attributes as last returned by the provider. */
  readonly values: ValueObject;
  /** Write-only arguments, which cannot be read back. */
  readonly writeOnly: Readonly<Record<string, string>>;
  /** What must exist as long as this does. */
  readonly needs: readonly Need[];
}

/** Something that a resource requires. */
export interface Need {
  /** For the message, for example `the secret projects/p/secrets/s`. */
  readonly what: string;
  readonly isMet: (cloud: Cloud) => boolean;
}

/** What an organization refuses of types of resources, and what Google says then. */
export interface Policy {
  readonly types: readonly string[];
  readonly refuses: (values: ValueObject) => boolean;
  readonly says: (object: CloudObject) => string;
}

type Environment = Readonly<Record<string, string>>;

/** The web services that the scripts call. */
export interface CloudSurroundings {
  /** Enabled services of the project, by host name; provider and scripts enable them. */
  readonly enabledApis: Set<string>;
  readonly hasImage: (image: string) => boolean;
  /** Whether this service has answered a call. */
  readonly hasAnswered: (api: string) => boolean;
  /** Load balancers that clusters create, where scripts configure them. */
  readonly loadBalancers?: LoadBalancers;
}

const ENABLED_API = "google_project_service";

/** An in-memory project, which outlives the runs of Terraform: what was created, and what Google Cloud checks then. */
export class Cloud {
  readonly objects = new Map<string, CloudObject>();
  /** All payloads ever stored, also of deleted versions, by `projects/<number>/secrets/<id>/versions/<version>`. */
  readonly payloads: { readonly name: string; readonly payload: string }[] = [];
  /** Completed runs of jobs. */
  readonly executions: { readonly job: string; readonly environment: Environment }[] = [];
  /** Passwords of database roles, by instance and role. */
  readonly databaseRoles = new Map<string, string>();
  /** Cluster that created the identity pool, by project; the pool outlives the cluster. */
  readonly identityPools = new Map<string, string>();
  /** Passwords of the administrators of database instances, by instance; nothing can read them. */
  readonly administratorPasswords = new Map<string, string>();
  /** Type and identity of what created a role. */
  readonly roleMakers = new Map<string, string>();
  /** Image prefixes of deleted repositories: their images were deleted too. */
  readonly deletedRepositories = new Set<string>();
  /** Resources from outside the configuration, by type and identity. */
  readonly others = new Set<string>();
  /** Grants of others, by type and identity: to give what they have given is no conflict. */
  readonly givenByOthers = new Set<string>();
  /** Region that cannot be reached: nothing that is in it alone can be made, changed or read. */
  lostRegion: string | undefined;
  /** What the project's organization refuses. */
  readonly policies: Policy[] = [];
  /** Payloads of secrets from outside the configuration, by `projects/<project>/secrets/<name>/versions/<version>`. */
  readonly othersPayloads = new Map<string, string>();
  /** Payloads that were public in the folder until an edit removed them. */
  readonly publicPayloads = new Set<string>();
  /** Values of ephemeral resources: secret wherever they appear. */
  readonly handedOut = new Set<string>();
  /** Access tokens of ephemeral resources, which Google's APIs accept. */
  readonly accessTokens = new Set<string>();
  /** Whether there is everything that the configuration does not create, and every API answers. */
  externalResourcesExist = false;
  /** What the configuration creates, by type and identity, as soon as it is planned. */
  readonly planned = new Set<string>();
  /** What the pods of a deployment were started with, and from which template. */
  readonly podEnvironments = new Map<string, { readonly template: Value; readonly environment: Environment }>();
  /** What the pods of a deployment need until they have ended. */
  readonly podNeeds = new Map<string, readonly Need[]>();
  /** Annotations of a service as last sent. */
  readonly serverAnnotations = new Map<string, Readonly<Record<string, Value>>>();
  /** What the provider stores in the state: secret anywhere else. */
  readonly keptInState = new Set<string>();
  readonly projectNumber = PROJECT_NUMBER;
  /** Refusals other than injected faults. */
  readonly refusals: string[] = [];
  private readonly faults = new Map<string, FaultKind>();

  constructor(readonly surroundings: CloudSurroundings) {}

  find(type: string, id: string): CloudObject | undefined {
    return this.objects.get(`${type} ${id}`);
  }

  /** Whether a resource exists, from Terraform or not; a reference is its identity, a URL with it, or the end of it. */
  has(type: string, reference: string): boolean {
    const path = pathOf(reference);
    if (this.objects.has(`${type} ${path}`)) return true;
    const isMeant = (key: string) =>
      key === `${type} ${path}` || (key.endsWith(`/${path}`) && key.startsWith(`${type} `));
    if (this.externalResourcesExist && ![...this.planned].some(isMeant)) return true;
    return [...this.objects.keys(), ...this.others].some(isMeant);
  }

  ofType(type: string): CloudObject[] {
    return [...this.objects.values()].filter((object) => object.type === type);
  }

  /** Adds a version of a secret that the configuration does not create. */
  addOthersSecret(project: string, name: string, version: number, payload: string): void {
    const secret = `projects/${project}/secrets/${name}`;
    this.others.add(`google_secret_manager_secret ${secret}`);
    this.othersPayloads.set(`${secret}/versions/${version}`, payload);
  }

  /** How many further resources stand for an API that is enabled, which each may do. */
  private readonly sharers = new Map<string, number>();

  /** Makes the next creation of a resource (type and identity) fail, or the next creation or update of a type. */
  failNext(place: string, kind: FaultKind): void {
    this.faults.set(place, kind);
  }

  /** The injected faults that have not occurred yet, by type and identity. */
  get pendingFaults(): readonly string[] {
    return [...this.faults.keys()];
  }

  create(object: CloudObject): void {
    this.requireRegion(object);
    const key = `${object.type} ${object.id}`;
    const place = this.faults.has(key) ? key : object.type;
    const fault = this.faults.get(place);
    // A fault must not hide that something did not wait for what it needs.
    if (fault !== undefined) this.requireNeeds(object);
    this.faults.delete(place);
    if (fault === "refused") throw new InjectedRefusal(`Error creating ${key}: injected failure`);
    if (this.objects.has(key) && !this.givenByOthers.delete(key)) {
      if (object.type !== ENABLED_API) throw new Refusal(`Error 409: ${key} already exists`);
      this.sharers.set(key, (this.sharers.get(key) ?? 0) + 1);
      return;
    }
    this.requireNeeds(object);
    this.requirePolicies(object);
    this.objects.set(key, object);
    if (fault === undefined) return;
    throw new InjectedRefusal(`Error waiting to create ${key}: injected failure`);
  }

  update(object: CloudObject): void {
    this.requireRegion(object);
    const key = `${object.type} ${object.id}`;
    const fault = this.faults.get(object.type);
    this.requireNeeds(object);
    this.requirePolicies(object);
    this.faults.delete(object.type);
    if (fault !== "refused") this.objects.set(key, object);
    if (fault !== undefined) throw new InjectedRefusal(`Error updating ${key}: injected failure`);
  }

  /** Deletes a resource, unless another one needs it. */
  destroy(object: CloudObject): void {
    this.requireRegion(object);
    const key = `${object.type} ${object.id}`;
    const sharers = this.sharers.get(key) ?? 0;
    if (sharers > 0) {
      this.sharers.set(key, sharers - 1);
      return;
    }
    const usersBefore = [...this.objects.values()].filter((user) => this.missingNeeds(user).length === 0);
    this.objects.delete(key);
    const user = usersBefore.find((candidate) => candidate !== object && this.missingNeeds(candidate).length > 0);
    // Kubernetes lets go of a secret that pods run with; what is left after the apply must be able to start again.
    if (user === undefined || object.type === "kubernetes_secret_v1") return;
    // Where nothing runs, nothing is used.
    const isIdle = valueAt(user.values, "scaling.0.manual_instance_count") === 0;
    if (isIdle || valueAt(user.values, "template.0.health_check_disabled") === true) return;
    this.objects.set(key, object);
    throw new Refusal(`Error 400: ${key} is still used by ${user.type} ${user.id}`);
  }

  /** Removes a resource with all its effects, as if it had never been created. */
  forget(key: string): void {
    this.objects.delete(key);
    const [type, id = ""] = key.split(" ");
    if (type === "google_secret_manager_secret") this.endSecret(id);
    for (const [role, maker] of this.roleMakers) if (maker === key) this.databaseRoles.delete(role);
    for (const [project, maker] of this.identityPools) if (maker === key) this.identityPools.delete(project);
  }

  /** Deletes what is left of a deleted secret; the first version of another one of that name is number 1 again. */
  endSecret(secretId: string): void {
    const name = this.secretName(secretId);
    for (const { id, type } of [...this.objects.values()])
      if (id.startsWith(`${name}/versions/`)) this.objects.delete(`${type} ${id}`);
    for (const [index, stored] of this.payloads.entries()) {
      if (stored.name.startsWith(`${name}/versions/`))
        this.payloads[index] = { ...stored, name: stored.name.replace("/versions/", "/deleted/") };
    }
  }

  /** Name of a secret with the number of the project. */
  secretName(secretId: string): string {
    return `projects/${this.projectNumber}/secrets/${secretId.split("/").at(-1) ?? ""}`;
  }

  /** Payloads of the existing versions, by version. */
  get livePayloads(): ReadonlyMap<string, string> {
    return new Map(
      this.payloads
        .filter(({ name }) => this.find("google_secret_manager_secret_version", name) !== undefined)
        .map(({ name, payload }) => [name, payload]),
    );
  }

  /** Whether an image can be pulled: it was pushed and its repository not deleted since. */
  hasImage(image: string): boolean {
    const isGone = [...this.deletedRepositories].some((prefix) => image.startsWith(prefix));
    return !isGone && this.surroundings.hasImage(image);
  }

  /** An independent copy, without the injected faults. */
  copy(surroundings: CloudSurroundings): Cloud {
    const kept = Object.entries(this).filter(([name]) => !NOT_COPIED.includes(name));
    const copies = kept.map(([name, value]: [string, unknown]) => [name, copied(value)] as const);
    return Object.assign(new Cloud(surroundings), Object.fromEntries(copies));
  }

  /** Payload of a version, the newest for `latest`, of a secret `projects/<project>/secrets/<name>`. */
  payloadOf(secretId: string, version: string): string | undefined {
    const foreign = this.othersPayloads.get(`${secretId}/versions/${version}`);
    if (foreign !== undefined) return foreign;
    const prefix = `${this.secretName(secretId)}/versions/`;
    const versions = this.ofType("google_secret_manager_secret_version").filter(
      ({ id, values }) => id.startsWith(prefix) && values.enabled !== false,
    );
    const wanted = version === "latest" ? versions.at(-1)?.id : prefix + version;
    return versions.some(({ id }) => id === wanted)
      ? this.payloads.find(({ name }) => name === wanted)?.payload
      : undefined;
  }

  /** Whether a resource is in the lost region alone. A bucket of two regions, or of many, has another location. */
  isLost({ id, values }: CloudObject): boolean {
    const { lostRegion: lost } = this;
    if (lost === undefined) return false;
    // Google writes locations of buckets in capital letters.
    const places = ["location", "region"].map((name) => textAt(values, name).toLowerCase());
    const replicas = textsAt(values, "replication.0.user_managed.0.replicas.*.location");
    const isKeptThere = replicas.length > 0 && replicas.every((location) => location === lost);
    return places.includes(lost) || isKeptThere || id.includes(`/${lost}/`);
  }

  private requireRegion(object: CloudObject): void {
    if (this.isLost(object))
      throw new Refusal(`Error 503: ${object.type} ${object.id}: the service is currently unavailable`);
  }

  private requirePolicies(object: CloudObject): void {
    const broken = this.policies.find(({ refuses, types }) => types.includes(object.type) && refuses(object.values));
    if (broken !== undefined) throw new Refusal(broken.says(object));
  }

  private requireNeeds(object: CloudObject): void {
    const missing = this.missingNeeds(object);
    if (missing.length === 0) return;
    const list = missing.map(({ what }) => what).join("; ");
    throw new Refusal(`Error 400: ${object.type} ${object.id} needs what is not there: ${list}`);
  }

  /** Needs of a resource that are not met any more. */
  missingNeeds(object: CloudObject): readonly Need[] {
    return object.needs.filter(({ isMet }) => !isMet(this));
  }
}

const NOT_COPIED = ["accessTokens", "faults", "publicPayloads", "refusals", "surroundings"];

function copied(value: unknown): unknown {
  if (value instanceof Map) return new Map(value);
  if (value instanceof Set) return new Set(value);
  return Array.isArray(value) ? [...(value as unknown[])] : value;
}

/** The end of an identity in a reference: without its host, the project's number, or the call that it is part of. */
export function pathOf(reference: string): string {
  return reference.replace(/^.*\/(?=projects\/)|:run$|^b\//g, "").replace(`projects/${PROJECT_NUMBER}/`, "");
}
