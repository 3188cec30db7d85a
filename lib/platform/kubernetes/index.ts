export { AutopilotCluster, type AutopilotClusterProps } from "./autopilot-cluster";
export { ClusterNetwork, type ClusterNetworkProps } from "./cluster-network";
export { LOOPBACK, PROXY_QUIT_URL } from "./contract";
export { FrontDoor, type FrontDoorProps } from "./front-door";
export { KubernetesJobs, type KubernetesJobsProps } from "./kubernetes-jobs";
export { KubernetesWorkload, type KubernetesWorkloadProps } from "./kubernetes-workload";
export { WorkloadAccount, type WorkloadAccountProps } from "./workload-account";
export { WorkloadNamespace, type WorkloadNamespaceProps } from "./workload-namespace";
