import { valueAt } from "../../stacks/configuration-graph";
import { type DefaultDeployment, type Element } from "./default-deployment";
import { waysOut } from "./overview-connections";
import { type Kind } from "./picture";

/** How a resource is drawn, by its type or by the script that it runs. */
interface Drawing {
  readonly kind: Kind;
  readonly lines: (element: Element, deployment: DefaultDeployment) => readonly (string | false | undefined)[];
}

const drawn = (kind: Kind, lines: Drawing["lines"]): Drawing => ({ kind, lines });

/** The names of the containers of a pod. */
const containers = (spec: unknown): string =>
  (["container", "init_container"] as const)
    .flatMap((kind) => (valueAt(spec, kind) ?? []) as { name: string }[])
    .map(({ name }) => name)
    .join(", ");

const image = (reference: unknown): string => String(reference).replace(/^.*\//, "");

/** Types that are drawn; secrets are drawn together with those that the same ones reach. */
const DRAWINGS: Readonly<Record<string, Drawing>> = {
  google_artifact_registry_repository: drawn("data", () => ["Artifact Registry", "the image"]),
  google_cloud_run_v2_job: drawn("program", ({ block }, deployment) => [
    `Cloud Run job ${deployment.shownName(block.name)}`,
    image(valueAt(block, "template.template.containers.0.image")),
  ]),
  google_cloud_run_v2_service: drawn("program", ({ block }, deployment) => {
    const scaling = deployment.atDefaults(valueAt(block, "template.scaling"));
    const [least, most] = [valueAt(scaling, "min_instance_count"), valueAt(scaling, "max_instance_count")];
    return ["Cloud Run service", `${String(least)} to ${String(most)} instances`];
  }),
  google_cloud_run_v2_worker_pool: drawn("program", () => ["Cloud Run worker pool"]),
  google_compute_instance: drawn("program", ({ block, instances }, deployment) => [
    `${instances > 1 ? `${instances} × ` : ""}${deployment.shownName(block.name)}`,
    image(valueAt(block, "boot_disk.initialize_params.image")),
    valueAt(block, "network_interface.0.access_config") === undefined ? "no public address" : "public address",
    valueAt(block, "service_account") === undefined && "no service account",
  ]),
  google_compute_router_nat: drawn("door", (_element, deployment) => [
    "Cloud NAT",
    ...waysOut(deployment).map(({ ports }) => `out to any address, ${ports}`),
    "not in",
  ]),
  google_container_cluster: drawn("program", () => ["GKE Autopilot", "control plane and nodes"]),
  google_monitoring_uptime_check_config: drawn("program", ({ block }) => [
    "uptime check",
    `every ${String(block.period).replace("s", " s")}`,
  ]),
  google_secret_manager_secret: drawn("secret", ({ block }) => [secretName(block.secret_id)]),
  google_sql_database_instance: drawn("data", ({ block }, deployment) => {
    const isPublic = deployment.atDefaults(valueAt(block, "settings.ip_configuration.ipv4_enabled")) === true;
    const isProxied = valueAt(block, "settings.connector_enforcement") === "REQUIRED";
    return [
      "Cloud SQL",
      String(deployment.atDefaults(block.database_version)).replace("POSTGRES_", "PostgreSQL "),
      isPublic ? "public address" : "private address",
      isProxied && "open to authorized proxies only",
    ];
  }),
  google_storage_bucket: drawn("data", ({ block }, deployment) => [
    `bucket ${deployment.shownName(block.name)}`,
    ...deployment
      .existingOf("google_storage_bucket_object")
      .filter((object) => [...deployment.named(object.block.bucket)].some((each) => each.startsWith("google_storage_")))
      .map((object) => String(object.block.name)),
    block.public_access_prevention === "enforced" && "never public",
  ]),
  kubernetes_deployment_v1: drawn("program", ({ block }) => [
    "Deployment",
    containers(valueAt(block, "spec.template.spec")),
  ]),
  kubernetes_job_v1: drawn("program", ({ block }) => ["Job", containers(valueAt(block, "spec.template.spec"))]),
  kubernetes_secret_v1: drawn("secret", ({ block }, deployment) => [
    `Secret ${deployment.shownName(valueAt(block, "metadata.name"))}`,
  ]),
  kubernetes_service_v1: drawn("door", ({ block }, deployment) => [
    "load balancer",
    [...deployment.named(block)].some((each) => each.startsWith("google_compute_address.")) && "static address",
  ]),
  tls_private_key: drawn("secret", ({ block }) => [`key pair ${String(block.algorithm)} ${String(block.rsa_bits)}`]),
};

/** Scripts that are drawn, by their files. */
const SCRIPTS: Readonly<Record<string, Drawing>> = {
  "build-image.sh": drawn("program", () => ["Cloud Build", "makes the image"]),
  "register-source.sh": drawn("data", () => ["Migration Center", "discovery source"]),
};

/** Why a resource has no node of its own, by its type or address. */
const REASONS: readonly (readonly [reason: string, addresses: RegExp])[] = [
  ["in the picture of a first apply", /^google_project_service\.|^terraform_data\.\w*apis_/],
  ["a value of its secret", /^google_secret_manager_secret_version\./],
  ["a line of what acts as it", /^google_service_account\.|^kubernetes_service_account_v1\./],
  ["an arrow, or a line of what acts as its account", /_iam_member\./],
  ["an arrow", /^google_compute_firewall\.|^kubernetes_network_policy_v1\./],
  ["a frame", /^kubernetes_namespace_v1\./],
  ["a line of what it leads to", /^google_compute_address\./],
  ["a line of its bucket", /^google_storage_bucket_object\./],
  ["what the nodes or virtual machines are on", /^google_compute_(network|subnetwork|router)\./],
  ["a script, which only its job reads", /^kubernetes_config_map_v1\./],
  ["how many there are of what is drawn", /^kubernetes_(horizontal_pod_autoscaler|pod_disruption_budget)_/],
  ["shows what the others report", /^google_monitoring_dashboard\./],
  [
    "nothing at run time: it is for a later apply or destroy",
    /_trigger$|_guard$|\.identity_check$|\.protected_identity$|_survivors_at_destroy$|\.upgrade_backup$/,
  ],
  ["a part of names", /^random_id\./],
  ["tells whether the source is still there", /^google_migration_center_group\./],
];

/** How a resource is drawn, or undefined where it has no node. */
export function drawingOf({ block, type }: Element): Drawing | undefined {
  if (type !== "terraform_data") return DRAWINGS[type];
  const commands = JSON.stringify(block.provisioner ?? "");
  return Object.entries(SCRIPTS).find(([script]) => commands.includes(`/${script}`))?.[1];
}

/** Why a resource has no node, or undefined where nothing says so. */
export function reasonFor({ address }: Element): string | undefined {
  return REASONS.find(([, pattern]) => pattern.test(address))?.[0];
}

/** What a role allows, as the words of an arrow or a line. */
export const ROLES: Readonly<Record<string, string>> = {
  "roles/artifactregistry.reader": "pulls",
  "roles/artifactregistry.writer": "pushes",
  "roles/cloudsql.client": "connects",
  "roles/container.defaultNodeServiceAccount": "may run nodes",
  "roles/logging.logWriter": "may write logs",
  "roles/run.invoker": "starts",
  "roles/secretmanager.secretAccessor": "reads",
  "roles/storage.objectCreator": "adds",
  "roles/storage.objectUser": "reads and writes",
  "roles/storage.objectViewer": "reads",
};

/** The end of a secret's name, which says what it is. */
function secretName(id: unknown): string {
  return String(id).replace(/^.*\}-/, "");
}

