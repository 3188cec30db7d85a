/** Names by which things of Google Cloud refer to each other, in every form that the provider takes. */

const COMPUTE_ADDRESS = /^https:\/\/(www|compute)\.googleapis\.com\/compute\/(v1|beta)\//;

/**
 * Identity of a thing of the Compute API: `projects/<project>/<place>/<name>`. It may be referred to by that, by its
 * address, by the path within its project, or by its name alone.
 */
export function computeId(reference: string, project: string, place: string): string {
  const path = reference.replace(COMPUTE_ADDRESS, "");
  if (path === "" || path.startsWith("projects/")) return path;
  return path.includes("/") ? `projects/${project}/${path}` : `projects/${project}/${place}/${path}`;
}

/** Identity of a secret, which may be referred to by its name alone, or by its project's number. */
export function secretId(reference: string, project: string, projectNumber: string): string {
  const [, owner = project, , name = reference] = reference.startsWith("projects/") ? reference.split("/") : [];
  return `projects/${owner === projectNumber ? project : owner}/secrets/${name}`;
}

/** Region of a zone. */
export function regionOf(zone: string): string {
  return zone.replace(/-[a-z]$/, "");
}
