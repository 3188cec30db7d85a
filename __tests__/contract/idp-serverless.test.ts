import { readFileSync } from "node:fs";

import { tenantPrefix } from "../../lib/core/names";
import { packageFile } from "../../lib/core/package-file";
import {
  CONTAINER_PORT,
  NEUTRAL_PREFIX,
  OLDEST_DATABASE_MAJOR_VERSION,
  SERVER_LISTENER,
  TRUSTED_PROXIES,
  UPSTREAM_PREFIX,
  WORKER_LISTENERS,
} from "../../lib/idp/contract";
import { atDefaults } from "../stacks/default-values";
import { asMade, isForExisting } from "../stacks/made-parts";
import { ABSENT, argumentAt } from "../stacks/provider-schema/argument-at";
import { ADDRESS, containerOf, serverlessResource, serverlessTerraform, STACK_NAME } from "../stacks/serverless-stack";
import { elementOf, factAt, testContract } from "./rows";

const variable = (name: string) => elementOf(serverlessTerraform().variable, name);
const made = <Value>(value: Value) => asMade(serverlessTerraform(), value);
const output = (name: string) => made(elementOf(serverlessTerraform().output, name).value);
const local = (name: string) => made(elementOf(serverlessTerraform().locals, name));
const ephemeral = (type: string, name: string) => elementOf(elementOf(serverlessTerraform().ephemeral, type), name);
const resourcesOf = (type: string) => elementOf(serverlessTerraform().resource, type);
const variablesLike = (pattern: RegExp) =>
  Object.keys(serverlessTerraform().variable ?? {}).filter((name) => pattern.test(name));
const typesOf = (pattern: RegExp) =>
  Object.keys(serverlessTerraform().resource ?? {}).filter((type) => pattern.test(type));
const service = () => made(containerOf(ADDRESS.service));
const job = () => made(containerOf(ADDRESS.job));
const ofService = (path: string) => factAt(service(), path);
const jobVariables = () => factAt(job(), "dynamic.env.for_each") as Readonly<Record<string, unknown>>;
const jobVariable = (name: string) => elementOf(jobVariables(), name);
const baseline = (name: string) => factAt(local("application_environment"), name);
const at = (address: string, path: string) => factAt(serverlessResource(address), path);

const file = (path: string) => readFileSync(packageFile(path), "utf8");
const entrypoint = () => file("image/cloud-entrypoint.sh");
const dbInit = () => file("lib/idp/scripts/db-init.sh");

/** Which mode each host of a database has, as the cases of the entrypoint's function. */
const sslModes = () => {
  const [, cases = ""] = /^ssl_mode_of\(\) \{\n  case \$1 in\n([^]*?)\n  esac\n\}$/m.exec(entrypoint()) ?? [];
  return cases.split("\n").map((line) => line.replace(" ;;", "").trim());
};

/** Instructions of the image, without comments and continued lines in one. */
const instructions = () =>
  file("image/Dockerfile")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "");

/** Names of an `env` list with where each value is read. */
const secretOf = (container: unknown, name: string) => {
  const entries = (container as { env: { name: string; value_source: { secret_key_ref: { secret: string } } }[] }).env;
  return entries.find((entry) => entry.name === name)?.value_source.secret_key_ref.secret;
};

/** By its name, because there may be no account. */
const DUMPER_READS =
  'roles/secretmanager.secretAccessor to serviceAccount:idp-dump-${substr(sha256(join("-", [local.tenant_prefix, var.application_name])), 0, 12)}@${var.project_id}.iam.gserviceaccount.com';

const CHECKER_READS = DUMPER_READS.replace("idp-dump", "idp-check");

const PROBER_READS = DUMPER_READS.replace("idp-dump", "idp-probe");

const RECOVERER_READS = DUMPER_READS.replace("idp-dump", "idp-recover");

const readerIs = (account: string) =>
  `roles/secretmanager.secretAccessor to serviceAccount:\${google_service_account.${account}.email}`;

