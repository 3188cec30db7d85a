import { type Cloud, type CloudObject, type Need } from "./cloud";
import { type Value, valueAt, type ValueObject } from "./terraform-value";

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

/** Behaviour of one resource type in the stand-in, beyond its schema. */
export interface ResourceType {
  /** Attributes whose change forces a replacement. */
  readonly replacedBy: readonly string[];

  /** File that says so, below `google/services/` of the provider's source in the release of the schema. */
  readonly source: string;

  /** Paths that force a replacement depending on their values. */
  readonly replacedWhen?: (prior: ValueObject, planned: ValueObject) => readonly string[];

  /**
   * Computed attributes that the real provider already knows at plan if the configuration does not set them.
   *
   * @default - the provider's own project, and the default deletion policy
   */
  readonly knownAtPlan?: (values: ValueObject, settings: ProviderSettings) => ValueObject;

  /** Blocks that are filled as in `computed` if the configuration has none. */
  readonly computedBlocks?: readonly string[];

  /** Problems of the arguments that the real provider reports in `validate`. */
  readonly problems?: (config: ValueObject) => readonly string[];

  /** Problems of the arguments that the API reports at apply. */
  readonly invalid?: (values: ValueObject) => readonly string[];

  /** What the API refuses because of what else is in the project, or of what the resource was before. */
  readonly conflicts?: (values: ValueObject, context: ConflictContext) => readonly string[];

  /** Identity, unique within the type. */
  readonly id: (values: ValueObject, cloud: Cloud) => string;

  /** Computed attributes as the API returns them; the others get a typed default. */
  readonly computed?: (values: ValueObject, context: { readonly id: string; readonly cloud: Cloud }) => ValueObject;

  /** Computed attributes by name, in whichever block they are. */
  readonly defaults?: ValueObject;

  /** What must exist before it and as long as it exists. */
  readonly needs?: (values: ValueObject, cloud: Cloud) => readonly Need[];

  /** Side effects of the creation. Throws a Refusal when they fail. */
  readonly afterCreate?: (object: CloudObject, cloud: Cloud) => void;
  readonly afterUpdate?: (object: CloudObject, cloud: Cloud) => void;

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

/** Merges the types of several files; a type must not occur twice. */
export function mergedTypes(...parts: readonly ResourceTypes[]): ResourceTypes {
  const types = parts.flatMap((part) => Object.keys(part));
  const twice = types.filter((type, index) => types.indexOf(type) !== index);
  if (twice.length > 0) throw new Error(`described twice: ${twice.join(", ")}`);
  return Object.assign({}, ...parts) as ResourceTypes;
}

/** How one type of ephemeral resource is opened. */
export interface EphemeralType {
  readonly open: (config: ValueObject, cloud: Cloud) => Readonly<Record<string, Value>>;
}

/** What one type of data source finds in the project. Throws a Refusal when there is none of that name. */
export interface DataSourceType {
  readonly read: (config: ValueObject, cloud: Cloud, settings: ProviderSettings) => ValueObject;
}

/** All types of a provider. */
export interface ProviderTypes {
  readonly resources: ResourceTypes;
  readonly ephemeral?: Readonly<Record<string, EphemeralType>>;
  readonly dataSources?: Readonly<Record<string, DataSourceType>>;

  /** Throws a Refusal when the API cannot be reached with this `provider` block. */
  readonly requireAccess?: (provider: ValueObject, cloud: Cloud) => void;
}

/** Labels, with those that the provider adds. */
export function labelsOf(values: ValueObject): ValueObject {
  const labels = valueAt(values, "labels") as ValueObject | null;
  return { ...labels, "goog-terraform-provisioned": "true" };
}
