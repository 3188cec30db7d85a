import { referencesIn, stringsIn, valueAt } from "../stacks/configuration-graph";
import { type Block, type Terraform } from "../support/synthesis";

/**
 * A picture of the way to a domain in the language of Mermaid: from the client through the load balancer to the
 * application, and what certificate, policy and records hang on.
 *
 * Everything in it is read from the synthesized configuration.
 */
export function doorPicture(terraform: Terraform): string {
  const parts = partsOf(terraform);
  const lines = [
    'client(("client"))',
    ...parts.map(({ address, block, type }) => `${idOf(address)}${shapeOf(type)(WORDS[type]?.(block) ?? type)}`),
    ...parts.filter(({ type }) => ENTRIES.includes(type)).map(({ address }) => `client --> ${idOf(address)}`),
    ...parts.flatMap((part) => arrowsFrom(part, parts)),
  ];
  return ["```mermaid", "flowchart LR", ...lines.map((line) => `  ${line}`), "```"].join("\n");
}

interface Part {
  readonly address: string;
  readonly block: Block;
  readonly type: string;
}

/** What a part is to a reader, by its type; other types are not in the picture. */
const WORDS: Readonly<Record<string, (block: Block) => string>> = {
  google_compute_global_forwarding_rule: ({ port_range: port }) => `port ${String(port)}`,
  google_compute_target_http_proxy: () => "HTTP proxy",
  google_compute_target_https_proxy: () => "HTTPS proxy",
  google_compute_ssl_policy: ({ min_tls_version: version, profile }) =>
    `TLS policy<br/>${text(profile)}, ${text(version)}`,
  google_compute_url_map: ({ default_url_redirect: redirect }) =>
    redirect === undefined ? "URL map" : "redirect to HTTPS",
  google_compute_backend_service: () => "backend service",
  google_compute_region_network_endpoint_group: () => "endpoint group",
  google_compute_global_address: () => "static address",
  google_compute_managed_ssl_certificate: () => "certificate<br/>validated by the load balancer",
  google_certificate_manager_certificate: () => "certificate<br/>validated by DNS",
  google_certificate_manager_certificate_map: () => "certificate map",
  google_certificate_manager_certificate_map_entry: () => "map entry<br/>of the domain",
  google_certificate_manager_dns_authorization: () => "DNS authorization",
  google_compute_security_policy: () => "security policy<br/>with protection",
  google_cloud_run_v2_service: () => "Cloud Run service",
  kubernetes_ingress_v1: () => "Ingress on port 443",
  kubernetes_service_v1: () => "service",
  kubernetes_deployment_v1: () => "deployment",
  terraform_data: () => "configure-load-balancer.sh<br/>sets what an Ingress cannot say",
};

/** Types to which clients connect. */
const ENTRIES = ["google_compute_global_forwarding_rule", "kubernetes_ingress_v1"];

/** Types that no request goes through. */
const BESIDE = [
  "google_certificate_manager_certificate",
  "google_certificate_manager_certificate_map",
  "google_certificate_manager_certificate_map_entry",
  "google_compute_global_address",
  "google_compute_managed_ssl_certificate",
  "google_compute_security_policy",
  "google_compute_ssl_policy",
  "terraform_data",
];

/** Types from which nothing goes on. */
const ENDS = ["google_cloud_run_v2_service", "kubernetes_deployment_v1"];

function partsOf({ resource = {} }: Terraform): Part[] {
  return Object.keys(WORDS).flatMap((type) =>
    Object.entries(resource[type] ?? {})
      .map(([name, block]) => ({ address: `${type}.${name}`, block, type }))
      .filter(({ block }) => type !== "terraform_data" || stringsIn(block).some((each) => each.includes(SCRIPT)))
      // Nothing leads to separate workers.
      .filter(({ block }) => !/var\.domain == null|var\.worker_mode/.test(text(block.count))),
  );
}

const SCRIPT = "configure-load-balancer.sh";

function arrowsFrom(part: Part, parts: readonly Part[]): string[] {
  if (ENDS.includes(part.type)) return [];
  const after = [part.block.depends_on ?? []].flat().map(text);
  const named = part.type === "terraform_data" ? [...referencesIn(part.block), ...after] : referencesIn(part.block);
  return parts
    .filter(({ address, block }) => named.includes(address) || leadsTo(part.block, block))
    .filter(({ address }) => address !== part.address)
    .map(({ address, type }) => {
      const arrow = BESIDE.includes(part.type) || BESIDE.includes(type) ? "-.->" : "-->";
      return `${idOf(part.address)} ${arrow} ${idOf(address)}`;
    });
}

/** Endpoint groups know their service by its name, Kubernetes services their pods by labels. */
function leadsTo(from: Block, to: Block): boolean {
  const name = valueAt(from, "cloud_run.service");
  const labels = valueAt(from, "spec.selector");
  const matched = valueAt(to, "spec.selector.match_labels");
  return (
    (name !== undefined && name === to.name) ||
    (labels !== undefined && JSON.stringify(labels) === JSON.stringify(matched))
  );
}

function shapeOf(type: string): (words: string) => string {
  return ENDS.includes(type) ? (words) => `[["${words}"]]` : (words) => `["${words}"]`;
}

function idOf(address: string): string {
  return address.replace(/^.*\./, "");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
