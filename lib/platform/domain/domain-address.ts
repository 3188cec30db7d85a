import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { attributeOf, attributesOf, idOf } from "../../core/expr/attributes";
import { countIf, isSet } from "../../core/expr/conditions";
import { partName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type PartProps } from "../parts";
import { type Ipv6Address } from "./ipv6";

/** Facts of a load balancer's address for the parts behind it. */
export interface LoadBalancerAddress extends Pick<DomainAddress, "domain" | "ipAddress"> {
  /** Undefined for an internal load balancer. */
  readonly ipv6: Ipv6Address | undefined;
}

/**
 * The static IP address of a global load balancer for a domain.
 *
 * A change of the domain does not change it. It is created before the service behind it, because the application must
 * know it.
 */
export class DomainAddress extends Construct {
  /** Id of the address; null without a domain. */
  readonly addressId: string;

  /** Domain to which clients connect; null at plan means no domain. */
  readonly domain: string;

  /** IP address; null without a domain. */
  readonly ipAddress: string;

  /** IP address as a list that is empty without a domain. */
  readonly ipAddresses: string;
  readonly ipv6: Ipv6Address;
  readonly ready: ITerraformDependable[];
  readonly globalAddress: ComputeGlobalAddress;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    props: PartProps & { readonly domain: string; readonly ipv6: Ipv6Address },
  ) {
    super(scope, id);
    const { dependsOn, domain, context } = props;
    this.globalAddress = new ComputeGlobalAddress(this, MAIN_CHILD_ID, {
      project: context.projectId,
      name: partName(context.deployment, "address"),
      labels: context.labels,
      count: countIf(isSet(domain)),
      dependsOn,
    });
    this.addressId = idOf(this.globalAddress);
    this.domain = domain;
    this.ipAddress = attributeOf(this.globalAddress, "address").text;
    this.ipAddresses = attributesOf(this.globalAddress, "address").text;
    this.ipv6 = props.ipv6;
    this.ready = [this.globalAddress];
  }
}
