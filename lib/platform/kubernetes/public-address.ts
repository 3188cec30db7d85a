import { ComputeAddress } from "@cdktf/provider-google/lib/compute-address";
import { ComputeGlobalAddress } from "@cdktf/provider-google/lib/compute-global-address";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { attributeOf } from "../../core/expr/attributes";
import { countIf, isSet, isUnset, partIf, present } from "../../core/expr/conditions";
import { exprOf } from "../../core/expr/expr";
import { partName } from "../../core/names";
import { type Ipv6Address } from "../domain/ipv6";
import { type PartProps } from "../parts";

/** Facts of the public address for the application. */
export type ClientAddress = Pick<PublicAddress, "address" | "ipv6" | "url">;

/**
 * A static IP address: regional for a passthrough load balancer, or with a domain a global one for an HTTPS load
 * balancer.
 *
 * It is created before the load balancer, because the application must know the address to which clients connect.
 */
export class PublicAddress extends Construct {
  /** Address to which clients connect. */
  readonly address: string;
  readonly url: string;

  /** Domain to which clients connect, if any. */
  readonly domain: string | undefined;

  /** The regional address, created only without a domain. */
  readonly regional: ComputeAddress | undefined;

  /** The global address, created only with a domain. */
  readonly global: ComputeGlobalAddress | undefined;

  /** IP address of the regional address. */
  readonly regionalAddress: string;

  /** IP address of the global address. */
  readonly ipAddress: string;

  /** A second address of the HTTPS load balancer, if any. */
  readonly ipv6: Ipv6Address | undefined;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: PartProps & Pick<PublicAddress, "domain" | "ipv6">) {
    super(scope, id);
    const { dependsOn, domain, context } = props;
    const { deployment, labels, projectId: project, region } = context;
    const common = { project, name: partName(deployment, "address"), labels, dependsOn };
    this.regional = partIf(
      isUnset(domain),
      () => new ComputeAddress(this, "Regional", { ...common, region, count: countIf(isUnset(domain)) }),
    );
    this.global = partIf(
      isSet(domain),
      () => new ComputeGlobalAddress(this, "Global", { ...common, count: countIf(isSet(domain)) }),
    );
    const regionalAddress = attributeOf(this.regional, "address");
    const ipAddress = attributeOf(this.global, "address");
    this.regionalAddress = regionalAddress.text;
    this.ipAddress = ipAddress.text;
    this.domain = domain;
    this.ipv6 = props.ipv6;
    this.address = isSet(domain).choose(ipAddress, regionalAddress).text;
    this.url = `https://${exprOf(domain ?? null).ifNull(regionalAddress).text}`;
    this.ready = present<ITerraformDependable>(this.regional, this.global);
  }
}
