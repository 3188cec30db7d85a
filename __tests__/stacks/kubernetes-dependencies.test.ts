import { ConfigurationGraph } from "./configuration-graph";
import { KUBERNETES_ADDRESS, kubernetesTerraform } from "./kubernetes-stack";

const ADDRESS = KUBERNETES_ADDRESS;

let graph: ConfigurationGraph;

beforeAll(() => {
  graph = new ConfigurationGraph(kubernetesTerraform());
});

const startsAfter = (address: string) => graph.startsAfter(address);

describe("What starts after what, in the Kubernetes stack", () => {
  it("refers only to what exists", () => {
    const missing = graph.elements
      .flatMap((element) => graph.namedBy(element))
      .filter((name) => !graph.elements.includes(name));
    // The folder itself, the variables of dynamic blocks, and the guard's own value at destroy.
    expect([...new Set(missing)].sort()).toEqual(
      [
        "cidr_blocks.key",
        "cidr_blocks.value",
        "env.key",
        "env.value",
        "from.value",
        "path.module",
        "ports.value",
        "self.input",
      ].sort(),
    );
  });

  it("has no cycle", () => {
    expect(graph.elements.filter((element) => startsAfter(element).includes(element))).toEqual([]);
  });

  it("makes cluster, database, bucket and image side by side", () => {
    const sideBySide = [ADDRESS.cluster, ADDRESS.database, ADDRESS.bucket, ADDRESS.build];
    for (const address of sideBySide)
      expect(startsAfter(address).filter((before) => sideBySide.includes(before as never))).toEqual([]);
  });

  it("makes the cluster after its network and the account of its nodes alone", () => {
    expect(
      startsAfter(ADDRESS.cluster).filter((address) => !/^(terraform_data|google_project_service)\./.test(address)),
    ).toEqual([
      "google_compute_network.network",
      "google_compute_subnetwork.network_nodes",
      "google_project_iam_member.cluster_nodes_runs_nodes",
      "google_service_account.cluster_nodes",
    ]);
  });

  it("binds identities only when there is a pool of them, which the first cluster makes", () => {
    for (const name of ["cluster_initializer", "cluster_runtime"])
      expect(startsAfter(`google_service_account_iam_member.${name}`)).toContain(ADDRESS.cluster);
  });

  it("deletes what pods rely on only after the last of them: the namespace waits for their end", () => {
    expect(startsAfter(ADDRESS.namespace)).toEqual(
      expect.arrayContaining([
        ADDRESS.bucket,
        ADDRESS.cluster,
        ADDRESS.database,
        "google_compute_router_nat.network_way_out",
        "google_project_iam_member.initializer_connects_to_database",
        "google_project_iam_member.runtime_connects_to_database",
        "google_service_account_iam_member.cluster_initializer",
        "google_service_account_iam_member.cluster_runtime",
        "google_storage_bucket_iam_member.media_bucket_runtime",
      ]),
    );
  });

  it("puts every object of the cluster into the namespace, so it goes before the cluster and the load balancer before the network", () => {
    const objects = graph.elements.filter((element) => element.startsWith("kubernetes_"));
    expect(objects.length).toBeGreaterThan(12);
    const outside = objects.filter((object) => !startsAfter(object).includes(ADDRESS.namespace));
    expect(outside).toEqual([ADDRESS.namespace]);
    for (const object of objects)
      expect(startsAfter(object)).toEqual(expect.arrayContaining([ADDRESS.cluster, "google_compute_network.network"]));
  });

  it("prepares the database without waiting for the image or the application's secrets", () => {
    const before = startsAfter(ADDRESS.job);
    expect(before).toEqual(
      expect.arrayContaining([
        ADDRESS.jobSecret,
        ADDRESS.script,
        "kubernetes_network_policy_v1.namespace_outbound",
        "kubernetes_service_account_v1.initializer_account",
      ]),
    );
    expect(
      before.filter((address) => /image|registry|secrets_secret_key|secrets_bootstrap|workload/.test(address)),
    ).toEqual([]);
  });

  it("starts the server after the prepared database, the image, its secrets and everything that it may do", () => {
    expect(startsAfter(ADDRESS.workload)).toEqual(
      expect.arrayContaining([
        ADDRESS.build,
        ADDRESS.job,
        ADDRESS.workloadSecret,
        "google_artifact_registry_repository_iam_member.registry_nodes",
        "google_project_iam_member.cluster_nodes_pulls_images",
        "kubernetes_service_account_v1.runtime_account",
      ]),
    );
  });

  it("opens the address while the server starts, and the domain when its pods are there", () => {
    expect(startsAfter(ADDRESS.loadBalancer)).not.toContain(ADDRESS.workload);
    expect(startsAfter(ADDRESS.loadBalancer)).not.toContain(ADDRESS.job);
    expect(startsAfter(ADDRESS.ingress)).toContain(ADDRESS.workload);
  });

  it("stores the values of secrets only after what they are copied from", () => {
    const versions = (...names: string[]) =>
      names.map((name) => `google_secret_manager_secret_version.${name}_version`);
    expect(startsAfter(ADDRESS.workloadSecret)).toEqual(
      expect.arrayContaining(versions("secrets_secret_key", "secrets_bootstrap_password", "database_password")),
    );
    expect(startsAfter(ADDRESS.jobSecret)).toEqual(
      expect.arrayContaining(versions("database_password", "database_administrator_password")),
    );
  });

  it("guards everything that is in the state against a deletion by mistake", () => {
    const resources = graph.elements.filter((element) => /^(google|kubernetes|terraform)_/.test(element));
    expect(resources.filter((element) => !startsAfter(ADDRESS.guard).includes(element))).toEqual([ADDRESS.guard]);
  });

  it("names no dependency twice", () => {
    const repeated = Object.entries(kubernetesTerraform().resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, { depends_on: names = [] }]) => new Set(names as string[]).size < (names as string[]).length)
        .map(([name]) => `${type}.${name}`),
    );
    expect(repeated).toEqual([]);
  });
});
