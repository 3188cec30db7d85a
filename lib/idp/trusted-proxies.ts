/** Peers whose forwarded headers the application believes unless it is told otherwise; telling it replaces the list. */
const OWN_DEFAULTS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fe80::/10", "::1/128"];

/**
 * The variable that makes the application believe what load balancers say about clients.
 *
 * Releases from 2026.8 on ignore the headers of other peers and then take every request for plain HTTP. The constructs that
 * run a container add their platform's own load balancers; this is for another one before them.
 *
 * @param ranges from which the load balancers speak
 */
export function trustedProxies(ranges: readonly string[]): { readonly IDP_LISTEN__TRUSTED_PROXY_CIDRS: string } {
  return { IDP_LISTEN__TRUSTED_PROXY_CIDRS: [...OWN_DEFAULTS, ...ranges].join(",") };
}
