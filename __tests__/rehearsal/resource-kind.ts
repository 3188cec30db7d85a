import { type Cloud, type CloudObject, type Need } from "./cloud";
import { type Value, valueAt, type ValueObject } from "./terraform-value";

/** What the `provider` block says, as far as resources take defaults from it. */
export interface ProviderSettings {
  readonly project: string;
  readonly region: string;
}

/** How the stand-in for one type of resource behaves beyond its schema. */
export interface ResourceKind {
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

  /** Combinations of arguments that the real provider refuses in `validate`. */
  readonly problems?: (config: ValueObject) => readonly string[];

  /** Identity, unique among things of the type. */
  readonly id: (values: ValueObject, cloud: Cloud) => string;

  /** Computed attributes in the platform's own shapes; what is not named gets a typed default. */
  readonly computed?: (values: ValueObject, context: { readonly id: string; readonly cloud: Cloud }) => ValueObject;

  /** What must exist before it and as long as it is there. */
  readonly needs?: (values: ValueObject, cloud: Cloud) => readonly Need[];

  /** What happens in the project beside the thing itself. Throws a Refusal when it fails. */
  readonly afterCreate?: (object: CloudObject, cloud: Cloud) => void;
  readonly afterUpdate?: (object: CloudObject, cloud: Cloud) => void;

  /** Throws a Refusal when the thing may not be deleted. `prior` is Terraform's state, `object` the project's. */
  readonly beforeDestroy?: (prior: ValueObject, object: CloudObject, cloud: Cloud) => void;
  readonly afterDestroy?: (object: CloudObject, cloud: Cloud) => void;

  /** What a refresh returns, where the platform answers in another form than it was asked in. */
  readonly asRead?: (values: ValueObject) => ValueObject;
}

/** How one type of ephemeral resource is opened. */
export interface EphemeralKind {
  readonly open: (config: ValueObject, cloud: Cloud) => Readonly<Record<string, Value>>;
}

/** What one type of data source finds in the project. Throws a Refusal when there is nothing of that name. */
export interface DataSourceKind {
  readonly read: (config: ValueObject, cloud: Cloud, settings: ProviderSettings) => ValueObject;
}

/** Labels that the provider adds its own to. */
export function labelsOf(values: ValueObject): ValueObject {
  const labels = valueAt(values, "labels") as ValueObject | null;
  return { ...labels, "goog-terraform-provisioned": "true" };
}
