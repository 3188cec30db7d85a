import { ConfigurationGraph, expressionsIn, referencesIn } from "./configuration-graph";
import { KUBERNETES_ADDRESS, KUBERNETES_STACK_NAME, kubernetesTerraform } from "./kubernetes-stack";
import { ADDRESS, serverlessTerraform, STACK_NAME } from "./serverless-stack";
import { VARIANTS } from "./variants";

/** The gate of one API and what it takes to open it. */
const gate = (...apis: string[]) => [
  ...apis.flatMap((api) => [`google_project_service.apis_${api}`, `terraform_data.apis_${api}_answers`]),
  "terraform_data.apis_resource_manager",
];

/** What every other part outlives. */
const GUARDS = ["terraform_data.presence_guard", "terraform_data.identity_guard", ADDRESS.guard];

/** What a secret waits for: the secret store, and one of the database also for what the database waits for. */
const secretGate = (name: string) =>
  gate("secretmanager", ...(name.startsWith("database_") ? ["sqladmin", "compute"] : []));

/** A generated secret up to its stored version. */
const storedSecret = (name: string) => [
  ...secretGate(name),
  `google_secret_manager_secret.${name}`,
  `google_secret_manager_secret_version.${name}_version`,
  `ephemeral.random_password.${name}_candidate`,
];

/** The job for a test mail, which people execute when the service runs. */
const TEST_MAIL = "google_cloud_run_v2_job.test_mail";

const exactly = (...addresses: string[]) => [...new Set(addresses)].sort();

/** What the expressions of either folder may name that is no element: the folder, a provisioner's resource, loops. */
const ELSEWHERE = ["path.module", "self.enabled", "self.input", "self.version"];
const OF_OPERATIONS = ["database_flags.key", "database_flags.value"];
const OF_DOMAIN = ["record.data", "record.name", "record.type", "rule.key", "rule.value"];
const OF_SETTINGS = ["each.value", "reference.identity", "reference.secret_id", "reference.version"];
const OF_ALERTS = [
  ...["enabled", "exists", "id", "query", "threshold", "title"].map((name) => `alert.${name}`),
  "channel.id",
  "condition_matched_log.value",
  "condition_prometheus_query_language.value",
  "each.key",
];
const LOOPS: Readonly<Record<string, readonly string[]>> = {
  [STACK_NAME]: ["env.key", "env.value", ...OF_ALERTS, ...OF_DOMAIN, ...OF_OPERATIONS, ...OF_SETTINGS],
  [KUBERNETES_STACK_NAME]: [
    "cidr_blocks.key",
    "cidr_blocks.value",
    "egress.value",
    "env.key",
    "env.value",
    "from.value",
    "opened.secret_data",
    "ports.value",
    ...OF_ALERTS,
    ...OF_DOMAIN,
    ...OF_OPERATIONS,
    ...OF_SETTINGS,
  ],
};

describe.each(VARIANTS)("What starts after what, in $name,", ({ name, terraform }) => {
  const graph = new ConfigurationGraph(terraform());

  it("refers only to what exists", () => {
    const missing = graph.elements
      .flatMap((element) => graph.namedBy(element))
      .filter((named) => !graph.elements.includes(named));
    expect([...new Set(missing)].sort()).toEqual([...ELSEWHERE, ...(LOOPS[name] ?? [])].sort());
  });

  it("has no cycle", () => {
    expect(graph.elements.filter((element) => graph.startsAfter(element).includes(element))).toEqual([]);
  });

  it("reaches the cluster from its objects by the provider alone, so that one can be removed while the cluster changes", () => {
    const isOf = (platform: string) => (element: string) => element.startsWith(`${platform}_`);
    const detours = graph.elements.filter(isOf("kubernetes")).flatMap((object) =>
      graph
        .startsAfter(object)
        .filter(isOf("google"))
        .filter((element) => graph.startsAfter(element).includes("google_container_cluster.cluster"))
        .map((element) => `${object} after ${element}`),
    );
    expect(detours).toEqual([]);
  });

  it("names no dependency twice", () => {
    const repeated = Object.entries(terraform().resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, { depends_on: names = [] }]) => new Set(names as string[]).size < (names as string[]).length)
        .map(([id]) => `${type}.${id}`),
    );
    expect(repeated).toEqual([]);
  });
});

/** What shows or asks the address of the service. */
const WITH_ADDRESS = [
  "google_monitoring_uptime_check_config.monitoring_uptime_check",
  "google_monitoring_dashboard.monitoring_dashboard",
  "google_monitoring_alert_policy.monitoring_alerts",
];