/** What stands there while nobody sets an input. */
const byDefault = (value: unknown) => atDefaults(serverlessTerraform(), value);

type Probe = "liveness_probe" | "startup_probe";

/** Delay, period and failures of a probe. */
const probeTiming = (probe: Probe) =>
  ["initial_delay_seconds", "period_seconds", "failure_threshold"].map((field) =>
    Number(byDefault(ofService(`${probe}.${field}`))),
  );

/** How long a probe may fail before something is done. */
const probeSeconds = (probe: Probe) => {
  const [delay = 0, period = 0, failures = 0] = probeTiming(probe);
  return delay + period * failures;
};

const WORKER_PORTS = {
  IDP_LISTEN__HTTP: "127.0.0.1:9001",
  IDP_LISTEN__HTTPS: "127.0.0.1:9444",
  IDP_LISTEN__METRICS: "127.0.0.1:9301",
};

/** Position of each text in a file, in the order given. */
const positions = (text: string, ...parts: string[]) => parts.map((part) => text.indexOf(part));
const isAscending = (numbers: number[]) =>
  numbers.every((number, index) => number >= 0 && number > (numbers[index - 1] ?? -1));

testContract(STACK_NAME, {
  "What the service does": {
    "Cryptographic secrets: generates a stable application secret key (64 random characters) and a bootstrap password for the built-in administrator user (24 characters); stores both in the managed secret store; injected automatically into the container; environment variables IDP_SECRET_KEY, IDP_BOOTSTRAP_PASSWORD":
      [
        () => made([secretOf(service(), "IDP_SECRET_KEY"), secretOf(service(), "IDP_BOOTSTRAP_PASSWORD")]),
        [`\${${ADDRESS.secretKey}.secret_id}`, `\${${ADDRESS.bootstrapPassword}.secret_id}`],
      ],
    "Container image: thin wrapper image built on the upstream identity-provider server image, with a cloud entrypoint script. The image definition therefore derives its base tag from an application-specific build argument, IDP_VERSION":
      [
        () => instructions().filter((line) => /^(FROM|COPY|ENTRYPOINT)/.test(line)),
        [
          "FROM ${TOOLS_IMAGE} AS tools",
          "FROM ${UPSTREAM_IMAGE}:${IDP_VERSION}",
          "COPY --from=tools /opt/cloud-entrypoint /opt/cloud-entrypoint",
          "COPY cloud-entrypoint.sh /cloud-entrypoint.sh",
          "COPY connection-pool.sh watch-worker.py /",
          'ENTRYPOINT ["dumb-init", "--", "/cloud-entrypoint.sh"]',
        ],
      ],
    "Container image: built by a managed image build": [
      () => at(ADDRESS.build, "provisioner.0.local-exec.command"),
      'sh "${path.module}/scripts/build-image.sh"',
    ],
    "Container image: output container_image of the platform deployment; container_image output, built image reference":
      [
        () => [output("container_image"), service().image, local("image_reference")],
        [
          ...Array<string>(2).fill("${coalesce(var.existing_container_image, local.image_reference)}"),
          expect.stringContaining("-docker.pkg.dev/${var.project_id}/${var.application_name}-${local.tenant_prefix}/"),
        ],
      ],
    "Database bootstrap: one first-deployment job named db-init that creates the role and database; output initialization_jobs, includes db-init":
      [() => output("initialization_jobs"), { "db-init": `\${${ADDRESS.job}.name}` }],
    "Media storage: a storage bucket mounted at /media via an object-storage file-system mount, for uploaded application icons and flow backgrounds; output storage_buckets, includes the media bucket":
      [() => output("storage_buckets"), { storage: `\${${ADDRESS.bucket}.name}` }],
    "Worker co-location: the entrypoint starts the background worker (ak worker) in the same container as the server": [
      () => /^ +become setsid ak worker$/m.test(entrypoint()),
      true,
    ],
    "Health checks: default startup probe and liveness probe, both unauthenticated. This is mandatory because the platform front end and the Kubernetes kubelet probe without credentials. Both endpoints are plain HTTP GET on the container port 9000. GET /-/health/ready/: startup probe: ready once migrations have completed and the database is reachable; no credentials, no body; HTTP 200. GET /-/health/live/: liveness probe: lightweight process-alive check; no credentials, no body; HTTP 200. Probe answered with 401 or 403: the revision or pod stays unready; none asks a page that could":
      [
        () => [ofService("startup_probe.http_get"), ofService("liveness_probe.http_get")],
        [
          { path: "/-/health/ready/", port: CONTAINER_PORT },
          { path: "/-/health/live/", port: CONTAINER_PORT },
        ],
      ],
    "The prefix is written IDP_, a neutral stand-in used throughout, for the upstream's own": [
      () => [NEUTRAL_PREFIX, entrypoint().includes(`${NEUTRAL_PREFIX}?*) `), UPSTREAM_PREFIX],
      ["IDP_", true, "AUTHENTIK_"],
    ],
  },

  "Secrets in the managed secret store": {
    "Secret names follow secret-<tenant-prefix>-<application-name>-*. Application secret key: name suffix -secret-key":
      [
        () => serverlessResource(ADDRESS.secretKey).secret_id,
        "secret-${local.tenant_prefix}-${var.application_name}-secret-key",
      ],
    "Bootstrap password: name suffix -bootstrap-password": [
      () => serverlessResource(ADDRESS.bootstrapPassword).secret_id,
      "secret-${local.tenant_prefix}-${var.application_name}-bootstrap-password",
    ],
    "Bootstrap password: initial password of the built-in administrator user. Applied on first start only, together with IDP_BOOTSTRAP_EMAIL. Later changes happen inside the application. An explicit input bootstrap_password overrides the generated value: optional override of the generated bootstrap password":
      [
        () =>
          serverlessResource("google_secret_manager_secret_version.secrets_bootstrap_password_version").secret_data_wo,
        "${coalesce(var.bootstrap_password, ephemeral.random_password.secrets_bootstrap_password_candidate.result)}",
      ],
    "The database password is generated and managed separately by the foundation layer": [
      () => serverlessResource("google_secret_manager_secret.database_password").secret_id,
      "secret-${local.tenant_prefix}-${var.application_name}-database-password",
    ],
    "Secrets are read with the secret store's normal access-latest-version operation, by secret name. Platform output database_password_secret: name of the database password secret":
      [
        () => [
          [output("secret_key_secret"), output("bootstrap_password_secret"), output("database_password_secret")],
          new Set(
            ["enabled", "deletion_policy"].flatMap((argument) =>
              Object.values(resourcesOf("google_secret_manager_secret_version")).map((version) =>
                argumentAt("google_secret_manager_secret_version", version, argument),
              ),
            ),
          ),
        ],
        [
          [
            `\${${ADDRESS.secretKey}.secret_id}`,
            `\${${ADDRESS.bootstrapPassword}.secret_id}`,
            "${google_secret_manager_secret.database_password.secret_id}",
          ],
          new Set([ABSENT]),
        ],
      ],
    "Listing can be filtered by the substring of the application name": [
      () =>
        Object.values(resourcesOf("google_secret_manager_secret")).every(({ secret_id: id }) =>
          String(id).includes("-${var.application_name}-"),
        ),
      true,
    ],
  },

  "Baseline environment (overridable through the input environment_variables)": {
    "IDP_BOOTSTRAP_EMAIL: a default administrator address": [
      () => /^[^@\s]+@[^@\s]+$/.test(String(baseline("IDP_BOOTSTRAP_EMAIL"))),
      true,
    ],
    "IDP_ERROR_REPORTING__ENABLED: false": [() => baseline("IDP_ERROR_REPORTING__ENABLED"), "false"],
    "IDP_DISABLE_UPDATE_CHECK: true": [() => baseline("IDP_DISABLE_UPDATE_CHECK"), "true"],
    "IDP_LOG_LEVEL: info": [() => byDefault(baseline("IDP_LOG_LEVEL")), "info"],
    "Overridable through the input environment_variables: overrides of the baseline environment": [
      () => local("service_environment"),
      `\${merge(${[
        "local.application_environment",
        "local.service_baseline_environment",
        "var.environment_variables",
        "local.service_required_environment",
      ].join(", ")})}`,
    ],
    "Without the base of the links, where there is no domain": [
      () => String(ofService("dynamic.env.0.for_each")).split(" && ")[0],
      "${{ for name, value in local.service_environment : name => value if value != null",
    ],
  },

  "Database variables mapped by the entrypoint": {
    "The platform injects DB_HOST, DB_PORT, DB_NAME, DB_USER. The mapping is done in the entrypoint because the serverless variant does not interpolate $(VAR) references":
      [
        () => local("service_required_environment"),
        {
          [TRUSTED_PROXIES]: expect.any(String) as unknown,
          DB_HOST: `/cloudsql/\${${ADDRESS.database}.connection_name}`,
          DB_PORT: "5432",
          DB_NAME: "${local.database_name}",
          DB_USER: "${local.database_name}",
          ...SERVER_LISTENER,
        },
      ],
    "The platform injects DB_PASSWORD": [
      () => secretOf(service(), "DB_PASSWORD"),
      "${google_secret_manager_secret.database_password.secret_id}",
    ],
    "At runtime the entrypoint aliases them onto IDP_POSTGRESQL__HOST, IDP_POSTGRESQL__PORT, IDP_POSTGRESQL__NAME, IDP_POSTGRESQL__USER, IDP_POSTGRESQL__PASSWORD":
      [
        () => [
          /for ce_part in (.*); do\n.*DB_\$ce_part/.exec(entrypoint())?.[1]?.split(" "),
          entrypoint().includes('copy "DB_$ce_part" "IDP_POSTGRESQL__$ce_part"'),
        ],
        [["HOST", "PORT", "NAME", "USER", "PASSWORD"], true],
      ],
    "A target variable that is already set explicitly is never overridden": [
      () => entrypoint().includes('&& ! is_configured "POSTGRESQL__$ce_part"'),
      true,
    ],
  },

  "Media bucket": {
    "Name formula bkt-<application_name><tenant-prefix>-storage (application-scoped). Bucket name suffix storage, application-scoped":
      [() => serverlessResource(ADDRESS.bucket).name, "bkt-${var.application_name}${local.tenant_prefix}-storage"],
    "Mount path /media": [() => ofService("volume_mounts.0"), { name: "storage", mount_path: "/media" }],
    "Mount ownership uid=1000, gid=1000 (the upstream runtime user)": [
      () => at(ADDRESS.service, "template.volumes.0.gcs.mount_options"),
      expect.arrayContaining(["uid=1000", "gid=1000"]),
    ],
    "Content: plain files, no locking requirements; survive instance replacement and scaling": [
      () => made(at(ADDRESS.service, "template.volumes.0.gcs")),
      expect.objectContaining({ bucket: `\${${ADDRESS.bucket}.name}`, read_only: false }),
    ],
    "Tenant-prefix derivation: the tenant and a hash of the project": [
      () => [local("tenant_prefix"), tenantPrefix("demo", "my-project")],
      ["${var.tenant_id}-${substr(sha256(var.project_id), 0, 6)}", "demo-1c7cd9"],
    ],
  },

  "Database objects created by db-init": {
    "An application role, tenant-scoped, with the generated database password": [
      () => [local("database_name"), secretOf(job(), "DB_PASSWORD")],
      [
        '${replace(join("_", ["db", local.tenant_prefix, var.application_name]), "-", "_")}',
        "${google_secret_manager_secret.database_password.secret_id}",
      ],
    ],
    "An application database, owned by the postgres login (that login cannot switch to application roles)": [
      () => [jobVariable("DB_ADMIN_USER"), dbInit().includes('CREATE DATABASE :"database"')],
      ["postgres", true],
    ],
    "With full privileges granted on the database and on the public schema": [
      () => [
        dbInit().includes('GRANT ALL ON DATABASE :"database" TO :"role";'),
        dbInit().includes('GRANT ALL ON SCHEMA public TO :"role";'),
      ],
      [true, true],
    ],
    "The managed-superuser role granted to the application role, defensively, so later extension creation in upstream migrations is a no-op. Grant the managed-superuser role to the application role. Extension creation by the application role without superuser rights: migration failure of type must-be-superuser; prevented by the defensive grant in db-init":
      [
        () => [jobVariable("DB_MANAGED_SUPERUSER_ROLE"), dbInit().includes('GRANT :"managed_superuser" TO :"role";')],
        ["cloudsqlsuperuser", true],
      ],
    "Database, user and instance names are tenant-prefixed and reported in the platform outputs": [
      () => [
        output("database_name"),
        output("database_user"),
        output("database_instance_name"),
        made(serverlessResource(ADDRESS.database).name),
      ],
      [
        "${local.database_name}",
        "${local.database_name}",
        `\${${ADDRESS.database}.name}`,
        "sql-${local.tenant_prefix}-${var.application_name}",
      ],
    ],
  },

  "Platform inputs and outputs named here": {
    "application_version input, latest": [() => variable("application_version").default, "latest"],
    "bootstrap_password input, optional": [() => variable("bootstrap_password").default, null],
    "environment_variables input": [() => variable("environment_variables").type, "map(string)"],
  },

  "States and transitions": {
    "The layer defines no lifecycle states for its resources. The db-init job runs once at first deployment and completes when its last step finishes. Its steps, in order. Create or update the application role with the generated password. Create the application database if missing and grant privileges. The job is idempotent":
      [
        () => /^prepare\(\) \{\n([^}]*)\}/m.exec(dbInit())?.[1]?.trim().split(/\s+/),
        [
          "wait_until_reachable",
          "create_or_update_role",
          "create_database",
          "grant_privileges",
          "grant_managed_superuser",
        ],
      ],
    "Wait until PostgreSQL is reachable, through the proxy socket directory in the serverless variant": [
      () => jobVariable("DB_HOST"),
      `/cloudsql/\${${ADDRESS.database}.connection_name}`,
    ],
    "Signal the database proxy sidecar to shut down: there is none in the serverless variant": [
      () => [dbInit().includes('"${DB_PROXY_QUIT_URL:=}"'), Object.hasOwn(jobVariables(), "DB_PROXY_QUIT_URL")],
      [true, false],
    ],
    "Server start, every startup: the server applies its own schema migrations under a PostgreSQL advisory lock, so concurrent instances do not collide. The entrypoint has no migration step and there is no separate migrate job":
      [
        () => [
          /ak +migrate/.test(entrypoint()),
          // Others exist on request only: they dump the database, or send a test mail.
          Object.entries(resourcesOf("google_cloud_run_v2_job"))
            .filter(([, { count }]) => count === undefined)
            .map(([name]) => name),
        ],
        [false, ["db_init"]],
      ],
    "Version upgrade, new revision started: the first instance of the new revision migrates the schema; the startup probe's threshold keeps the rollout waiting, about 11 minutes before the rollout is failed":
      [
        () => {
          const service = serverlessResource(ADDRESS.service);
          return [probeSeconds("startup_probe"), factAt(service, "timeouts.update"), service.traffic];
        },
        [660, "30m", [{ percent: 100, type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST" }]],
      ],
    "Entrypoint start, always: the entrypoint maps DB variables, sets the SSL mode, starts the worker in the background, then replaces itself with the server process":
      [
        () => [
          isAscending(
            positions(
              entrypoint(),
              "\nmap_variables() {\n",
              "\n  map_database_variables\n",
              "\n  choose_ssl_mode\n",
              "\nmain() {\n",
              "\n  map_variables\n",
              '\n    server) run_server "$@" ;;\n',
            ),
          ),
          isAscending(positions(entrypoint(), "\n  supervise_worker &\n", '\n  hold become setsid ak "$@"\n')),
          /^become\(\) \{\n(?:  .*\n)*  exec "\$@"\n\}$/m.test(entrypoint()),
        ],
        [true, true, true],
      ],
    "Edit of entrypoint or image definition: takes effect only after an image rebuild": [
      () => at(ADDRESS.build, "triggers_replace"),
      { image: "${local.image_reference}" },
    ],
    "Edit of the db-init script: mounted at apply time; takes effect on the next apply without a rebuild": [
      () => [
        serverlessResource("google_secret_manager_secret_version.db_init_script_version").secret_data,
        at("terraform_data.db_init_trigger", "triggers_replace.script"),
        String(local("image_reference")).includes("db-init"),
      ],
      [
        '${filebase64("${path.module}/scripts/db-init.sh")}',
        '${filesha256("${path.module}/scripts/db-init.sh")}',
        false,
      ],
    ],
  },

  Authentication: {
    "Probes must not be pointed at authenticated pages: an endpoint answering 401 or 403 to the prober keeps the revision or pod permanently unready; no input says where they point":
      [
        () => [
          variablesLike(/path|health/),
          ["startup_probe", "liveness_probe"].filter((probe) =>
            /path|port|host/.test(String(factAt(variable(probe), "type"))),
          ),
        ],
        [[], []],
      ],
    "First login uses the built-in administrator user with the bootstrap password read from the managed secret store": [
      () => factAt(output("first_sign_in"), "password_command"),
      "gcloud secrets versions access ${google_secret_manager_secret_version.secrets_bootstrap_password_version.version}" +
        ` --secret=\${${ADDRESS.bootstrapPassword}.secret_id} --project=\${var.project_id}`,
    ],
    "Access to the stored secrets is through the secret store's access controls and workload identity, as defined by the foundation layer":
      [
        () =>
          Object.fromEntries(
            Object.entries(resourcesOf("google_secret_manager_secret_iam_member"))
              .filter(([name]) => !isForExisting(name))
              .map(([name, { role, member }]) => [name, `${String(role)} to ${String(made(member))}`]),
          ),
        {
          check_up_job_script_reader: CHECKER_READS,
          database_administrator_password_initializer: readerIs("initializer"),
          database_password_checker: CHECKER_READS,
          database_password_dumper: DUMPER_READS,
          database_password_initializer: readerIs("initializer"),
          database_password_recoverer: RECOVERER_READS,
          database_password_runtime: readerIs("runtime"),
          db_init_script_reader: readerIs("initializer"),
          dump_at_apply_script_reader: DUMPER_READS,
          dump_job_script_reader: DUMPER_READS,
          event_retention_job_script_reader: readerIs("runtime"),
          existing_secrets_recoverer: RECOVERER_READS,
          existing_secrets_runtime: readerIs("runtime"),
          former_login_script_reader: readerIs("initializer"),
          recovery_access_job_script_reader: RECOVERER_READS,
          recovery_access_link_reader: "roles/secretmanager.secretAccessor to ${try(var.recovery_access.reader, null)}",
          recovery_access_link_recoverer: RECOVERER_READS.replace("secretAccessor", "secretVersionManager"),
          secrets_bootstrap_password_runtime: readerIs("runtime"),
          secrets_bootstrap_token_runtime: readerIs("runtime"),
          secrets_ldap_password_runtime: readerIs("runtime"),
          secrets_ldap_token_runtime: readerIs("runtime"),
          secrets_radius_secret_runtime: readerIs("runtime"),
          secrets_radius_token_runtime: readerIs("runtime"),
          secrets_sign_in_probe_password_prober: PROBER_READS,
          secrets_sign_in_probe_password_runtime: readerIs("runtime"),
          sign_in_probe_job_script_reader: PROBER_READS,
          secrets_secret_key_recoverer: RECOVERER_READS,
          secrets_secret_key_runtime: readerIs("runtime"),
        },
      ],
  },

  Errors: {
    "Startup probe failing for longer than its threshold: the rollout is failed, and the apply sees it": [
      () => {
        const { create, update } = serverlessResource(ADDRESS.service).timeouts as Record<string, string>;
        return [create, update].map((limit) => Number.parseInt(String(limit), 10) * 60 > probeSeconds("startup_probe"));
      },
      [true, true],
    ],
    "Application secret key: generated once. Signs sessions and cookies; internal encryption is derived from it. Must stay stable for the life of the deployment. Rotating it invalidates every active session and makes encrypted fields (stored credentials, tokens) unreadable. Secret key rotated: all sessions invalidated; encrypted fields unreadable. Only a number that is accepted changes it, and its secret is protected":
      [
        () => [
          serverlessResource("google_secret_manager_secret_version.secrets_secret_key_version").secret_data_wo_version,
          variablesLike(/(^|_)key(_|$)/),
          serverlessResource(ADDRESS.secretKey).deletion_protection,
        ],
        ["${var.secret_key.version}", ["secret_key"], "${var.deletion_protection}"],
      ],
  },

  Limits: {
    "Application secret key length: 64 characters; Application secret key: 64 random chars": [
      () => ephemeral("random_password", "secrets_secret_key_candidate").length,
      64,
    ],
    "Bootstrap password length: 24 characters; Bootstrap password: 24 random chars": [
      () => ephemeral("random_password", "secrets_bootstrap_password_candidate").length,
      24,
    ],
    "Container port: 9000; the container listens on port 9000; the server keeps the default 0.0.0.0:9000": [
      () => [ofService("ports.container_port"), SERVER_LISTENER.IDP_LISTEN__HTTP],
      [9000, "0.0.0.0:9000"],
    ],
    "Worker loopback ports: HTTP 9001, HTTPS 9444, metrics 9301; IDP_LISTEN__HTTP 127.0.0.1:9001, IDP_LISTEN__HTTPS 127.0.0.1:9444, IDP_LISTEN__METRICS 127.0.0.1:9301. The co-located worker is started with these and no others. Both processes share IDP_SECRET_KEY and the PostgreSQL-backed task queue. Worker and server both bind port 9000 in one container: the worker can win the bind and answer every route, health endpoints included, with empty HTTP 200 responses (blank UI, phantom-healthy probes). Prevented by the loopback listen ports for the worker":
      [
        () => [
          [workerListeners(), WORKER_LISTENERS],
          /\nsupervise_worker[^]*/.exec(entrypoint())?.[0].match(/(?<=export .*)\w+(?==)/g),
        ],
        [
          [WORKER_PORTS, WORKER_PORTS],
          ["LISTEN__HTTP", "LISTEN__HTTPS", "LISTEN__METRICS", "TMPDIR"],
        ],
      ],
    "Startup probe: 60 s delay, 15 s period, 40 failures; Startup (/-/health/ready/): initial delay 60 s, period 15 s, failure threshold 40":
      [() => probeTiming("startup_probe"), [60, 15, 40]],
    "Liveness probe: 60 s delay, 30 s period, 3 failures; Liveness (/-/health/live/): initial delay 60 s, period 30 s, failure threshold 3":
      [() => probeTiming("liveness_probe"), [60, 30, 3]],
    "PostgreSQL: 15 fixed; minimum supported by the application 14. PostgreSQL major version is fixed at 15; the application minimum is 14. Database engine: fixes PostgreSQL 15 as the only supported engine (the application requires PostgreSQL >= 14; MySQL is unsupported)":
      [
        () => [
          byDefault(serverlessResource(ADDRESS.database).database_version),
          factAt(variable("database_version"), "validation.0.condition"),
          variablesLike(/engine/),
          OLDEST_DATABASE_MAJOR_VERSION,
        ],
        ["POSTGRES_15", "${contains([15, 16, 17], var.database_version)}", [], 14],
      ],
    "Serverless variant defaults: cpu_always_allocated = true, min_instance_count = 1 (the worker must keep running between requests)":
      [
        () => [
          [ofService("resources.cpu_idle"), variable("cpu_always_allocated").default],
          [at(ADDRESS.service, "scaling.min_instance_count"), variable("min_instance_count").default],
        ],
        [
          ["${!var.cpu_always_allocated}", true],
          // None where a second region has taken over.
          ["${local.standby_is_promoted ? 0 : var.min_instance_count}", 1],
        ],
      ],
    "Default SSL mode (IDP_POSTGRESQL__SSLMODE) when DB host is a Unix-socket directory or loopback: disable (the proxy is TLS-terminated and does not speak SSL itself). SSL is required on a loopback (127.0.0.1 or localhost) proxy connection: connection fails with a message that the server does not support SSL although SSL was required":
      [
        () => [entrypoint().includes('default_to IDP_POSTGRESQL__SSLMODE "$(ssl_mode_of "$ce_value")"'), sslModes()[0]],
        [true, "/* | localhost | 127.0.0.1 | ::1) echo disable"],
      ],
    "Default SSL mode when connecting by direct TCP to any other host: require": [
      () => sslModes().slice(1),
      ["*) echo require"],
    ],
  },

  Versioning: {
    "The upstream image publishes only version tags; no latest tag exists. application_version: latest is pinned at build time. When application_version is latest, the build pins a known-good release, 2026.5.4":
      [
        () => [at(ADDRESS.build, "provisioner.0.local-exec.environment.IDP_VERSION"), local("image_base_tag")],
        ["${local.image_base_tag}", '${var.application_version == "latest" ? "2026.5.4" : var.application_version}'],
      ],
    "The foundation injects APP_VERSION into the image build arguments and wins the merge": [
      () => [
        at(ADDRESS.build, "provisioner.0.local-exec.environment.APP_VERSION"),
        instructions().includes("ARG APP_VERSION"),
      ],
      ["${var.application_version}", true],
    ],
    "Application version 2025.10 or later keeps cache, sessions, task queue and channel layer in PostgreSQL. No cache service: the application (version >= 2025.10) keeps cache, sessions, task queue and WebSocket channel layer in PostgreSQL; no Redis-style cache is provisioned":
      [
        () => [
          String(factAt(variable("application_version"), "validation.0.condition")).includes(">= 202510"),
          typesOf(/redis|memcache|memorystore/),
        ],
        [true, []],
      ],
    "Schema migrations run automatically on every server start; upgrades need no extra step": [
      () => [
        instructions().at(-1),
        /^  exec ak "\$@"\n\}\n\nmain "\$@"$/m.test(entrypoint()),
        Object.keys(factAt(serverlessResource("terraform_data.db_init_trigger"), "triggers_replace") as object),
      ],
      [
        'CMD ["server"]',
        true,
        // No release among them: an upgrade does not run the job again.
        ["script", "image", "instance", "database", "user", "password_version", "administrator_password_version"],
      ],
    ],
  },
});

/** What the entrypoint sets for the worker alone, under the neutral prefix. */
function workerListeners(): Record<string, string> {
  const lines = entrypoint().matchAll(/^ +export "\$\{UPSTREAM_PREFIX\}(LISTEN__\w+)=(.*)"$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [`IDP_${name}`, value]));
}
