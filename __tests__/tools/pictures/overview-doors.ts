import { valueAt } from "../../stacks/configuration-graph";
import { type DefaultDeployment, type Element } from "./default-deployment";

/** Who or what is outside of a deployment, in the lines of its node. */
type Outsider = readonly string[];

/** From outside to what is open to it; `within` is the address of a network whose every VM is. */
interface Opening {
  readonly from: Outsider;
  readonly to: { readonly element: Element } | { readonly within: string };
  readonly words: string;
}

/** Everybody, from any address. */
export const ANYONE: Outsider = ["anyone", "0.0.0.0/0"];

/** What people call a range of addresses. */
const RANGES: Readonly<Record<string, Outsider>> = {
  "0.0.0.0/0": ANYONE,
  "10.128.0.0/9": ["VMs of the network", "10.128.0.0/9"],
  "35.235.240.0/20": ["identity-aware proxy", "35.235.240.0/20"],
};

/** What is open to whom, by addresses, firewall rules and settings of what can be reached. */
export function openings(deployment: DefaultDeployment): Opening[] {
  return [
    ...deployment.existingOf("google_cloud_run_v2_service").flatMap((element) => serviceOpening(element, deployment)),
    ...deployment.existingOf("kubernetes_service_v1").flatMap((element) => balancerOpenings(element, deployment)),
    ...deployment.existingOf("google_container_cluster").flatMap((element) => clusterOpenings(element, deployment)),
    ...deployment.existingOf("google_sql_database_instance").flatMap((element) => databaseOpenings(element)),
    ...deployment.existingOf("google_compute_firewall").flatMap((element) => ruleOpenings(element, deployment)),
  ];
}

function serviceOpening(element: Element, deployment: DefaultDeployment): Opening[] {
  const { block } = element;
  if (deployment.atDefaults(block.ingress) !== "INGRESS_TRAFFIC_ALL") return [];
  const isOpen = deployment.atDefaults(block.invoker_iam_disabled) === true;
  const from: Outsider = isOpen ? ANYONE : ["callers with", "the right to invoke"];
  return [{ from, to: { element }, words: "HTTPS at *.run.app" }];
}

function balancerOpenings(element: Element, deployment: DefaultDeployment): Opening[] {
  const { block } = element;
  if (valueAt(block, "spec.type") !== "LoadBalancer") return [];
  const ranges = deployment.atDefaults(valueAt(block, "spec.load_balancer_source_ranges") ?? ["0.0.0.0/0"]) as string[];
  const ports = valueAt(block, "spec.port") as { port: number; protocol: string }[];
  const words = `${(ports[0]?.protocol ?? "").toLowerCase()} ${ports.map(({ port }) => port).join(", ")}`;
  return ranges.map((range) => ({ from: outsider(range), to: { element }, words }));
}

function clusterOpenings(element: Element, deployment: DefaultDeployment): Opening[] {
  const { block } = element;
  if (valueAt(block, "private_cluster_config.enable_private_endpoint") === true) return [];
  const networks = valueAt(block, "master_authorized_networks_config.dynamic.cidr_blocks.for_each");
  return rangesIn(JSON.stringify(deployment.atDefaults(networks))).map((range) => ({
    from: outsider(range),
    to: { element },
    words: "HTTPS, signed in,<br/>to the control plane",
  }));
}

function databaseOpenings(element: Element): Opening[] {
  const networks = valueAt(element.block, "settings.ip_configuration.authorized_networks");
  return rangesIn(JSON.stringify(networks ?? "")).map((range) => ({
    from: outsider(range),
    to: { element },
    words: "tcp 5432",
  }));
}

/** A firewall rule, to the VMs that have one of its tags, or to its whole network. */
function ruleOpenings({ block }: Element, deployment: DefaultDeployment): Opening[] {
  const tags = (block.target_tags ?? []) as string[];
  const network = [...deployment.named(block.network)].find((each) => each.startsWith("google_compute_network.")) ?? "";
  const tagged = deployment
    .existingOf("google_compute_instance")
    .filter((vm) => ((vm.block.tags ?? []) as string[]).some((tag) => tags.includes(tag)));
  const targets: Opening["to"][] = tags.length === 0 ? [{ within: network }] : tagged.map((element) => ({ element }));
  // A list, or the name of an input that holds one.
  const ranges = [deployment.atDefaults(block.source_ranges)].flat().map(String);
  const words = (block.allow as { protocol: string; ports?: string[] }[])
    .map(({ ports = [], protocol }) => [protocol, ports.join(", ")].join(" ").trim())
    .join("; ");
  return ranges.flatMap((range) => targets.map((to) => ({ from: outsider(range), to, words })));
}

function outsider(range: string): Outsider {
  return RANGES[range] ?? [range];
}

function rangesIn(text: string): string[] {
  return text.match(/\d+\.\d+\.\d+\.\d+\/\d+/g) ?? [];
}
