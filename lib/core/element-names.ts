/** Id of a construct's main child, which gets the construct's own address. */
export const MAIN_CHILD_ID = "Default";

/** A construct's id as part of a Terraform name. */
export function elementNamePart(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .toLowerCase();
}
