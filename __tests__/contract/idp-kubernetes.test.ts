import { CONTAINER_PORT, SERVER_LISTENER, TRUSTED_PROXIES } from "../../lib/idp/contract";
import { valueAt } from "../stacks/configuration-graph";
import { atDefaults } from "../stacks/default-values";
import {
  KUBERNETES_ADDRESS,
  KUBERNETES_STACK_NAME,
  kubernetesResource,
  kubernetesTerraform,
  podContainerOf,
  podTemplateOf,
} from "../stacks/kubernetes-stack";
import { asMade, isForExisting } from "../stacks/made-parts";
import { ABSENT, argumentAt } from "../stacks/provider-schema/argument-at";
import { type Block } from "../support/synthesis";
import { elementOf, factAt, testContract } from "./rows";

const ADDRESS = KUBERNETES_ADDRESS;

const made = <Value>(value: Value) => asMade(kubernetesTerraform(), value);
const output = (name: string) => made(elementOf(kubernetesTerraform().output, name).value);
const local = (name: string) => made(elementOf(kubernetesTerraform().locals, name)) as Record<string, string>;
const namesOf = (type: string) => Object.keys(kubernetesTerraform().resource?.[type] ?? {}).sort();
/** The jobs that every deployment has. */
const jobsOfEvery = () =>
  namesOf("kubernetes_job_v1").filter((name) => kubernetesResource(`kubernetes_job_v1.${name}`).count === undefined);
const typesOf = (pattern: RegExp) =>
  Object.keys(kubernetesTerraform().resource ?? {})
    .filter((type) => pattern.test(type))
    .sort();
const at = (address: string, path: string) => factAt(kubernetesResource(address), path);
const argumentOf = (address: string, path: string) =>
  argumentAt(address.split(".")[0] ?? "", kubernetesResource(address), path);
const server = () => made(podContainerOf(ADDRESS.workload));
const job = () => made(podContainerOf(ADDRESS.job));
const proxyOptions = () => factAt(podTemplateOf(ADDRESS.job), "spec.init_container.0.args");
const jobVariables = () => factAt(job(), "dynamic.env.0.for_each") as Record<string, string>;
/** What stands there while nobody sets an input. */
const byDefault = (value: unknown) => atDefaults(kubernetesTerraform(), value);
/** Variables that a container reads from the copies of secrets that the deployment makes. */
const secretNames = (container: Block) =>
  (valueAt(container, "dynamic.env") as Block[]).at(-1)?.for_each as readonly string[];

