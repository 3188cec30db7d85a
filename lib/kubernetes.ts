export { KubernetesIdentityProvider } from "./kubernetes-identity-provider";
export { type KubernetesIdentityProviderProps } from "./kubernetes-identity-provider-props";
export { type AuthorizedNetworks } from "./platform/kubernetes/autopilot-cluster";
export { type Geoip } from "./platform/kubernetes/geoip";
