import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIfSet, oneAttribute } from "../../core/conditional";
import { networkName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type LoadBalancerAddress, type PartProps } from "../parts";

interface DomainAddressProps extends PartProps {
  readonly domain: string;
}

/**
 * The static IP address of a global load balancer for a domain.
 *
 * It stays when the domain changes. It is created before the service behind it, because the application must know it.
 */
export class DomainAddress extends Construct implements LoadBalancerAddress {
  readonly addressId: string;

  readonly domain: string;

  readonly ipAddress: string;

  /** What must exist before clients can use it. */
  readonly ready: ITerraformDependable[];

  /** The address itself, for overrides. */
  readonly globalAddress: ComputeGlobalAddress;

  constructor(scope: Construct, id: string, props: DomainAddressProps) {
    super(scope, id);
    const { dependsOn, domain, place } = props;
    const name = networkName(place.deployment, "address");

    this.globalAddress = new ComputeGlobalAddress(this, MAIN_CHILD_ID, {
      project: place.projectId,
      name,
      labels: place.labels,
      count: countIfSet(domain),
      dependsOn,
    });

    this.addressId = oneAttribute(this.globalAddress, "id");
    this.domain = domain;
    this.ipAddress = oneAttribute(this.globalAddress, "address");
    this.ready = [this.globalAddress];
  }
}
