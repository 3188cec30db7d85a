export { KubernetesIdentityProvider, type KubernetesIdentityProviderProps } from "./kubernetes-identity-provider";
