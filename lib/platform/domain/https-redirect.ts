import { ComputeGlobalForwardingRule } from "@cdktf/provider-google/lib/compute-global-forwarding-rule";
import { ComputeTargetHttpProxy } from "@cdktf/provider-google/lib/compute-target-http-proxy";
import { ComputeUrlMap } from "@cdktf/provider-google/lib/compute-url-map";
import { type IResolvable } from "cdktf";
import { type Construct } from "constructs";

import { idOf } from "../../core/expr/attributes";
import { allOf, countIf, isNever, present } from "../../core/expr/conditions";
import { type Expr } from "../../core/expr/expr";
import { partName } from "../../core/names";
import { type PartProps } from "../parts";
import { type Ipv6Address, type Scheme } from "./ipv6";

interface HttpsRedirectProps extends PartProps {
  /** Id of the global address. */
  readonly addressId: string;
  /** Condition under which the address exists. */
  readonly condition: Expr<boolean>;
  readonly enabled: boolean | IResolvable;
  /** IPv6 address; its port 80 is redirected too. */
  readonly ipv6: Ipv6Address | undefined;
  /** Scheme of the load balancer on port 443 of the same address, because two schemes cannot share an address. */
  readonly scheme: Scheme;
}

/** Permanently redirects clients from port 80 to HTTPS at the same address. */
export function httpsRedirect(scope: Construct, props: HttpsRedirectProps): ComputeGlobalForwardingRule[] {
  const { dependsOn, enabled, ipv6, context, scheme } = props;
  const isRedirected = allOf(props.condition, enabled);
  if (isNever(isRedirected)) return [];
  const common = { project: context.projectId, count: countIf(isRedirected) };
  const name = partName(context.deployment, "redirect");
  const urlMap = new ComputeUrlMap(scope, "Redirect", {
    ...common,
    name,
    defaultUrlRedirect: {
      httpsRedirect: true,
      redirectResponseCode: "MOVED_PERMANENTLY_DEFAULT",
      // Keeps the query, because it contains the state of a sign-in request.
      stripQuery: false,
    },
    dependsOn,
  });
  const proxy = new ComputeTargetHttpProxy(scope, "HttpProxy", { ...common, name, urlMap: idOf(urlMap) });
  const target = idOf(proxy);
  const rule = new ComputeGlobalForwardingRule(scope, "HttpRule", {
    ...common,
    name: partName(context.deployment, "http"),
    labels: context.labels,
    loadBalancingScheme: scheme,
    ipAddress: props.addressId,
    ipProtocol: "TCP",
    portRange: "80",
    target,
  });
  return present(rule, ipv6?.forward("HttpRule", 80, target, scheme, { condition: enabled }));
}
