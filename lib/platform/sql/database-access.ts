import { type SqlDatabaseInstanceSettings } from "@cdktf/provider-google/lib/sql-database-instance";
import { Token, type IResolvable } from "cdktf";

import { expression } from "../../core/expression";
import { type NetworkAttachment } from "../network/network-attachment";

/** Only the proxy can connect; with an existing network, through a private address on it and no public one. */
export function ipConfiguration(
  network: NetworkAttachment | undefined,
): SqlDatabaseInstanceSettings["ipConfiguration"] {
  return {
    ipv4Enabled: network === undefined ? true : isAbsent(network.network),
    privateNetwork: network?.network,
    sslMode: "ENCRYPTED_ONLY",
    // Cloud Run's built-in connection trusts the instance's own certificate authority.
    serverCaMode: "GOOGLE_MANAGED_INTERNAL_CA",
  };
}

function isAbsent(network: string): boolean | IResolvable {
  return Token.isUnresolved(network) ? Token.asAny(expression(`${network} == null`)) : false;
}
