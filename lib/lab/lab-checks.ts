import { type Construct } from "constructs";

import { CheckBlock } from "../core/check-block";
import { expression } from "../core/expression";
import { INTERNAL_RANGE_LEAST_PREFIX, prefixLength } from "./address-range";
import { AUTO_MODE_RANGE, RANGE_AROUND_AUTO_MODE, RDP_SOURCE_EXAMPLE, SSH_KEY_OBJECT_NAME } from "./contract";
import { type LabFirewall } from "./lab-firewall";
import { type LabKey } from "./lab-key";
import { type LabNetwork } from "./lab-network";
import { type LinuxTargets } from "./linux-targets";
import { type WindowsHost } from "./windows-host";

/** What of a lab may be left out, to somebody's surprise. */
export interface CheckedParts {
  /** Expressions: whether the service is used, and the key id of cloud B, where there may be one. */
  readonly assessment: { readonly isOn?: string; readonly cloudBKeyId?: string };
  readonly firewall: LabFirewall;
  /** Source of allow-internal, as an expression; none where the rule has sources of its own. */
  readonly internalRange?: string;
  readonly key: LabKey;
  readonly linux: LinuxTargets;
  readonly network: LabNetwork;
  readonly windows: WindowsHost;
}

/** Says at every plan what is legal and leaves the lab without something that most labs need. */
export function addLabChecks(
  scope: Construct,
  { assessment, firewall, internalRange, key, linux, network, windows }: CheckedParts,
): void {
  const check = (id: string, condition: string, errorMessage: string) =>
    new CheckBlock(scope, id, [{ condition: expression(condition), errorMessage }]);

  const { cloudBKeyId, isOn } = assessment;
  const whileServiceIsOn = isOn === undefined ? "" : ` && (${isOn})`;
  const importsCloudB = cloudBKeyId === undefined ? "" : ` || (${cloudBKeyId} != ""${whileServiceIsOn})`;
  check(
    "HasScanTargets",
    `${linux.exist}${importsCloudB}`,
    "linux_vm_count is 0; only an import from cloud B can supply assets, because there is nothing to scan; raise it, or import from cloud B, which needs its credentials and initialize_assessment_service.",
  );
  check(
    "HasDiscoveryClient",
    windows.exists,
    "create_windows_vm is false; nothing is scanned, because no host of the lab has a discovery client; set it to true, or install the client on a host of your own that reaches the targets.",
  );
  check(
    "HasKeyFile",
    key.hasBucket,
    `create_ssh_key_bucket is false; there is no ${SSH_KEY_OBJECT_NAME} to download, because the private key is in the state alone, at ${key.address}; set it to true, or take private_key_pem from there.`,
  );
  check(
    "IsReachable",
    `!(${network.isCreated}) || ${firewall.hasDefaultRules}`,
    "create_default_firewall_rules is false on a network that is created here; nobody reaches a host and the discovery client reaches no target, because that network has no rules; set it to true, or add rules of your own.",
  );
  check(
    "LimitsRemoteDesktop",
    `alltrue([for range in ${firewall.rdpSources} : tonumber(split("/", range)[1]) >= ${INTERNAL_RANGE_LEAST_PREFIX}])`,
    `rdp_source_ranges lets most of the internet in; anybody there may try to sign in to the Windows host, because allow-rdp asks for nothing but the address; give the addresses of those who take part, for example ${RDP_SOURCE_EXAMPLE}.`,
  );
  if (internalRange !== undefined) {
    check(
      "ReachesTargets",
      `!(${network.isCreated}) || !(${firewall.hasDefaultRules}) || ${meetsAutoModeRange(internalRange)}`,
      `internal_traffic_cidr has no address of the network that is created here, whose hosts are all in ${AUTO_MODE_RANGE}; every scan finds nothing, because allow-internal lets none of them through and the discovery client reaches no target; leave internal_traffic_cidr at ${AUTO_MODE_RANGE}, or give a range within it.`,
    );
  }
  if (isOn === undefined || cloudBKeyId === undefined) return;
  check(
    "ImportsCloudB",
    `${isOn} || ${cloudBKeyId} == ""`,
    "cloudb_access_key_id is given and initialize_assessment_service is false; cloud B is left out, because there is no source to import into; set initialize_assessment_service to true, or remove the credentials.",
  );
}

/** Of two ranges, one is in the other or they have nothing in common; so the first address says which. */
function meetsAutoModeRange(range: string): string {
  const widened = `format("%s/${prefixLength(AUTO_MODE_RANGE)}", split("/", ${range})[0])`;
  return `${range} == "${RANGE_AROUND_AUTO_MODE}" || cidrsubnet(${widened}, 0, 0) == "${AUTO_MODE_RANGE}"`;
}
