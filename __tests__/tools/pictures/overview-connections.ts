import { stringsIn, valueAt } from "../../stacks/configuration-graph";
import { type DefaultDeployment, type Element } from "./default-deployment";

/** From one resource to another that it uses, sends to or is made of. */
interface Connection {
  readonly from: Element;
  readonly to: Element;
  readonly words?: string;
}

/** What talks to what without a grant that says so: by references, names and labels in the arguments of resources. */
export function connections(deployment: DefaultDeployment): Connection[] {
  const all = deployment.existing;
  const from = (types: readonly string[], connect: (element: Element) => readonly Omit<Connection, "from">[]) =>
    deployment.existingOf(...types).flatMap((element) => connect(element).map((each) => ({ from: element, ...each })));
  const namedBy = (value: unknown, type: string) =>
    deployment.existingOf(type).filter(({ address }) => deployment.named(value).has(address));

  return [
    ...from(["kubernetes_service_v1"], ({ block }) =>
      selected(block, deployment.existingOf("kubernetes_deployment_v1")).map((to) => ({ to, words: portsOf(block) })),
    ),
    ...from(["google_monitoring_uptime_check_config"], ({ block }) => {
      const host = deployment.named(valueAt(block, "monitored_resource.labels.host"));
      const isAsked = ({ address, block: own }: Element) =>
        host.has(address) || [...deployment.named(own)].some((each) => isAddress(each) && host.has(each));
      return all
        .filter(({ type }) => ANSWERS.includes(type))
        .filter(isAsked)
        .map((to) => ({ to, words: "asks" }));
    }),
    // The platform pulls by itself within a project.
    ...from(["google_cloud_run_v2_service", "google_cloud_run_v2_worker_pool"], ({ block }) =>
      deployment
        .existingOf("google_artifact_registry_repository")
        .filter((repository) =>
          deployment
            .texts(valueAt(block, "template.containers"))
            .some((text) => text.includes(`/${String(repository.block.repository_id)}/`)),
        )
        .map((to) => ({ to, words: "pulls" })),
    ),
    ...from(["kubernetes_deployment_v1", "kubernetes_job_v1"], ({ block }) =>
      namedBy(block, "kubernetes_secret_v1").map((to) => ({ to, words: "reads" })),
    ),
    ...from(["kubernetes_secret_v1"], ({ block }) =>
      namedBy(valueAt(block, "data_wo"), "google_secret_manager_secret").map((to) => ({
        to,
        words: "copied<br/>by the apply",
      })),
    ),
    ...from(["google_compute_instance"], ({ block }) => [
      ...namedBy(block, "tls_private_key").map((to) => ({ to, words: partOfKey(deployment, block) })),
      ...sourcesOf(deployment, block).map((to) => ({ to, words: "reports,<br/>after a sign-in" })),
    ]),
    ...deployment.existingOf("google_storage_bucket_object").flatMap(({ block }) =>
      namedBy(block.bucket, "google_storage_bucket").flatMap((bucket) =>
        namedBy(block.content, "tls_private_key").map((to) => ({
          from: bucket,
          to,
          words: partOfKey(deployment, block),
        })),
      ),
    ),
  ];
}

/** The image from which a script builds, with the script. */
export function upstreamImages(deployment: DefaultDeployment): { readonly from: Element; readonly image: string }[] {
  return deployment.existingOf("terraform_data").flatMap((from) => {
    const image = valueAt(from.block, "provisioner.0.local-exec.environment.UPSTREAM_IMAGE");
    return typeof image === "string" ? [{ from, image }] : [];
  });
}

/** What may leave a namespace for any address, by the policies about all of its pods. */
export function waysOut(deployment: DefaultDeployment): { readonly namespace: string; readonly ports: string }[] {
  return deployment.existingOf("kubernetes_network_policy_v1").flatMap(({ block }) => {
    const rules = (valueAt(block, "spec.egress") ?? []) as { ports: { port: string; protocol: string }[] }[];
    const open = rules.filter((rule) => stringsIn(rule).includes("0.0.0.0/0")).flatMap(({ ports }) => ports);
    const [namespace] = [...deployment.named(valueAt(block, "metadata.namespace"))];
    if (namespace === undefined || open.length === 0) return [];
    const numbers = open.map(({ port }) => Number(port)).sort((one, other) => one - other);
    return [{ namespace, ports: `${(open[0]?.protocol ?? "").toLowerCase()} ${numbers.join(", ")}` }];
  });
}

const ANSWERS = ["google_cloud_run_v2_service", "kubernetes_service_v1"];

function isAddress(reference: string): boolean {
  return /^google_compute_(global_)?address\./.test(reference);
}

function selected(service: Element["block"], deployments: readonly Element[]): Element[] {
  const selector = JSON.stringify(valueAt(service, "spec.selector"));
  return deployments.filter(({ block }) => JSON.stringify(valueAt(block, "spec.selector.match_labels")) === selector);
}

function portsOf(service: Element["block"]): string {
  const ports = (valueAt(service, "spec.port") ?? []) as { protocol: string; target_port: string }[];
  return `${(ports[0]?.protocol ?? "").toLowerCase()} ${ports.map(({ target_port: port }) => port).join(", ")}`;
}

/** A VM knows its source by the name that both take from one input. */
function sourcesOf(deployment: DefaultDeployment, vm: Element["block"]): Element[] {
  const inputs = [...deployment.named(vm)].filter((each) => each.endsWith("_client_name"));
  return deployment
    .existingOf("terraform_data")
    .filter(({ block }) => JSON.stringify(block.provisioner ?? "").includes("/register-source.sh"))
    .filter(({ block }) => inputs.some((input) => deployment.named(block).has(input)));
}

function partOfKey(deployment: DefaultDeployment, block: Element["block"]): string {
  return deployment.texts(block).some((text) => text.includes(".private_key_pem"))
    ? "holds the private key"
    : "accept the public key";
}