/** What dumps the database, once the application has made its tables. */
const DUMP_JOBS = ["google_cloud_run_v2_job.dump_job", "google_cloud_run_v2_job.dump_at_apply"];
const DUMP_STARTS = [
  "google_cloud_run_v2_job_iam_member.dump_job_may_start",
  "google_cloud_scheduler_job.dump_job_schedule",
];

describe("What starts after what, in the serverless stack", () => {
  const graph = new ConfigurationGraph(serverlessTerraform());

  it("stores each secret as soon as the secret store answers, and the database's with the database", () => {
    for (const name of ["secrets_secret_key", "secrets_bootstrap_password", "database_password"]) {
      expect(graph.startsAfter(`google_secret_manager_secret.${name}`)).toEqual(exactly(...secretGate(name)));
      expect([...graph.startsAfter(`google_secret_manager_secret_version.${name}_version`)]).toEqual(
        exactly(...storedSecret(name)).filter((address) => !address.startsWith("google_secret_manager_secret_version")),
      );
    }
  });

  it("makes the bucket as soon as the storage API answers", () => {
    expect(graph.startsAfter(ADDRESS.bucket)).toEqual(exactly(...gate("storage")));
  });

  it("makes the database after its own API, the network's if there is one, and its administrator's password alone", () => {
    expect(graph.startsAfter(ADDRESS.database)).toEqual(
      exactly(...gate("sqladmin", "compute"), ...storedSecret("database_administrator_password")),
    );
  });

  it("builds the image while everything else is being made", () => {
    expect(graph.startsAfter(ADDRESS.build)).toEqual(
      exactly(
        ...gate("artifactregistry", "cloudbuild", "iam", "logging"),
        "google_artifact_registry_repository.registry",
        "google_artifact_registry_repository_iam_member.registry_builder_pushes",
        "google_project_iam_member.registry_builder_logs",
        "google_service_account.registry_builder",
      ),
    );
  });

  it.each(["initializer", "registry_builder", "runtime"])(
    "lets the account %s wait only for the identity API",
    (name) => {
      expect(graph.startsAfter(`google_service_account.${name}`)).toEqual(exactly(...gate("iam")));
    },
  );

  it.each([
    ["google_secret_manager_secret_iam_member.secrets_secret_key_runtime", "secrets_secret_key", "runtime"],
    [
      "google_secret_manager_secret_iam_member.secrets_bootstrap_password_runtime",
      "secrets_bootstrap_password",
      "runtime",
    ],
    ["google_secret_manager_secret_iam_member.database_password_runtime", "database_password", "runtime"],
    ["google_secret_manager_secret_iam_member.database_password_initializer", "database_password", "initializer"],
    [
      "google_secret_manager_secret_iam_member.database_administrator_password_initializer",
      "database_administrator_password",
      "initializer",
    ],
  ])("lets the grant %s wait only for the secret and the account", (grant, secret, account) => {
    expect(graph.startsAfter(grant)).toEqual(
      exactly(
        ...secretGate(secret),
        ...gate("iam"),
        `google_secret_manager_secret.${secret}`,
        `google_service_account.${account}`,
      ),
    );
  });

  it("stores the job's script, and lets the job read it, as soon as secret store and jobs answer", () => {
    const stored = [...gate("secretmanager", "run"), "google_secret_manager_secret.db_init_script"];
    expect(graph.startsAfter("google_secret_manager_secret_version.db_init_script_version")).toEqual(
      exactly(...stored),
    );
    expect(graph.startsAfter("google_secret_manager_secret_iam_member.db_init_script_reader")).toEqual(
      exactly(...stored, ...gate("iam"), "google_service_account.initializer"),
    );
  });

  it("lets the grant of the bucket wait only for the bucket and the account", () => {
    expect(graph.startsAfter("google_storage_bucket_iam_member.media_bucket_runtime")).toEqual(
      exactly(...gate("storage", "iam"), ADDRESS.bucket, "google_service_account.runtime"),
    );
  });

  it("prepares the database without waiting for image, bucket or the application's secrets", () => {
    const before = graph.startsAfter(ADDRESS.job);
    expect(before).toEqual(expect.arrayContaining([ADDRESS.database, ...gate("run")]));
    expect(before).toEqual(
      expect.arrayContaining([
        "google_project_iam_member.initializer_connects_to_database",
        "google_secret_manager_secret_iam_member.database_administrator_password_initializer",
        "google_secret_manager_secret_iam_member.database_password_initializer",
        "google_secret_manager_secret_iam_member.db_init_script_reader",
        "google_secret_manager_secret_version.db_init_script_version",
      ]),
    );
    expect(before.filter((address) => /storage|image|registry|secrets_|runtime/.test(address))).toEqual([]);
  });

  it("starts the service after everything but the load balancer of a domain, monitoring, dumps, and what these need", () => {
    const resources = graph.elements.filter((element) => /^(google|terraform)_/.test(element));
    const later =
      /[._](dump|edge|front_door|monitoring)_|dumper|[._](protected_identity|identity_check)$|apis_(certificatemanager|cloudscheduler|dns|monitoring)(_answers)?$/;
    expect(
      resources
        .filter((element) => !graph.startsAfter(ADDRESS.service).includes(element))
        .filter((element) => !later.test(element)),
    ).toEqual([...GUARDS, TEST_MAIL, ADDRESS.service]);
    expect(resources.filter((element) => graph.startsAfter(element).includes(ADDRESS.service))).toEqual([
      ...GUARDS,
      ...DUMP_JOBS,
      "google_compute_global_forwarding_rule.front_door_https_rule",
      ...DUMP_STARTS,
      ...WITH_ADDRESS,
    ]);
  });

  it("guards everything against accidental deletion", () => {
    const resources = graph.elements.filter((element) => /^(google|terraform)_/.test(element));
    expect(resources.filter((element) => !graph.startsAfter(ADDRESS.guard).includes(element))).toEqual([ADDRESS.guard]);
  });

  it("lets nothing that the proxy needs refer to the service, to which create-before-destroy would spread", () => {
    const before = graph.startsAfter("google_compute_target_https_proxy.front_door_https_proxy");
    expect(before).toContain("google_compute_region_network_endpoint_group.front_door_endpoint_group");
    expect(before).not.toContain(ADDRESS.service);
    expect(before).not.toContain(ADDRESS.database);
  });

  it("lets only the workers, the service, and those who wait for it, wait for the image, the database's preparation and the application's secrets together", () => {
    const waitForAll = graph.elements.filter(
      (element) =>
        !/^(local|output)\./.test(element) &&
        [ADDRESS.build, ADDRESS.job, ADDRESS.bucket, ADDRESS.secretKey].every((address) =>
          graph.startsAfter(element).includes(address),
        ),
    );
    expect(waitForAll).toEqual([
      ...GUARDS,
      ...DUMP_JOBS,
      "google_cloud_run_v2_worker_pool.worker",
      ADDRESS.service,
      "google_compute_global_forwarding_rule.front_door_https_rule",
      ...DUMP_STARTS,
      ...WITH_ADDRESS,
    ]);
  });
});

