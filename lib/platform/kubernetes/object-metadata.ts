import { Fn, TerraformLocal, Token, type TerraformResource } from "cdktf";
import { type Construct } from "constructs";

import { oneAttribute } from "../../core/conditional";
import { expression } from "../../core/expression";
import { type Labels } from "../../core/labels";

/**
 * Name of an object, as a reference that waits for it.
 *
 * @param name the reference for an object that always exists
 */
export function metadataName(object: TerraformResource, name: string): string {
  return object.count === undefined ? name : expression(oneAttribute(object, "metadata[0].name"));
}

/** Google Cloud allows names and values to end with these; in Kubernetes, neither may begin or end with them. */
const EDGES = /^[-_]+|[-_]+$/g;

/**
 * Labels of a deployment in the form that objects in a cluster allow: without hyphens and underscores at their ends.
 *
 * Creates only a local in the scope, for labels known only to Terraform.
 */
export function objectLabels(scope: Construct, labels: Labels | undefined): Labels | undefined {
  if (labels === undefined) return undefined;
  if (!Token.isUnresolved(labels)) {
    const trimmed = (text: string) => (Token.isUnresolved(text) ? Fn.trim(text, "-_") : text.replace(EDGES, ""));
    return Object.fromEntries(Object.entries(labels).map(([name, value]) => [trimmed(name), trimmed(value)]));
  }
  // Two names may become one.
  const entries = `[for name, value in ${Token.asString(labels)} : { (trim(name, "-_")) = trim(value, "-_") }]`;
  return Token.asStringMap(new TerraformLocal(scope, "Labels", expression(`merge(${entries}...)`)).expression);
}

/** Enough to distinguish any two edits, and short enough for a name. */
const HASH_LENGTH = 10;

export function shortHash(sha256: string): string {
  return Fn.substr(sha256, 0, HASH_LENGTH);
}
