import { CheckedValue } from "../core/checked-value";

const PATTERN = "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$";
const MAX_LENGTH = 253;

/** Name under which an identity provider is reached, for which a certificate is made. */
export const DOMAIN = new CheckedValue<string>({
  accepts: (domain) => new RegExp(PATTERN).test(domain) && domain.length <= MAX_LENGTH,
  condition: (domain) => `can(regex("${PATTERN}", ${domain})) && length(${domain}) <= ${MAX_LENGTH}`,
  must: `be a full domain name of lower-case letters, digits, hyphens and dots, at most ${MAX_LENGTH} characters, without a dot at the end`,
  reason: "a certificate is made for exactly this name",
  remedy: "write for example login.example.com",
});