testContract(KUBERNETES_STACK_NAME, {
  "What the service does": {
    "Cryptographic secrets: injected automatically into the container": [
      () => secretNames(server()),
      ["IDP_SECRET_KEY", "IDP_BOOTSTRAP_PASSWORD", "DB_PASSWORD"],
    ],
    "Database bootstrap: one first-deployment job named db-init; output initialization_jobs. Server start: there is no separate migrate job":
      [
        () => [output("initialization_jobs"), jobsOfEvery()],
        [{ "db-init": `\${${ADDRESS.job}.metadata[0].name}` }, ["db_init"]],
      ],
    "No cache service: no Redis-style cache is provisioned": [() => typesOf(/redis|memcache|memorystore/), []],
    "Media storage: a storage bucket mounted at /media; output storage_buckets": [
      () => [output("storage_buckets"), factAt(server(), "volume_mount.0")],
      [{ storage: `\${${ADDRESS.bucket}.name}` }, { name: "storage", mount_path: "/media" }],
    ],
    "Worker co-location: one container, in which the entrypoint starts both": [
      () =>
        (factAt(podTemplateOf(ADDRESS.workload), "spec.container") as Block[]).map(({ args, name }, position) => [
          name,
          argumentOf(ADDRESS.workload, `spec.template.spec.container.${position}.command`),
          byDefault(args),
        ]),
      [["server", ABSENT, null]],
    ],
  },

  "Database variables mapped by the entrypoint": {
    "The platform injects DB_HOST, DB_PORT, DB_NAME, DB_USER": [
      () => local("workload_required_environment"),
      {
        [TRUSTED_PROXIES]: expect.any(String) as unknown,
        DB_HOST: "127.0.0.1",
        DB_PORT: "5432",
        DB_NAME: "${local.database_name}",
        DB_USER: "${local.database_name}",
        ...SERVER_LISTENER,
      },
    ],
    "The Kubernetes variant's secret-sync resource rejects key names containing a double underscore": [
      () =>
        namesOf("kubernetes_secret_v1").map((name) => {
          const text = JSON.stringify(kubernetesResource(`kubernetes_secret_v1.${name}`).data_wo);
          const keys = [...text.matchAll(/"([\w.-]+?)\\?"(?::| =)/g)].map(([, key = ""]) => key);
          const areComputed = text.includes('replace(name, \\"__\\", \\".\\")');
          return (keys.length > 0 || areComputed) && !keys.some((key) => key.includes("__"));
        }),
      Array<boolean>(10).fill(true),
    ],
    "No variable of a container repeats a secret one in plain": [
      () =>
        [
          ...Object.keys(local("application_environment")),
          ...Object.keys(local("workload_baseline_environment")),
          ...Object.keys(local("workload_required_environment")),
        ].filter((name) => secretNames(server()).includes(name)),
      [],
    ],
  },

  "Database objects created by db-init": {
    "Owned by the postgres login, with the managed-superuser role granted to the application role": [
      () => [jobVariables().DB_ADMIN_USER, jobVariables().DB_MANAGED_SUPERUSER_ROLE],
      ["postgres", "cloudsqlsuperuser"],
    ],
  },

  "States and transitions": {
    "Wait until PostgreSQL is reachable: through proxy TCP on loopback in the Kubernetes variant": [
      () => [jobVariables().DB_HOST, proxyOptions()],
      ["127.0.0.1", expect.arrayContaining(["--address=127.0.0.1", "--port=5432"])],
    ],
    "Signal the database proxy sidecar to shut down so the job completes": [
      () => [jobVariables().DB_PROXY_QUIT_URL, proxyOptions()],
      ["http://127.0.0.1:9091/quitquitquit", expect.arrayContaining(["--quitquitquit", "--admin-port=9091"])],
    ],
    "Version upgrade: one instance more at a time, the startup probe's threshold keeps the rollout waiting": [
      () => [
        at(ADDRESS.workload, "spec.strategy.rolling_update"),
        Number(at(ADDRESS.workload, "spec.progress_deadline_seconds")) > 60 + 15 * 40,
      ],
      [{ max_surge: "1", max_unavailable: "0" }, true],
    ],
    "Edit of the db-init script: mounted at apply time; takes effect on the next apply without a rebuild": [
      () => [
        kubernetesResource(ADDRESS.script).data,
        kubernetesTerraform().locals?.db_init_run,
        at(ADDRESS.job, "metadata.name"),
        String(kubernetesTerraform().locals?.image_reference).includes("db-init"),
      ],
      [
        { "db-init.sh": '${file("${path.module}/scripts/db-init.sh")}' },
        expect.stringContaining('"script" = filesha256("${path.module}/scripts/db-init.sh")'),
        "${var.application_name}-db-init-${local.db_init_run}",
        false,
      ],
    ],
    "The job runs again when script, image, names or a password change, and at nothing else": [
      () => [...String(kubernetesTerraform().locals?.db_init_run).matchAll(/"(\w+)" =/g)].map(([, name]) => name),
      ["script", "image", "instance", "database", "user", "password_version", "administrator_password_version"],
    ],
  },

  Authentication: {
    "Both health endpoints are unauthenticated. This is mandatory because the Kubernetes kubelet probes without credentials":
      [
        () =>
          ["startup_probe", "liveness_probe", "readiness_probe"].map((kind) =>
            argumentOf(ADDRESS.workload, `spec.template.spec.container.0.${kind}.http_get.http_header`),
          ),
        [ABSENT, ABSENT, ABSENT],
      ],
    "First login uses the built-in administrator user with the bootstrap password read from the managed secret store": [
      () => output("first_sign_in"),
      {
        address: output("service_url"),
        user_name: "akadmin",
        password_command:
          "gcloud secrets versions access ${google_secret_manager_secret_version.secrets_bootstrap_password_version.version}" +
          ` --secret=\${${ADDRESS.bootstrapPassword}.secret_id} --project=\${var.project_id}`,
      },
    ],
    "Access to the stored secrets is through the secret store's access controls: no pod reads one": [
      () => namesOf("google_secret_manager_secret_iam_member").filter((name) => !isForExisting(name)),
      // One person, and the job that writes the link without reading it.
      ["recovery_access_link_reader", "recovery_access_link_recoverer"],
    ],
    "Workload identity: one service account each for server and job, with the least rights": [
      () =>
        Object.fromEntries(
          ["runtime", "initializer"].map((account) => [
            account,
            typesOf(/_iam_member$/).flatMap((type) =>
              namesOf(type)
                .filter((name) => !isForExisting(name))
                .map((name) => kubernetesResource(`${type}.${name}`))
                .filter(({ member }) => String(made(member)).includes(`google_service_account.${account}.`))
                .map(({ role }) => role),
            ),
          ]),
        ),
      {
        runtime: ["roles/cloudsql.client", "roles/storage.objectUser"],
        initializer: ["roles/cloudsql.client"],
      },
    ],
    "Workload identity: the accounts of the pods, and no other, may act as them": [
      () =>
        namesOf("google_service_account_iam_member")
          .filter((name) => !isForExisting(name))
          .map((name) => {
            const { member, role } = kubernetesResource(`google_service_account_iam_member.${name}`);
            return [name, role, member];
          }),
      [
        ...["check-up", "dump", "dump-1"].map((job, index) => [
          ["cluster_checker", "cluster_dumper", "cluster_dumper2"][index],
          "roles/iam.workloadIdentityUser",
          `serviceAccount:\${var.project_id}.svc.id.goog[\${local.chosen_namespace}/\${var.application_name}-${job}]`,
        ]),
        [
          "cluster_initializer",
          "roles/iam.workloadIdentityUser",
          "serviceAccount:${var.project_id}.svc.id.goog[${local.chosen_namespace}/${var.application_name}-db-init]",
        ],
        [
          "cluster_prober",
          "roles/iam.workloadIdentityUser",
          "serviceAccount:${var.project_id}.svc.id.goog[${local.chosen_namespace}/${var.application_name}-sign-in]",
        ],
        [
          "cluster_recoverer",
          "roles/iam.workloadIdentityUser",
          "serviceAccount:${var.project_id}.svc.id.goog[${local.chosen_namespace}/${var.application_name}-recovery]",
        ],
        [
          "cluster_runtime",
          "roles/iam.workloadIdentityUser",
          "serviceAccount:${var.project_id}.svc.id.goog[${local.chosen_namespace}/${var.application_name}]",
        ],
        [
          "cluster_runtime2",
          "roles/iam.workloadIdentityUser",
          "serviceAccount:${var.project_id}.svc.id.goog[${local.chosen_namespace}/${var.application_name}-events]",
        ],
      ],
    ],
    "The names of the pods' accounts are those that may act": [
      () =>
        ["workload_account", "db_init_account"].map((name) =>
          at(`kubernetes_service_account_v1.${name}`, "metadata.name"),
        ),
      ["${var.application_name}", "${var.application_name}-db-init"],
    ],
  },

  "Platform outputs of this variant": {
    cluster_name: [() => output("cluster_name"), `\${${ADDRESS.cluster}.name}`],
    cluster_endpoint: [() => output("cluster_endpoint"), `https://\${${ADDRESS.cluster}.endpoint}`],
    cluster_ca_certificate: [
      () => output("cluster_ca_certificate"),
      "${try(base64decode(local.cluster_certificate), null)}",
    ],
    namespace: [() => output("namespace"), "${local.namespace_name}"],
    connect_command: [
      () => output("connect_command"),
      `gcloud container clusters get-credentials \${${ADDRESS.cluster}.name} --location=\${var.region} --project=\${var.project_id}\${try(endswith(local.cluster_endpoint, ".goog"), false) ? " --dns-endpoint" : ""}`,
    ],
    "load_balancer_address: of the one way in that there is": [
      () => output("load_balancer_address"),
      "${var.domain != null ? one(google_compute_global_address.address_global[*].address) : one(google_compute_address.address_regional[*].address)}",
    ],
    "service_url: by the domain, or by the address": [
      () => output("service_url"),
      "https://${var.domain == null ? one(google_compute_address.address_regional[*].address) : var.domain}",
    ],
    "dns_records: what to enter, with a domain": [
      () => output("dns_records"),
      expect.stringMatching(
        /^\$\{concat\(\[for name in compact\(\[var\.domain\]\) : \{ name = name, type = "A", value = .* \}\], \[for record in .*\]\)\}$/,
      ),
    ],
  },

  "Behind a load balancer": {
    "The base of the application's links is where visitors come": [
      () => local("workload_baseline_environment").IDP_WEB__BASE_URL === output("service_url"),
      true,
    ],
    "The port of the server's own TLS is the one that the load balancer sends to": [
      () => [
        local("workload_baseline_environment").IDP_LISTEN__HTTPS,
        at(ADDRESS.loadBalancer, "spec.port.1.target_port"),
        factAt(server(), "port.1.container_port"),
      ],
      ["0.0.0.0:9443", "9443", 9443],
    ],
    "The metrics port is open to nobody": [
      () => [
        factAt(
          kubernetesResource("kubernetes_network_policy_v1.front_door_allow_ingress"),
          "spec.ingress.0.dynamic.ports.for_each",
        ),
        argumentOf("kubernetes_network_policy_v1.namespace_outbound", "spec.ingress"),
      ],
      [`\${var.domain != null ? [${CONTAINER_PORT}] : [${CONTAINER_PORT}, 9443]}`, ABSENT],
    ],
  },
});
