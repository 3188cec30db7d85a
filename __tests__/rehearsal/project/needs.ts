import { type Cloud, type Need } from "./cloud";
import { textAt, type ValueObject } from "./terraform-value";

/** The need for another thing. */
export function needObject(type: string, id: string): Need {
  return {
    what: `${type} ${id}`,
    isMet: (cloud) => cloud.find(type, id) !== undefined || cloud.hasOthers(type, id),
  };
}

/** The need for one of several roles of a principal, given by grants of one type on one target. */
export function needGrant(
  type: string,
  isTarget: (values: ValueObject) => boolean,
  member: string,
  roles: readonly string[],
  target: string,
): Need {
  return {
    what: `a grant of ${roles.join(" or ")} on ${target} to ${member}`,
    isMet: (cloud) =>
      isGivenByOthers(cloud, type, member) ||
      cloud
        .ofType(type)
        .some(
          ({ values }) =>
            isTarget(values) && textAt(values, "member") === member && roles.includes(textAt(values, "role")),
        ),
  };
}

/** An account that others made has its grants from them, unless the configuration gives it such grants as well. */
function isGivenByOthers(cloud: Cloud, type: string, member: string): boolean {
  const [account] = accountsOf(member);
  if (account === undefined || cloud.makes(type, (id) => id.endsWith(`/${member}`))) return false;
  return cloud.hasOthers("google_service_account", account);
}

/** The need for the principal of a grant; those that the platform brings need nothing. */
export function needPrincipal(member: string): Need[] {
  const [, pool] = /^serviceAccount:([a-z0-9-]+)\.svc\.id\.goog\[/.exec(member) ?? [];
  if (pool !== undefined) return [needIdentityPool(pool)];
  return accountsOf(member).map((account) => needObject("google_service_account", account));
}

/** The account that a member of a grant is, unless it is of the platform's own or no account. */
function accountsOf(member: string): string[] {
  const [, email, project] = /^serviceAccount:([^@]+@([a-z0-9-]+)\.iam\.gserviceaccount\.com)$/.exec(member) ?? [];
  if (email === undefined || project === undefined || /^(service-|gcp-sa-)/.test(email)) return [];
  return [`projects/${project}/serviceAccounts/${email}`];
}

/** The need for the identity pool of a project, which its first cluster makes. */
function needIdentityPool(project: string): Need {
  return {
    what: `the identity pool ${project}.svc.id.goog, which the first cluster makes`,
    isMet: (cloud) =>
      cloud.identityPools.has(project) ||
      cloud.ofType("google_container_cluster").some(({ values }) => textAt(values, "project") === project),
  };
}

/**
 * The need for a service of the project that is on, and that has been seen answering. Where others' things exist, their
 * services have been on for long, and one that the configuration turns on is taken to answer at once.
 */
export function needApi(name: string): Need[] {
  const api = `${name}.googleapis.com`;
  const isOthers = (cloud: Cloud) =>
    cloud.othersExist && !cloud.makes("google_project_service", (id) => id.endsWith(`/${api}`));
  return [
    {
      what: `the enabled service ${api}`,
      isMet: (cloud) => cloud.surroundings.enabledApis.has(api) || isOthers(cloud),
    },
    {
      what: `an answer of ${api} after it was enabled`,
      isMet: (cloud) => cloud.surroundings.hasAnswered(name) || cloud.othersExist,
    },
  ];
}
