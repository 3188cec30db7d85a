export { KubernetesIdentityProvider } from "./kubernetes-identity-provider";
export { type KubernetesIdentityProviderProps } from "./kubernetes-identity-provider-props";
export { ClusterNetwork, type ClusterNetworkProps } from "./platform/network/cluster-network";
export { type Cluster, type FrontDoor, type Network, type Workload, type WorkloadAddress } from "./platform/parts";
export {
  AutopilotCluster,
  type AuthorizedNetworks,
  type AutopilotClusterProps,
} from "./platform/kubernetes/autopilot-cluster";
export { type Geoip } from "./platform/kubernetes/geoip";
export { ClusterIngress } from "./platform/kubernetes/kubernetes-front-door";
export { type KubernetesJob } from "./platform/kubernetes/kubernetes-job";
export { KubernetesJobs, type KubernetesJobsProps } from "./platform/kubernetes/kubernetes-jobs";
export { type KubernetesScheduledJob } from "./platform/kubernetes/kubernetes-scheduled-job";
export { KubernetesWorker, type KubernetesWorkerProps } from "./platform/kubernetes/kubernetes-worker";
export { KubernetesWorkload, type KubernetesWorkloadProps } from "./platform/kubernetes/kubernetes-workload";
export { type ClusterIngressProps } from "./platform/kubernetes/load-balancers";
export { PublicAddress, type PublicAddressProps } from "./platform/kubernetes/public-address";
export { WorkloadNamespace, type WorkloadNamespaceProps } from "./platform/kubernetes/workload-namespace";
