/** Base URLs of the Compute API in references to its resources. */
const COMPUTE_ADDRESS = /^https:\/\/(www|compute)\.googleapis\.com\/compute\/(v1|beta)\//;

/**
 * Identity of a Compute API resource, `projects/<project>/<place>/<name>`, from a reference: the identity, a URL, the
 * path within the project, or the name alone.
 */
export function computeId(reference: string, project: string, place: string): string {
  const path = reference.replace(COMPUTE_ADDRESS, "");
  if (path === "" || path.startsWith("projects/")) return path;
  return path.includes("/") ? `projects/${project}/${path}` : `projects/${project}/${place}/${path}`;
}

/** Identity of a secret from a reference, which may be the name alone or have the project's number. */
export function secretId(reference: string, project: string, projectNumber: string): string {
  const [, owner = project, , name = reference] = reference.startsWith("projects/") ? reference.split("/") : [];
  return `projects/${owner === projectNumber ? project : owner}/secrets/${name}`;
}

/** Region of a zone. */
export function regionOf(zone: string): string {
  return zone.replace(/-[a-z]$/, "");
}
