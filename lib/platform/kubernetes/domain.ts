import { type TerraformVariableValidationConfig } from "cdktf";

const DOMAIN_PATTERN = "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$";
const MAX_LENGTH = 253;

export const DOMAIN_RULE = `it must be a full domain name of lower-case letters, digits, hyphens and dots, at most ${MAX_LENGTH} characters, without a dot at the end, because a certificate is made for exactly this name; write for example login.example.com`;

export function isDomain(domain: string): boolean {
  return new RegExp(DOMAIN_PATTERN).test(domain) && domain.length <= MAX_LENGTH;
}

/** The rule of a domain for a variable that may be null. */
export function domainValidation(variable: string): TerraformVariableValidationConfig {
  const domain = `var.${variable}`;
  return {
    condition: `\${${domain} == null ? true : can(regex("${DOMAIN_PATTERN}", ${domain})) && length(${domain}) <= ${MAX_LENGTH}}`,
    errorMessage: `${variable} is \${jsonencode(${domain})}; ${DOMAIN_RULE}.`,
  };
}
