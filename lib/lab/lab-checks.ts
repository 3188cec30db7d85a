import { type ComputeFirewall } from "@cdktf/provider-google/lib/compute-firewall";
import { type ComputeInstance } from "@cdktf/provider-google/lib/compute-instance";
import { type ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { type TerraformResource, Token } from "cdktf";
import { type Construct } from "constructs";

import { allOf, anyOf, type Expr, exprOf, hcl, interpolated, literal } from "../core/expr/expr";
import { element, every, split } from "../core/expr/functions";
import { settingName } from "../core/expr/locals";
import { type ValuesOf } from "../core/inputs/value";
import { CheckBlock } from "../core/inputs/warnings";
import { prose } from "../core/prose";
import {
  AUTO_MODE_RANGE,
  type FirewallRuleName,
  INTERNAL_RANGE_LEAST_PREFIX,
  RANGE_AROUND_AUTO_MODE,
  RDP_SOURCE_EXAMPLE,
  SSH_KEY_OBJECT_NAME,
} from "./contract";
import { type AssessmentLabProps, type LAB } from "./lab-inputs";

/** The parts that the checks look for. */
interface CheckedParts {
  readonly firewallRules: Readonly<Record<FirewallRuleName, ComputeFirewall>>;
  readonly linuxVms: ComputeInstance;
  readonly network: ComputeNetwork;
  readonly sshKeyAddress: string;
  readonly sshKeyBucket: StorageBucket;
  readonly windowsVm: ComputeInstance;
}

/** Warns at every plan of valid settings that leave the lab without something that most labs need. */
export function addLabChecks(
  scope: Construct & CheckedParts,
  v: ValuesOf<typeof LAB>,
  { aws, sourceRanges = {} }: AssessmentLabProps,
): void {
  const { firewallRules, linuxVms, network, sshKeyAddress, sshKeyBucket, windowsVm } = scope;
  const exists = ({ fqn }: TerraformResource) => hcl<readonly unknown[]>`${fqn}[*]`.length().gt(0);
  const check = (id: string, condition: Expr<boolean>, errorMessage: string): void => {
    // A `check` block must refer to an object of the configuration.
    if (condition.isLiteral) return;
    new CheckBlock(scope, id, [{ condition: condition.text, errorMessage: `${errorMessage}.` }]);
  };

  const awsKeyId = aws !== undefined && Token.isUnresolved(aws.accessKeyId) ? aws.accessKeyId : undefined;
  const isServiceOn = v.initializeAssessmentService;
  const hasAws = awsKeyId === undefined ? literal(false) : exprOf(awsKeyId).ne("");
  check(
    "HasScanTargets",
    anyOf(hcl<readonly unknown[]>`${linuxVms.fqn}`.length().gt(0), allOf(hasAws, isServiceOn)),
    prose`
      ${v.linuxVmCount.name} is 0; only an import from AWS can supply assets, because there is nothing to scan;
      raise it, or import from AWS, which needs its credentials and ${v.initializeAssessmentService.name}
    `,
  );
  check(
    "HasDiscoveryClient",
    exists(windowsVm),
    prose`
      ${v.createWindowsVm.name} is false; nothing is scanned, because no VM of the lab has a discovery client;
      set it to true, or install the client on a machine of your own that reaches the Linux VMs
    `,
  );
  check(
    "HasKeyFile",
    exists(sshKeyBucket),
    prose`
      ${v.createSshKeyBucket.name} is false; there is no ${SSH_KEY_OBJECT_NAME} to download,
      because the private key is in the state alone, at ${sshKeyAddress}; set it to true,
      or take private_key_pem from there
    `,
  );
  check(
    "IsReachable",
    anyOf(exists(network).not(), exists(firewallRules.internal)),
    prose`
      ${v.createDefaultFirewallRules.name} is false on a network that is created here; no VM can be reached,
      not even by the discovery client, because that network has no rules; set it to true,
      or add rules of your own
    `,
  );
  check(
    "LogsConnections",
    anyOf(v.firewallLogging.not(), exists(firewallRules.internal)),
    prose`
      ${v.firewallLogging.name} is true, and the lab creates no firewall rule; nothing is logged,
      because the rules of an existing network are its owner's; have them logged there, and set it to false
    `,
  );
  check(
    "LimitsRemoteDesktop",
    every(
      hcl<readonly string[]>`flatten(${firewallRules.rdp.fqn}[*].source_ranges)`,
      (range) => hcl<number>`tonumber(split("/", ${range})[1])`.ge(INTERNAL_RANGE_LEAST_PREFIX),
      "range",
    ),
    prose`
      ${settingName(scope, sourceRanges.rdp, "sourceRanges.rdp")} allows most of the internet;
      anyone there may try to sign in to the Windows VM, because allow-rdp checks only the source address;
      set the addresses of the participants, for example ${RDP_SOURCE_EXAMPLE}
    `,
  );
  if (sourceRanges.internal === undefined) {
    const { name } = v.internalTrafficCidr;
    check(
      "ReachesTargets",
      anyOf(exists(network).not(), exists(firewallRules.internal).not(), meetsAutoModeRange(v.internalTrafficCidr)),
      prose`
        ${name} has no address of the network that is created here, whose VMs are all in ${AUTO_MODE_RANGE};
        every scan finds nothing, because allow-internal allows none of them; leave ${name} at ${AUTO_MODE_RANGE},
        or set a range within it
      `,
    );
  }
  check(
    "ImportsCloudB",
    anyOf(isServiceOn, hasAws.not()),
    prose`
      ${settingName(scope, awsKeyId ?? "", "aws")} is given and ${v.initializeAssessmentService.name} is false;
      nothing is imported from AWS, because there is no source to import into;
      set ${v.initializeAssessmentService.name} to true, or remove the credentials
    `,
  );
}

/** Two ranges are either nested or disjoint, so comparing the first address is enough. */
function meetsAutoModeRange(range: Expr<string>): Expr<boolean> {
  const [, length] = AUTO_MODE_RANGE.split("/");
  const widened = interpolated`${element(split("/", range), 0)}/${length}`;
  return range.eq(RANGE_AROUND_AUTO_MODE).or(hcl<string>`cidrsubnet(${widened}, 0, 0)`.eq(AUTO_MODE_RANGE));
}
