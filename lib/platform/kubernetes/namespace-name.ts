import { type TerraformVariableValidationConfig } from "cdktf";

const NAMESPACE_PATTERN = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";

/** With what the names of the cluster's own namespaces begin. */
const OWNED_PREFIXES = ["kube-", "gke-", "gmp-"] as const;

/** There from the start, and nobody's. */
const COMMON_NAMESPACE = "default";

export const NAMESPACE_RULE = `it must be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither ${COMMON_NAMESPACE} nor start with ${OWNED_PREFIXES.slice(0, -1).join(", ")} or ${OWNED_PREFIXES.slice(-1).join("")}, because it is made for this deployment alone and the cluster has those already; rename it`;

export function isNamespace(name: string): boolean {
  return (
    new RegExp(NAMESPACE_PATTERN).test(name) &&
    name !== COMMON_NAMESPACE &&
    !OWNED_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

/** The rule of a namespace for a variable. */
export function namespaceValidation(variable: string): TerraformVariableValidationConfig {
  const name = `var.${variable}`;
  const conditions = [
    `can(regex("${NAMESPACE_PATTERN}", ${name}))`,
    ...OWNED_PREFIXES.map((prefix) => `!startswith(${name}, "${prefix}")`),
    `${name} != "${COMMON_NAMESPACE}"`,
  ];
  return {
    condition: `\${${conditions.join(" && ")}}`,
    errorMessage: `${variable} is "\${${name}}"; ${NAMESPACE_RULE}.`,
  };
}
