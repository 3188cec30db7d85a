import { type DeploymentInputs } from "../../core/deployment-context";
import { type Expr, interpolated } from "../../core/expr/expr";
import { startsWith } from "../../core/expr/functions";
import { needs } from "../../core/inputs/needs";
import { type networkInputs } from "../../core/inputs/network-inputs";
import { type Relation } from "../../core/inputs/relations";
import { prose } from "../../core/prose";
import { type DomainInputs } from "../domain/domain";
import { type EXISTING_SERVICE_ACCOUNTS } from "../identity/service-identity";
import { type CONTROL_PLANE } from "./control-plane";
import { type EXISTING_CLUSTER } from "./existing-cluster";
import { type NAMESPACE } from "./workload-namespace";

/** Relations of an existing cluster or namespace to other inputs. */
export const EXISTING_CLUSTER_RELATIONS: readonly Relation<
  typeof CONTROL_PLANE &
    typeof EXISTING_CLUSTER &
    typeof EXISTING_SERVICE_ACCOUNTS &
    typeof NAMESPACE &
    Pick<ReturnType<typeof networkInputs>, "networkTags"> &
    Pick<DomainInputs, "domain"> &
    Pick<DeploymentInputs, "region">
>[] = [
  needs("existingCluster", {
    withWords: { controlPlaneEndpoint: "public" },
    without: ["authorizedNetworks", "clusterHardening", "networkTags"],
    because: "the owner of the cluster decides how its control plane is reached, and what is allowed there",
  }),
  {
    host: "existingCluster",
    holds: (v) => v.existingCluster.isNull().or(v.existingServiceAccounts.at.nodes.isNull()),
    message: ({ existingCluster, existingServiceAccounts: { at } }) =>
      prose`
        ${existingCluster.name} is given together with ${at.nodes.name}; that must be left out,
        because the owner of the cluster decides on its nodes; remove ${at.nodes.name}
      `,
  },
  {
    host: "existingCluster",
    holds: (v) => {
      const isInRegion = startsWith(interpolated`${v.existingCluster.at.location}-`, interpolated`${v.region}-`);
      return v.existingCluster.isNull().or(v.domain.isSet()).choose(true, isInRegion);
    },
    message: (v) =>
      prose`
        ${v.existingCluster.at.location.name} is ${v.existingCluster.at.location.shown},
        ${v.region.name} is ${v.region.shown} and there is no ${v.domain.name}; without one,
        the cluster must be in that region, because the address of its load balancer is;
        set ${v.region.name} or ${v.domain.name}
      `,
  },
  {
    host: "existingNamespace",
    holds: (v) => {
      const isDefault = (v.namespace as Expr).eq(v.namespace.row.default);
      return v.existingNamespace.isNull().or(v.existingCluster.isSet().and(isDefault));
    },
    message: (v) =>
      prose`
        ${v.existingNamespace.name} is given without ${v.existingCluster.name} or together with
        ${v.namespace.name}; it needs the first, because a new cluster has no namespaces,
        and takes the place of the second; give the cluster, and remove ${v.namespace.name}
      `,
  },
];
