export { type DynamicBlock } from "./core/expr/blocks";
export { type Labels } from "./core/labels";
export {
  KubernetesIdentityProvider,
  type KubernetesIdentityProviderProps,
  type KubernetesWorkerProps,
} from "./kubernetes-identity-provider";
export { type AutopilotCluster } from "./platform/kubernetes/autopilot-cluster";
export { type ClusterHardening } from "./platform/kubernetes/control-plane";
export { type ClusterAttributes, type NamespaceAttributes } from "./platform/kubernetes/existing-cluster";
export { type GeoipProps } from "./platform/kubernetes/geoip";
export { type ClusterLoadBalancer } from "./platform/kubernetes/kubernetes-load-balancer";
export { type KubernetesWorker, type KubernetesWorkload } from "./platform/kubernetes/kubernetes-workload";
export { type OutpostProps } from "./platform/kubernetes/outposts";
export { type ClientAddress, type PublicAddress } from "./platform/kubernetes/public-address";
export { type WorkloadNamespace } from "./platform/kubernetes/workload-namespace";
export { type WorkloadSecret } from "./platform/kubernetes/workload-secret";
export { type ClusterNetwork } from "./platform/network/cluster-network";
