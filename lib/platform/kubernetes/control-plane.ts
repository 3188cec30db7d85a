import { type ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { type IResolvable, Token } from "cdktf";

import { isAddressRange } from "../../core/address-range";
import { attributeOf } from "../../core/expr/attributes";
import { addDynamicBlock, addOptionalBlock, optionalBlocks } from "../../core/expr/blocks";
import { isNever, not } from "../../core/expr/conditions";
import { allOf, anyOf, type Expr, exprOf, hcl } from "../../core/expr/expr";
import { compact, everyEntry } from "../../core/expr/functions";
import { type networkInputs } from "../../core/inputs/network-inputs";
import { type Relation } from "../../core/inputs/relations";
import { choice, object, type PropsOf, text, textMap } from "../../core/inputs/rows";
import { type ValuesOf } from "../../core/inputs/value";
import { prose } from "../../core/prose";

/** Every IPv4 address. */
export const ANYWHERE = "0.0.0.0/0";

/** Ranges that GKE accepts for a private endpoint, by name, with the pattern of their subranges. */
export const PRIVATE_RANGES = {
  "private-10": "10.0.0.0/8",
  "private-172": "172.16.0.0/12",
  "private-192": "192.168.0.0/16",
};
export const IS_PRIVATE = "^(10|172[.](1[6-9]|2[0-9]|3[01])|192[.]168|100[.](6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7]))[.]";

const ENDPOINTS = ["public", "private", "dns"] as const;

const GROUP = "^gke-security-groups@";
const TOPIC = "^projects/[^/]+/topics/[^/]+$";

/** The input `clusterHardening` under Terraform names. */
interface Hardening {
  readonly notification_topic: string | null;
  readonly security_group: string | null;
}

/** Inputs of the control plane. */
export const CONTROL_PLANE = {
  /**
   * CIDR ranges that may reach the control plane, by name; include the range of the machine that runs Terraform. Empty
   * allows any source address; sign-in is still required.
   */
  authorizedNetworks: textMap({
    default: {},
    description: prose`
      CIDR ranges that may reach the control plane of the cluster, by name;
      include that of the machine that applies. [[Empty allows any source address,
      or any private one with a private endpoint; sign-in is still required.]] Changing it later is safe.
    `,
    must: {
      each: (_, range: Expr<string>) => isAddressRange(range),
      shows: "entry",
      message: prose`
        each must be an IPv4 range that is written with its first address; use for example 203.0.113.0/24,
        or /32 for one address
      `,
    },
  }),
  /**
   * Endpoint of the control plane: a `public` address, a `private` address of the network, or only its `dns` name,
   * which requires the permission to connect.
   */
  controlPlaneEndpoint: choice(ENDPOINTS, {
    default: "public",
    description: prose`
      Where the control plane of the cluster is reached: public, at an address on the Internet; private,
      at one of the network, in which the machine that applies must be; dns, at a name of Google alone,
      by those with the right container.clusters.connect. Before a change, open the new one:
      guides/cluster.md says how.
    `,
  }),
  /**
   * Hardening that organizations require of clusters: no rights for all signed-in users, no unauthenticated port of
   * nodes, groups, notifications.
   */
  clusterHardening: object(
    {
      /** Group, `gke-security-groups@<domain>`; groups in it can be given rights in the cluster. */
      securityGroup: text({
        default: null,
        description: "gke-security-groups@<domain>, whose groups can be given rights in the cluster",
      }),
      /** Topic of Pub/Sub in the project for notifications about upgrades and security bulletins. */
      notificationTopic: text({
        default: null,
        description: "projects/<project>/topics/<name>, which is told of upgrades and security bulletins",
      }),
    },
    {
      description: (members) =>
        prose`
          What organizations require of clusters: no rights for all signed-in users,
          and no unauthenticated port of nodes; {} for these alone. ${members} Changing it later is safe;
          removing it leaves the cluster as it is.
        `,
      must: {
        condition: (given: Expr<Hardening>) => {
          const group = given.member<string | null>("security_group");
          const topic = given.member<string | null>("notification_topic");
          return group.isNullOr((name) => name.matches(GROUP)).and(topic.isNullOr((name) => name.matches(TOPIC)));
        },
        must: prose`
          have a group named gke-security-groups@<domain> and a topic projects/<project>/topics/<name>,
          because GKE accepts no others; correct it, or leave it out
        `,
      },
    },
  ),
};

/** Hardening that organizations require of clusters. */
export interface ClusterHardening extends PropsOf<(typeof CONTROL_PLANE)["clusterHardening"]["members"]> {}

export const CONTROL_PLANE_RELATIONS: readonly Relation<
  typeof CONTROL_PLANE & Pick<ReturnType<typeof networkInputs>, "network">
>[] = [
  {
    host: "controlPlaneEndpoint",
    holds: ({ authorizedNetworks: ranges, controlPlaneEndpoint: endpoint, network }) => {
      const arePrivate = everyEntry(ranges as Expr<Record<string, string>>, (_, range) => range.matches(IS_PRIVATE));
      return allOf(
        endpoint.isOneOf(ENDPOINTS),
        endpoint.ne("private").or(network.isSet()),
        anyOf(ranges.length().eq(0), endpoint.eq("public"), endpoint.eq("private").and(arePrivate)),
      );
    },
    message: (v) =>
      prose`
        ${v.controlPlaneEndpoint.name} is ${v.controlPlaneEndpoint.shown} and ${v.authorizedNetworks.name} is
        ${v.authorizedNetworks.shown}; the first must be public, private with ${v.network.name} and private ranges
        alone in the second, or dns without any, because nothing can apply from a network that is not there yet,
        GKE lets no other range reach a private address, and a name has no ranges; correct one of them
      `,
  },
];

/** Settings of a control plane. */
export type ControlPlane = ValuesOf<typeof CONTROL_PLANE & Pick<ReturnType<typeof networkInputs>, "networkTags">>;

/** Whether a control plane is reached only by its DNS name. */
export const isAtName = ({ controlPlaneEndpoint }: ControlPlane): Expr<boolean> => controlPlaneEndpoint.eq("dns");

/**
 * Address and certificate of the control plane of the deployment's own cluster. The certificate is null for a DNS name,
 * which has a public one.
 */
export function accessTo(cluster: ContainerCluster, settings: ControlPlane) {
  const isNamed = isAtName(settings);
  const address = attributeOf(cluster, "endpoint").text;
  const certificate = attributeOf(cluster, "master_auth[0].cluster_ca_certificate").text;
  if (isNever(isNamed)) return { certificate, endpoint: address };
  const name = attributeOf(cluster, "control_plane_endpoints_config[0].dns_endpoint_config[0].endpoint").text;
  return {
    certificate: isNamed.choose<null, string>(null, certificate).text,
    endpoint: isNamed.choose(name, address).text,
  };
}

/** Adds the settings of the control plane to a cluster. */
export function addControlPlane(cluster: ContainerCluster, settings: ControlPlane): void {
  const { authorizedNetworks, clusterHardening: hardening, controlPlaneEndpoint: endpoint, networkTags } = settings;
  const isPublic = endpoint.eq("public");
  const isByAddress = not(isAtName(settings));
  cluster.putPrivateClusterConfig({ enablePrivateNodes: true, enablePrivateEndpoint: not(isPublic).flag });
  // Options that are off are sent too, because the provider treats a missing block as no change.
  cluster.putControlPlaneEndpointsConfig({
    dnsEndpointConfig: { allowExternalTraffic: isAtName(settings).flag },
    ipEndpointsConfig: { enabled: isByAddress.flag },
  });
  addOptionalBlock(cluster, "", "master_authorized_networks_config", {
    when: isByAddress,
    content: {
      // Otherwise the VMs of all Google Cloud customers would be allowed in addition to the listed ranges.
      gcp_public_cidrs_access_enabled: false,
      dynamic: {
        cidr_blocks: {
          for_each: orAny(authorizedNetworks.map, isPublic),
          content: { display_name: "${cidr_blocks.key}", cidr_block: "${cidr_blocks.value}" },
        },
      },
    },
  });
  const hasTags = networkTags.length().gt(0);
  const isHardened = hardening.isSet();
  addOptionalBlock(cluster, "", "node_pool_auto_config", {
    when: hasTags.or(isHardened),
    content: optionalBlocks({
      network_tags: { when: hasTags, content: { tags: networkTags.list } },
      node_kubelet_config: { when: isHardened, content: { insecure_kubelet_readonly_port_enabled: "FALSE" } },
    }),
  });
  if (hardening.given === null) return;
  addOptionalBlock(cluster, "", "rbac_binding_config", {
    when: isHardened,
    content: {
      enable_insecure_binding_system_unauthenticated: false,
      enable_insecure_binding_system_authenticated: false,
    },
  });
  const { notificationTopic, securityGroup } = hardening.at;
  addDynamicBlock(cluster, "", "authenticator_groups_config", {
    forEach: compact([securityGroup]).list,
    content: { security_group: "${authenticator_groups_config.value}" },
  });
  addDynamicBlock(cluster, "", "notification_config", {
    forEach: compact([notificationTopic]).list,
    content: { pubsub: { enabled: true, topic: "${notification_config.value}" } },
  });
}

/** Never empty: the provider treats a missing list as no change, so a restriction could not be lifted. */
function orAny(networks: IResolvable, isPublic: Expr<boolean>): unknown {
  const [everywhere, privately] = [{ everywhere: ANYWHERE }, PRIVATE_RANGES].map((ranges) => hcl`tomap(${ranges})`);
  const any = isPublic.choose(everywhere, privately);
  // A program's literal map.
  if (!Token.isUnresolved(networks)) return Object.keys(networks).length === 0 ? any.text : networks;
  const given = exprOf<unknown>(networks);
  return given.length().eq(0).choose(any, given).text;
}
