import { type Cloud, type CloudObject, type Need, Refusal } from "./cloud";
import { needApi, needObject } from "./needs";
import { sameValue, textAt, valueAt, type ValueObject, valuesAt } from "./terraform-value";

/** Defaults for resources from the `provider` block. */
export interface ProviderSettings {
  readonly project: string;
  readonly region: string;
}

/** What a refresh depends on besides the resource itself. */
export interface ReadContext {
  readonly cloud: Cloud;
  /** The `provider` block. */
  readonly provider: ValueObject;
  /** Terraform's state before the refresh. */
  readonly current: ValueObject;
}

/** What a change conflicts with. */
export interface ConflictContext {
  readonly id: string;
  readonly cloud: Cloud;
  /** The resource as it is in the project; null before it exists. */
  readonly before: ValueObject | null;
}

/** What is known of one resource type beyond its schema: a row of a table. */
export interface ResourceType {
  /** Google's service that it belongs to, for example `secretmanager`; it must be enabled and have answered. */
  readonly api?: string;
  /**
   * Identity, unique in the type, of arguments whose change replaces it: `projects/{{project}}/secrets/{{secret_id}}`.
   */
  readonly id: string | ((values: ValueObject, cloud: Cloud) => string);
  /** Other arguments whose change forces a replacement: those with `ForceNew` in the provider's source. */
  readonly replacedBy?: readonly string[];
  /** Arguments whose change forces a replacement depending on their values. */
  readonly replacedWhen?: (prior: ValueObject, planned: ValueObject) => readonly string[];
  /**
   * What must exist before it and as long as it exists: types by the path of a reference; `*` is each item of a list.
   */
  readonly refs?: Readonly<Record<string, string>>;
  /** What must exist and is not said by one reference. */
  readonly needs?: (values: ValueObject, cloud: Cloud) => readonly Need[];
  /** What the API refuses because of what else is in the project, or of what the resource was before. */
  readonly conflicts?: (values: ValueObject, context: ConflictContext) => readonly string[];
  /** Arguments that, if true, refuse the deletion, with what they are if they are not given. */
  readonly protectedBy?: Readonly<Record<string, boolean>>;
  /** Computed attributes that the provider already knows at plan, besides project and labels. */
  readonly knownAtPlan?: (values: ValueObject, settings: ProviderSettings) => ValueObject;
  /** Whether the project follows from another argument, so that a plan does not know it. */
  readonly isPlacedByReference?: boolean;
  /** Blocks that are filled as in `computed` if the configuration has none. */
  readonly computedBlocks?: readonly string[];
  /** Computed attributes as the API returns them; the others get a typed default. */
  readonly computed?: ValueObject | ((values: ValueObject, context: { id: string; cloud: Cloud }) => ValueObject);
  /** Effects of the creation. Throws a Refusal when they fail. */
  readonly afterCreate?: (object: CloudObject, cloud: Cloud) => void;
  /** Effects of a creation or an update. Throws a Refusal when they fail. */
  readonly afterApply?: (object: CloudObject, cloud: Cloud, isNew: boolean) => void;
  /** Throws a Refusal when the resource must not be deleted. `prior` is Terraform's state, `object` the project's. */
  readonly beforeDestroy?: (prior: ValueObject, object: CloudObject, cloud: Cloud) => void;
  readonly afterDestroy?: (object: CloudObject, cloud: Cloud) => void;
  /** What a refresh returns, if the API returns values in a form other than it was sent. */
  readonly asRead?: (values: ValueObject, context: ReadContext) => ValueObject;
  /** Throws a Refusal when a workload could not be restarted in the current state of the project. */
  readonly requireStart?: (object: CloudObject, cloud: Cloud) => void;
}

/** Resource types by name. */
export type ResourceTypes = Readonly<Record<string, ResourceType>>;

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

export function idOf({ id }: ResourceType, values: ValueObject, cloud: Cloud): string {
  if (typeof id === "function") return id(values, cloud);
  return id.replace(PLACEHOLDER, (_match, name: string) => textAt(values, name));
}

/** Everything that a resource with these values needs. */
export function needsOf({ api, refs = {}, needs }: ResourceType, values: ValueObject, cloud: Cloud): Need[] {
  const project = textAt(values, "project");
  const referenced = Object.entries(refs).flatMap(([path, type]) =>
    valuesAt(values, path)
      .filter((reference): reference is string => typeof reference === "string" && reference !== "")
      .filter((reference) => !isOfOtherProject(reference, project))
      .map((reference) => needObject(type, reference)),
  );
  return [...(api === undefined ? [] : needApi(api)), ...referenced, ...(needs?.(values, cloud) ?? [])];
}

/** What another project has is there. */
function isOfOtherProject(reference: string, project: string): boolean {
  const [, owner] = /^projects\/([a-z][^/]*)\//.exec(reference) ?? [];
  return owner !== undefined && project !== "" && owner !== project;
}

/** Changed arguments that force a replacement. */
export function replacing(kind: ResourceType, prior: ValueObject, planned: ValueObject): string[] {
  const { id, replacedBy = [], replacedWhen } = kind;
  const named = typeof id === "string" ? [...id.matchAll(PLACEHOLDER)].map(([, name = ""]) => name) : [];
  const isChanged = (path: string) => !sameValue(valueAt(prior, path), valueAt(planned, path));
  const changed = [...new Set(["project", ...named, ...replacedBy])].filter(isChanged);
  return [...changed, ...(replacedWhen?.(prior, planned) ?? [])];
}

const COMPUTE = "https://www.googleapis.com/compute/v1/";

export function computedOf(kind: ResourceType, values: ValueObject, id: string, cloud: Cloud): ValueObject {
  const { api, computed = {} } = kind;
  return {
    id,
    ...(api === "compute" ? { self_link: COMPUTE + id, region: values.region ?? null } : {}),
    ...(typeof computed === "function" ? computed(values, { id, cloud }) : computed),
  };
}

/** Refuses the deletion of what is protected: Terraform's state decides, not the configuration. */
export function requireUnprotected({ protectedBy = {} }: ResourceType, type: string, prior: ValueObject): void {
  for (const [path, fallback] of Object.entries(protectedBy))
    if ((valueAt(prior, path) ?? fallback) === true)
      throw new Refusal(`cannot destroy ${type}: ${path} is set to true; set it to false and apply that first`);
}

/** How one type of ephemeral resource is opened, or what one type of data source finds in the project. */
export type Lookup = (config: ValueObject, cloud: Cloud, settings: ProviderSettings) => ValueObject;

/** All types of a provider. */
export interface ProviderTypes {
  readonly resources: ResourceTypes;
  readonly ephemeral?: Readonly<Record<string, Lookup>>;
  readonly dataSources?: Readonly<Record<string, Lookup>>;
  /** Throws a Refusal when the API cannot be reached with this `provider` block. */
  readonly requireAccess?: (provider: ValueObject, cloud: Cloud) => void;
}
