import { type Cloud, type CloudObject, type Need } from "./cloud";
import { type Value, valueAt, type ValueObject } from "./terraform-value";

/** What the `provider` block says, as far as resources take defaults from it. */
export interface ProviderSettings {
  readonly project: string;
  readonly region: string;
}

/** What a refresh looks at besides the thing itself. */
export interface ReadContext {
  readonly cloud: Cloud;
  /** The `provider` block. */
  readonly provider: ValueObject;
  /** Terraform's state before the refresh. */
  readonly current: ValueObject;
}

/** How the stand-in for one type of resource behaves beyond its schema. */
export interface ResourceType {
  /** Attributes whose change replaces the resource. */
  readonly replacedBy: readonly string[];

  /** Where that is stated, below `google/services/` of the provider's source in the release of the schema. */
  readonly source: string;

  /** Replacement that depends on values: paths that force it. */
  readonly replacedWhen?: (prior: ValueObject, planned: ValueObject) => readonly string[];

  /**
   * Computed attributes that the real provider knows at plan already, where the configuration gives none.
   *
   * @default - the provider's own project, and the default deletion policy
   */
  readonly knownAtPlan?: (values: ValueObject, settings: ProviderSettings) => ValueObject;

  /** Blocks that the platform fills where the configuration has none, as `computed` says. */
  readonly computedBlocks?: readonly string[];

  /** Combinations of arguments that the real provider refuses in `validate`. */
  readonly problems?: (config: ValueObject) => readonly string[];

  /** What the platform refuses of the arguments when it is sent them, at apply. */
  readonly invalid?: (values: ValueObject) => readonly string[];

  /** Identity, unique among things of the type. */
  readonly id: (values: ValueObject, cloud: Cloud) => string;

  /** Computed attributes in the platform's own shapes; what is not named gets a typed default. */
  readonly computed?: (values: ValueObject, context: { readonly id: string; readonly cloud: Cloud }) => ValueObject;

  /** Computed attributes by their names alone, wherever in its blocks they stand. */
  readonly defaults?: ValueObject;

  /** What must exist before it and as long as it is there. */
  readonly needs?: (values: ValueObject, cloud: Cloud) => readonly Need[];

  /** What happens in the project beside the thing itself. Throws a Refusal when it fails. */
  readonly afterCreate?: (object: CloudObject, cloud: Cloud) => void;
  readonly afterUpdate?: (object: CloudObject, cloud: Cloud) => void;

  /** Throws a Refusal when the thing may not be deleted. `prior` is Terraform's state, `object` the project's. */
  readonly beforeDestroy?: (prior: ValueObject, object: CloudObject, cloud: Cloud) => void;
  readonly afterDestroy?: (object: CloudObject, cloud: Cloud) => void;

  /** What a refresh returns, where the platform answers in another form than it was asked in. */
  readonly asRead?: (values: ValueObject, context: ReadContext) => ValueObject;

  /** Throws a Refusal when what runs could not be started again as things are now. */
  readonly requireStart?: (object: CloudObject, cloud: Cloud) => void;
}

/** Resource types by their names. */
export type ResourceTypes = Readonly<Record<string, ResourceType>>;

/** Types of several files in one; which of two descriptions of one type counts would be chance. */
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

/** What one type of data source finds in the project. Throws a Refusal when there is nothing of that name. */
export interface DataSourceType {
  readonly read: (config: ValueObject, cloud: Cloud, settings: ProviderSettings) => ValueObject;
}

/** Everything that is known of a provider's types. */
export interface ProviderTypes {
  readonly resources: ResourceTypes;
  readonly ephemeral?: Readonly<Record<string, EphemeralType>>;
  readonly dataSources?: Readonly<Record<string, DataSourceType>>;

  /** Throws a Refusal when the platform cannot be reached with the `provider` block as it is. */
  readonly requireAccess?: (provider: ValueObject, cloud: Cloud) => void;
}

/** Labels that the provider adds its own to. */
export function labelsOf(values: ValueObject): ValueObject {
  const labels = valueAt(values, "labels") as ValueObject | null;
  return { ...labels, "goog-terraform-provisioned": "true" };
}
