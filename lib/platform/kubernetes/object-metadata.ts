import { type TerraformResource } from "cdktf";

import { oneAttribute } from "../../core/conditional";
import { expression } from "../../core/expression";

/**
 * Name of an object, as a reference that waits for it.
 *
 * @param name the reference for an object that always exists
 */
export function metadataName(object: TerraformResource, name: string): string {
  return object.count === undefined ? name : expression(oneAttribute(object, "metadata[0].name"));
}
