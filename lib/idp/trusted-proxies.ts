/** Peers whose forwarded headers the application believes unless it is told otherwise; telling it replaces the list. */
const OWN_DEFAULTS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fe80::/10", "::1/128"];

/**
 * The variable that makes the application believe what a platform's front end says about the visitor.
 *
 * Releases from 2026.8 on ignore the headers of other peers and then take every request for plain HTTP.
 *
 * The constructs that run a container add their platform's own front end; this is for another one before it, or for a
 * platform of your own.
 *
 * @param frontEnd ranges from which the front end speaks
 */
export function trustedProxies(...frontEnd: readonly string[]): { readonly IDP_LISTEN__TRUSTED_PROXY_CIDRS: string } {
  return { IDP_LISTEN__TRUSTED_PROXY_CIDRS: [...OWN_DEFAULTS, ...frontEnd].join(",") };
}
