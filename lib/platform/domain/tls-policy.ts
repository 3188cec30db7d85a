import { ComputeSslPolicy } from "@cdktf/provider-google/lib/compute-ssl-policy";
import { type TerraformCount } from "cdktf";
import { type Construct } from "constructs";

import { partName } from "../../core/names";
import { type PartProps } from "../parts";

/** The TLS versions and ciphers of a load balancer. Set because the platform's default still accepts TLS 1.0. */
export function tlsPolicy(
  scope: Construct,
  { count, dependsOn, context }: PartProps & { readonly count: TerraformCount | undefined },
): ComputeSslPolicy {
  return new ComputeSslPolicy(scope, "TlsPolicy", {
    project: context.projectId,
    name: partName(context.deployment, "tls"),
    count,
    // Ciphers that browsers of the last ten years support; browsers and servers refuse older versions.
    profile: "MODERN",
    minTlsVersion: "TLS_1_2",
    dependsOn,
    // Otherwise no plan could replace a cluster together with this policy's dependencies, because the cluster's Ingress
    // must be deleted first.
    lifecycle: { createBeforeDestroy: true },
  });
}
