import { type Cloud, type CloudObject, type Need, Refusal } from "../cloud";

/**
 * Signs in to a container's databases: the role must have the container's password. A container with an administrator's
 * password creates the role.
 */
export function logIn(
  object: CloudObject,
  environment: Readonly<Record<string, string>>,
  instances: readonly string[],
  cloud: Cloud,
): void {
  const { DB_ADMIN_PASSWORD: administrator, DB_USER: user = "", DB_PASSWORD: password = "" } = environment;
  for (const instance of instances) {
    if (cloud.hasOthers("google_sql_database_instance", instance)) continue;
    const role = `${instance}/${user}`;
    if (administrator === undefined) {
      if (cloud.databaseRoles.get(role) === password) continue;
      throw new Refusal(`${object.id} cannot start: the database refuses the password of its role ${user}`);
    }
    const expected = cloud.administratorPasswords.get(instance);
    if (expected !== administrator) {
      throw new Refusal(`${object.id} failed: the database refuses the administrator's password`);
    }
    cloud.databaseRoles.set(role, password);
    cloud.roleMakers.set(role, `${object.type} ${object.id}`);
  }
}

/** A container without an administrator's password needs an existing role. */
export function roleNeeds(environment: Readonly<Record<string, string>>, instances: readonly string[]): Need[] {
  const { DB_ADMIN_PASSWORD: administrator, DB_USER: user = "" } = environment;
  if (administrator !== undefined) return [];
  return instances.map((instance) => ({
    what: `the role ${user} in the database ${instance}`,
    isMet: (cloud) =>
      cloud.databaseRoles.has(`${instance}/${user}`) || cloud.hasOthers("google_sql_database_instance", instance),
  }));
}