/** Parts of a first apply, by what they make; the first that an address matches counts. */
export const PARTS: readonly (readonly [part: string, addresses: RegExp])[] = [
  ["what the deployment is", /^terraform_data\.(identity_check|protected_identity)$/],
  ["APIs of the project", /^google_project_service\.|^terraform_data\.\w*apis_/],
  ["names, notes for a destroy", /^random_id\.|_survivors_at_destroy$/],
  ["secrets, and who reads them", /^google_secret_manager_/],
  ["service accounts and their rights", /^google_service_account\.|^google_project_iam_/],
  ["image: repository, build", /^google_artifact_registry_|^terraform_data\.image_build$/],
  ["buckets, and who uses them", /^google_storage_/],
  ["database, first backup", /^google_sql_|^terraform_data\.upgrade_backup$/],
  ["firewall rules", /^google_compute_firewall\./],
  ["network", /^google_compute_(network|subnetwork|router|router_nat|address)\./],
  ["cluster", /^google_container_/],
  ["database job", /\.db_init(_trigger)?$|^kubernetes_\w+\.db_init_/],
  ["dumps", /dump/],
  ["test of mail", /\.test_mail$/],
  [
    "domain",
    /^google_(certificate_manager|compute|dns)_(?!instance)|_ingress_v1\.|\.front_door_(backend|load_balancer_settings)$/,
  ],
  ["load balancer", /^kubernetes_service_v1\./],
  ["namespace, its identities", /^google_service_account_iam_|^kubernetes_(namespace|network_policy)_/],
  ["separate worker", /\.worker(_\w+)?$/],
  ["server and worker", /^google_cloud_run_v2_service\.|^kubernetes_\w+\.workload(_\w+)?$/],
  ["monitoring, guards", /^google_monitoring_|_audit_config\.|\.\w+_guard$/],
  ["key pair", /^tls_/],
  ["virtual machines", /^google_compute_instance\./],
  ["source in Migration Center", /^google_migration_center_|_source_registered$/],
  ["AWS inventory", /^aws_|^terraform_data\.lab_cloudb_/],
];
