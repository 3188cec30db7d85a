import { type IngressV1 } from "@cdktf/provider-kubernetes/lib/ingress-v1";
import { Fn } from "cdktf";
import { type Construct } from "constructs";

import { countIfSet, oneAttribute, type OptionalValue, valueOr } from "../../core/conditional";
import { expression, numberText } from "../../core/expression";
import { objectName, serviceName } from "../../core/names";
import { addRestLibraries, shellCommand } from "../../core/project-apis";
import { addScript } from "../../core/stack-file";
import { TerraformData } from "../../core/terraform-data";
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from "../instances";
import { BACKEND, type ClusterIngressProps } from "./load-balancers";

/**
 * A script sets the properties of the load balancer that an Ingress can express only with custom resources, which
 * cannot be planned before the cluster exists. The Ingress controller keeps them.
 *
 * The script runs again for a new Ingress, and when any of the properties changes.
 */
export function loadBalancerSettings(scope: Construct, props: ClusterIngressProps, ingress: IngressV1): TerraformData {
  const { address, namespace, place, requestLogSampleRate = 0 } = props;
  const libraries = addRestLibraries(scope);
  const script = addScript(scope, "lib/platform/kubernetes/scripts/configure-load-balancer.sh");
  const environment = {
    ADDRESS_NAME: expression(address.globalAddressName),
    BACKEND: `${namespace.namespaceName}/${objectName(place.deployment, BACKEND)}`,
    CERTIFICATE_MAP: orEmpty(props.certificateMapId),
    OWNER: serviceName(place.deployment),
    PROJECT_ID: place.projectId,
    REQUEST_LOG_SAMPLE_RATE: numberText(requestLogSampleRate),
    REQUEST_TIMEOUT_SECONDS: numberText(props.requestTimeoutSeconds ?? DEFAULT_REQUEST_TIMEOUT_SECONDS),
    SECURITY_POLICY: orEmpty(props.securityPolicyId),
  };
  return new TerraformData(scope, "LoadBalancerSettings", {
    triggersReplace: {
      ...environment,
      ingress_uid: expression(oneAttribute(ingress, "metadata[0].uid")),
      scripts: Fn.sha256(
        Fn.join(
          ":",
          [...libraries, script].map(({ sha256 }) => sha256),
        ),
      ),
    },
    provisioners: [{ type: "local-exec", command: shellCommand(script), environment }],
    count: countIfSet(address.domain),
    dependsOn: [ingress],
  });
}

/** Empty rather than absent, so that it is not taken from the environment of whoever applies. */
function orEmpty(value: OptionalValue): string {
  return value === undefined ? "" : valueOr(value, '""');
}
