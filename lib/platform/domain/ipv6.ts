import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { ComputeGlobalForwardingRule } from "@cdktf/provider-google/lib/compute-global-forwarding-rule";
import { type ITerraformDependable, type TerraformCount } from "cdktf";
import { Construct } from "constructs";

import { attributesOf, idOf } from "../../core/expr/attributes";
import { allOf, type Condition, countIf, isSet, partIf } from "../../core/expr/conditions";
import { interpolated } from "../../core/expr/expr";
import { each } from "../../core/expr/functions";
import { partName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";

/** The scheme of a load balancer; all rules of one target have the same scheme. */
export type Scheme = "EXTERNAL" | "EXTERNAL_MANAGED";

/**
 * A static IPv6 address of a global load balancer beside its IPv4 address, created only with a domain and on request.
 */
export class Ipv6Address extends Construct {
  /** Id of the address; null if there is none. */
  readonly addressId: string;

  /** IP address; a list that is empty if there is none. */
  readonly ipAddresses: string;

  /** Count for resources that exist only with the address. */
  readonly count: TerraformCount | undefined;

  /** Whether the address exists. */
  readonly condition: Condition;
  /** Undefined if synthesis knows that no address is wanted. */
  readonly globalAddress: ComputeGlobalAddress | undefined;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: PartProps & { readonly domain: string; readonly enabled: Condition },
  ) {
    super(scope, id);
    const { dependsOn, domain, enabled, context } = props;
    this.condition = allOf(isSet(domain), enabled);
    this.count = countIf(this.condition);
    this.globalAddress = partIf(
      this.condition,
      () =>
        new ComputeGlobalAddress(this, MAIN_CHILD_ID, {
          project: context.projectId,
          name: partName(context.deployment, "ipv6"),
          ipVersion: "IPV6",
          labels: context.labels,
          count: this.count,
          dependsOn,
          // Replaced in the same order as in `tlsPolicy`, for the same reason.
          lifecycle: { createBeforeDestroy: true },
        }),
    );
    this.addressId = idOf(this.globalAddress);
    this.ipAddresses = attributesOf(this.globalAddress, "address").text;
  }

  /** The address as a range that ends a list of ranges, with the comma before it; empty if there is none. */
  get nextRange(): string {
    const addresses = attributesOf(this.globalAddress, "address");
    return each(addresses, (address) => interpolated`,${address}/128`, undefined, "address").joinedBy("").text;
  }

  /** @param target id of the proxy that receives requests to the port @internal */
  forward(
    id: string,
    port: number,
    target: string,
    scheme: Scheme,
    { condition = true, dependsOn }: { readonly condition?: Condition; readonly dependsOn?: ITerraformDependable[] },
  ) {
    const { context } = this.props;
    const isForwarded = allOf(this.condition, condition);
    return partIf(
      isForwarded,
      () =>
        new ComputeGlobalForwardingRule(this, id, {
          project: context.projectId,
          name: partName(context.deployment, `ipv6-${port}`),
          labels: context.labels,
          loadBalancingScheme: scheme,
          ipAddress: this.addressId,
          ipProtocol: "TCP",
          portRange: String(port),
          target,
          count: countIf(isForwarded),
          dependsOn,
        }),
    );
  }
}