describe("What starts after what, in the Kubernetes stack", () => {
  const graph = new ConfigurationGraph(kubernetesTerraform());
  const startsAfter = (address: string) => graph.startsAfter(address);

  it("makes cluster, database, bucket and image side by side", () => {
    const sideBySide = [
      KUBERNETES_ADDRESS.cluster,
      KUBERNETES_ADDRESS.database,
      KUBERNETES_ADDRESS.bucket,
      KUBERNETES_ADDRESS.build,
    ];
    for (const address of sideBySide)
      expect(startsAfter(address).filter((before) => sideBySide.includes(before as never))).toEqual([]);
  });

  it("makes the cluster after its network, the account of its nodes and one stored secret alone", () => {
    expect(startsAfter(KUBERNETES_ADDRESS.cluster)).toEqual(
      exactly(
        ...gate("compute", "container", "iam"),
        ...storedSecret("database_password"),
        "google_compute_network.network",
        "google_compute_subnetwork.network_nodes",
        "google_project_iam_member.cluster_nodes_runs_nodes",
        "google_service_account.cluster_nodes",
      ),
    );
  });

  it("takes a name that the other variant shares before it makes anything that is billed", () => {
    const billed = graph.elements.filter((element) =>
      /^(google_compute_|google_container_|google_sql_|google_storage_bucket|kubernetes_|terraform_data\.image)/.test(
        element,
      ),
    );
    // Buckets and image have no other names than there.
    const shared = [
      KUBERNETES_ADDRESS.bucket,
      "google_storage_bucket.dump_bucket",
      "google_artifact_registry_repository.registry",
    ];
    const first = billed.filter(
      (element) =>
        ![...startsAfter(element), element].some(
          (before) => before.startsWith("google_secret_manager_secret.") || shared.includes(before),
        ),
    );
    expect(first).toEqual([]);
  });

  it("binds identities only when there is a pool of them, which the first cluster makes", () => {
    for (const name of ["cluster_initializer", "cluster_runtime"])
      expect(startsAfter(`google_service_account_iam_member.${name}`)).toContain(KUBERNETES_ADDRESS.cluster);
  });

  it("deletes what pods rely on only after the last pod: the namespace waits for their end", () => {
    expect(startsAfter(KUBERNETES_ADDRESS.namespace)).toEqual(
      expect.arrayContaining([
        KUBERNETES_ADDRESS.bucket,
        KUBERNETES_ADDRESS.cluster,
        KUBERNETES_ADDRESS.database,
        "google_compute_router_nat.network_nat",
        "google_project_service.apis_iamcredentials",
        "google_project_iam_member.initializer_connects_to_database",
        "google_project_iam_member.runtime_connects_to_database",
        "google_storage_bucket_iam_member.media_bucket_runtime",
      ]),
    );
  });

  it("puts every object of the cluster into the namespace, so it goes before the cluster and the load balancer before the network", () => {
    const objects = graph.elements.filter((element) => element.startsWith("kubernetes_"));
    expect(objects.length).toBeGreaterThan(12);
    const outside = objects.filter((object) => !startsAfter(object).includes(KUBERNETES_ADDRESS.namespace));
    expect(outside).toEqual([KUBERNETES_ADDRESS.namespace]);
    for (const object of objects)
      expect(startsAfter(object)).toEqual(
        expect.arrayContaining([KUBERNETES_ADDRESS.cluster, "google_compute_network.network"]),
      );
  });

  it("prepares the database without waiting for the image or the application's secrets", () => {
    const before = startsAfter(KUBERNETES_ADDRESS.job);
    expect(before).toEqual(
      expect.arrayContaining([
        KUBERNETES_ADDRESS.jobSecret,
        KUBERNETES_ADDRESS.script,
        "kubernetes_network_policy_v1.namespace_outbound",
        "kubernetes_service_account_v1.db_init_account",
      ]),
    );
    expect(
      before.filter((address) => /image|registry|secrets_secret_key|secrets_bootstrap|workload/.test(address)),
    ).toEqual([]);
  });

  it("starts the server after the prepared database, the image, its secrets and everything that it may do", () => {
    expect(startsAfter(KUBERNETES_ADDRESS.workload)).toEqual(
      expect.arrayContaining([
        KUBERNETES_ADDRESS.build,
        KUBERNETES_ADDRESS.job,
        KUBERNETES_ADDRESS.workloadSecret,
        "google_artifact_registry_repository_iam_member.registry_nodes",
        "google_project_iam_member.cluster_nodes_pulls_images",
        "kubernetes_service_account_v1.workload_account",
      ]),
    );
  });

  it("opens the address while the server starts, but not without its database, and the domain when its pods are there", () => {
    expect(startsAfter(KUBERNETES_ADDRESS.loadBalancer)).toContain(KUBERNETES_ADDRESS.job);
    expect(startsAfter(KUBERNETES_ADDRESS.loadBalancer)).not.toContain(KUBERNETES_ADDRESS.workload);
    expect(startsAfter(KUBERNETES_ADDRESS.loadBalancer)).not.toContain(KUBERNETES_ADDRESS.build);
    expect(startsAfter(KUBERNETES_ADDRESS.backend)).toContain(KUBERNETES_ADDRESS.job);
    expect(startsAfter(KUBERNETES_ADDRESS.ingress)).toContain(KUBERNETES_ADDRESS.workload);
  });

  it("spreads create-before-destroy from the certificate no further than to its address", () => {
    const certificate = startsAfter("google_compute_managed_ssl_certificate.front_door_certificate");
    expect(
      certificate.filter((address) => /^(google_compute_|google_container_|google_sql_|kubernetes_)/.test(address)),
    ).toEqual(["google_compute_address.address_regional", "google_compute_global_address.address_global"]);
  });

  it("stores the values of secrets only after what they are copied from", () => {
    const versions = (...names: string[]) =>
      names.map((name) => `google_secret_manager_secret_version.${name}_version`);
    expect(startsAfter(KUBERNETES_ADDRESS.workloadSecret)).toEqual(
      expect.arrayContaining(versions("secrets_secret_key", "secrets_bootstrap_password", "database_password")),
    );
    expect(startsAfter(KUBERNETES_ADDRESS.jobSecret)).toEqual(
      expect.arrayContaining(versions("database_password", "database_administrator_password")),
    );
  });

  it("guards everything in the state against accidental deletion", () => {
    const resources = graph.elements.filter((element) => /^(google|kubernetes|terraform)_/.test(element));
    expect(resources.filter((element) => !startsAfter(KUBERNETES_ADDRESS.guard).includes(element))).toEqual([
      KUBERNETES_ADDRESS.guard,
    ]);
  });
});

describe("The reading of references", () => {
  it("looks into string literals and nested expressions, and takes no literal for a reference", () => {
    const text = 'a.b ${f("x.y ${var.a} \\" z.w", google_x.y.id)} $${c.d} ${{k = {v = local.e}}["k"]}';
    expect(expressionsIn(text)).toEqual(["var.a", 'f("", google_x.y.id)', '{k = {v = local.e}}[""]']);
    expect(referencesIn({ list: [text] })).toEqual(["var.a", "google_x.y", "local.e"]);
  });
});
