import { type Cloud, type Need } from "./cloud";
import { textAt, type ValueObject } from "./terraform-value";

/** The need for another resource; a reference is its identity, a URL that ends with it, or the end of it. */
export function needObject(type: string, reference: string): Need {
  return { what: `${type} ${reference}`, isMet: (cloud) => cloud.has(type, reference) };
}

/** What a workload must be allowed to do. */
interface Right {
  /** Type of the grants, and which of them are on what the right is for. */
  readonly type: string;
  readonly isOn: (grant: ValueObject) => boolean;
  readonly member: string;
  /** Any of these roles is enough. */
  readonly roles: readonly string[];
  /** What it is for, for the message. */
  readonly target: string;
}

/** The need for a role, given to a principal. */
export function needRole({ type, isOn, member, roles, target }: Right): Need {
  return {
    what: `a grant of ${roles.join(" or ")} on ${target} to ${member}`,
    isMet: (cloud) =>
      cloud
        .ofType(type)
        .some(
          ({ values }) => isOn(values) && textAt(values, "member") === member && roles.includes(textAt(values, "role")),
        ),
  };
}

/** The need for the principal of a grant; other principals than accounts of a project need nothing. */
export function needPrincipal(member: string): Need[] {
  const [, pool] = /^serviceAccount:([a-z0-9-]+)\.svc\.id\.goog\[/.exec(member) ?? [];
  if (pool !== undefined) return [needIdentityPool(pool)];
  const [, email = ""] = /^serviceAccount:([^@]+@[a-z0-9-]+\.iam\.gserviceaccount\.com)$/.exec(member) ?? [];
  const isGoogles = email === "" || /^service-|@gcp-sa-/.test(email);
  return isGoogles ? [] : [needObject("google_service_account", email)];
}

/** The need for the identity pool of a project, which its first cluster creates. */
function needIdentityPool(project: string): Need {
  return {
    what: `the identity pool ${project}.svc.id.goog, which the first cluster makes`,
    isMet: (cloud) =>
      cloud.identityPools.has(project) ||
      // Also one that was left half-made.
      cloud.ofType("google_container_cluster").some(({ values }) => values.project === project),
  };
}

/** The need for an enabled service of the project that has answered a call. */
export function needApi(name: string): Need[] {
  const api = `${name}.googleapis.com`;
  return [
    {
      what: `the enabled service ${api}`,
      isMet: (cloud: Cloud) =>
        cloud.surroundings.enabledApis.has(api) ||
        (cloud.externalResourcesExist && cloud.has("google_project_service", api)),
    },
    {
      what: `an answer of ${api} after it was enabled`,
      isMet: (cloud) => cloud.surroundings.hasAnswered(name) || cloud.externalResourcesExist,
    },
  ];
}
