import { needApi } from "../needs";
import { type ResourceType } from "../resource-type";
import { Refusal } from "../cloud";
import { textAt, valueAt, type ValueObject } from "../terraform-value";

/** Prefix of the Compute API's self links. */
export const COMPUTE = "https://www.googleapis.com/compute/v1/";

/** Particulars of one type; the rest follows from its API, identity and schema. */
interface Particulars extends Omit<ResourceType, "id"> {
  /** Service of the resource, for example `secretmanager`. */
  readonly api: string;
  /** Identity in the notation of the provider's documentation, e.g. `projects/{{project}}/secrets/{{secret_id}}`. */
  readonly id: string | ResourceType["id"];
}

/** A resource type of the google provider: it needs its API and what `needs` adds. */
export function googleType({ api, id, needs, ...particulars }: Particulars): ResourceType {
  return {
    ...particulars,
    id: typeof id === "string" ? (values) => filledIn(id, values) : id,
    needs: (values, cloud) => [...needApi(api), ...(needs?.(values, cloud) ?? [])],
  };
}

/** A resource type of the Compute API, which has a self link; `path` is its identity below the project. */
export function computeType({
  path,
  computed,
  ...particulars
}: Omit<Particulars, "api" | "id" | "source"> & { readonly path: string; readonly source: string }): ResourceType {
  return googleType({
    api: "compute",
    id: `projects/{{project}}/${path}`,
    ...particulars,
    source: `compute/${particulars.source}`,
    computed: (values, context) => ({
      self_link: COMPUTE + context.id,
      region: values.region ?? null,
      ...computed?.(values, context),
    }),
  });
}

/** What Google's APIs refuse of the names of load balancers and their parts. */
export function nameProblems(values: ValueObject): string[] {
  const name = textAt(values, "name");
  return /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? [] : [`${name} is no name of at most 63 characters`];
}

function filledIn(template: string, values: ValueObject): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => textAt(values, name));
}

/** Deletion protection as the provider implements it: the state decides, not the configuration. */
export function refuseProtected(kind: string, isProtectedByDefault = true): ResourceType["beforeDestroy"] {
  return (prior) => {
    const given = valueAt(prior, "deletion_protection");
    if (given === true || (given === null && isProtectedByDefault)) {
      throw new Refusal(
        `cannot destroy ${kind} without setting deletion_protection=false and running \`terraform apply\``,
      );
    }
  };
}
