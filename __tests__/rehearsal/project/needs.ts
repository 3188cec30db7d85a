import { type Cloud, type Need } from "./cloud";
import { textAt, type ValueObject } from "./terraform-value";

/** The need for another resource. */
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

/** An existing account has its grants already, unless the configuration gives it such grants too. */
function isGivenByOthers(cloud: Cloud, type: string, member: string): boolean {
  const [account] = accountsOf(member);
  if (account === undefined || cloud.makes(type, (id) => id.endsWith(`/${member}`))) return false;
  return cloud.hasOthers("google_service_account", account);
}

/** The need for the principal of a grant; principals of Google Cloud itself need nothing. */
export function needPrincipal(member: string): Need[] {
  const [, pool] = /^serviceAccount:([a-z0-9-]+)\.svc\.id\.goog\[/.exec(member) ?? [];
  if (pool !== undefined) return [needIdentityPool(pool)];
  return accountsOf(member).map((account) => needObject("google_service_account", account));
}

/** The service account of a grant's member, unless it is Google's own or the member is no account. */
function accountsOf(member: string): string[] {
  const [, email, project] = /^serviceAccount:([^@]+@([a-z0-9-]+)\.iam\.gserviceaccount\.com)$/.exec(member) ?? [];
  if (email === undefined || project === undefined || /^(service-|gcp-sa-)/.test(email)) return [];
  return [`projects/${project}/serviceAccounts/${email}`];
}

/** The need for the identity pool of a project, which its first cluster creates. */
function needIdentityPool(project: string): Need {
  return {
    what: `the identity pool ${project}.svc.id.goog, which the first cluster makes`,
    isMet: (cloud) =>
      cloud.identityPools.has(project) ||
      cloud.ofType("google_container_cluster").some(({ values }) => textAt(values, "project") === project),
  };
}

/**
 * The need for an enabled service of the project that has answered a call. If everything outside the configuration
 * exists already, so do its services, and one that the configuration enables is assumed to answer at once.
 */
export function needApi(name: string): Need[] {
  const api = `${name}.googleapis.com`;
  const isOthers = (cloud: Cloud) =>
    cloud.externalResourcesExist && !cloud.makes("google_project_service", (id) => id.endsWith(`/${api}`));
  return [
    {
      what: `the enabled service ${api}`,
      isMet: (cloud) => cloud.surroundings.enabledApis.has(api) || isOthers(cloud),
    },
    {
      what: `an answer of ${api} after it was enabled`,
      isMet: (cloud) => cloud.surroundings.hasAnswered(name) || cloud.externalResourcesExist,
    },
  ];
}
