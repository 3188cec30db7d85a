import { providerSchema } from "../../../stacks/provider-schema/provider-schema";
import { ResourceProvider } from "../../providers/resource-provider";
import { Cloud } from "../cloud";
import { blockType, completed, textAt, type Value, valueAt, type ValueObject } from "../terraform-value";
import { GOOGLE_TYPES } from "./google-types";

export const schema = providerSchema("google");

/** A project with its services enabled and the google provider configured. */
export class Project {
  readonly images = new Set<string>();
  readonly cloud: Cloud;
  private readonly provider: ResourceProvider;

  constructor() {
    const enabledApis = { has: () => true } as unknown as Set<string>;
    this.cloud = new Cloud({ enabledApis, hasImage: (image) => this.images.has(image), hasAnswered: () => true });
    this.provider = new ResourceProvider(schema, { resources: GOOGLE_TYPES }, this.cloud);
    this.provider.configure({ project: "my-project", region: "us-central1" });
  }

  problems(type: string, args: object): readonly string[] {
    return this.provider.problems(type, configuration(type, args), "resource");
  }

  plan(type: string, args: object, prior: Value = null): ValueObject {
    return this.planned(type, args, prior).planned as ValueObject;
  }

  /** What of a change forces a replacement. */
  replacedBy(type: string, args: object, prior: Value): readonly string[] {
    return this.planned(type, args, prior).replacedBy;
  }

  apply(type: string, args: object, prior: Value = null): ValueObject {
    const planned = this.plan(type, args, prior);
    return this.provider.apply(type, { prior, planned, config: configuration(type, args) }) as ValueObject;
  }

  account(name: string): ValueObject {
    return this.apply("google_service_account", { account_id: name });
  }

  secretOf(id: string, ...payloads: readonly string[]): ValueObject {
    const secret = this.apply("google_secret_manager_secret", { secret_id: id, replication: [{ auto: [{}] }] });
    for (const payload of payloads) {
      this.apply("google_secret_manager_secret_version", { secret: textAt(secret, "id"), secret_data: payload });
    }
    return secret;
  }

  destroy(type: string, prior: Value): void {
    this.provider.apply(type, { prior, planned: null, config: null });
  }

  private planned(type: string, args: object, prior: Value): ReturnType<ResourceProvider["plan"]> {
    const config = configuration(type, args);
    const proposed = prior === null ? config : withPrior(config, prior, type);
    return this.provider.plan(type, { prior, planned: proposed, config });
  }
}

/** Arguments as Terraform sends them: all other attributes null, all other blocks empty. */
export function configuration(type: string, args: object): ValueObject {
  const element = schema.resource_schemas?.[type];
  if (element === undefined) throw new Error(`there is no schema of ${type}`);
  const { block_types: blocks = {} } = element.block;
  const lists = Object.entries(blocks).filter(([, { nesting_mode: mode }]) => mode === "list" || mode === "set");
  const none = Object.fromEntries(lists.map(([name]) => [name, []]));
  return completed({ ...none, ...args }, blockType(element.block)) as ValueObject;
}

/** Keeps prior computed values for what is not configured. */
function withPrior(config: ValueObject, prior: Value, type: string): ValueObject {
  const attributes = schema.resource_schemas?.[type]?.block.attributes ?? {};
  const kept = (name: string): Value => (attributes[name]?.computed === true ? valueAt(prior, name) : null);
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, value ?? kept(name)]));
}
