import { Buffer } from "node:buffer";

import { type Cloud, Refusal } from "../cloud";
import { clustersOf } from "../google/cluster";
import { textAt, valueAt, type ValueObject } from "../terraform-value";

/**
 * Refuses a request with an address, certificate or token other than the cluster's own, as a real cluster would.
 *
 * Without a known address the real provider connects to localhost, as in a plan that replaces the cluster.
 */
export function requireClusterAccess(provider: ValueObject, cloud: Cloud): void {
  const host = textAt(provider, "host");
  if (host === "") throw new Refusal('Get "http://localhost/api": dial tcp [::1]:80: connect: connection refused');
  const cluster = clustersOf(cloud).find(({ values }) => host === `https://${textAt(values, "endpoint")}`);
  if (cluster === undefined) throw new Refusal(`Get "${host}/api": dial tcp: i/o timeout`);
  const authority = Buffer.from(textAt(cluster.values, "master_auth.0.cluster_ca_certificate"), "base64").toString();
  if (valueAt(provider, "cluster_ca_certificate") !== authority) {
    throw new Refusal(
      `Get "${host}/api": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
  }
  if (!cloud.accessTokens.has(textAt(provider, "token"))) throw new Refusal("Unauthorized");
}
