import { Cloud, type CloudObject, Refusal } from "../cloud";
import { requireClusterAccess } from "./cluster-access";
import { CLUSTER_TYPES } from "../google/cluster";
import { KUBERNETES_TYPES } from "./kubernetes-types";
import { UNKNOWN, type Value, valueAt, type ValueObject } from "../terraform-value";
import { having, template } from "./pod-fixture";
import { durationSeconds, requirePatience } from "./wait-times";

const surroundings = { enabledApis: new Set<string>(), hasImage: () => false, hasAnswered: () => false };

const object = (type: string, id: string, values: ValueObject = {}): CloudObject => ({
  ...{ type, id, values, writeOnly: {} },
  needs: [],
});

describe("A refresh shows", () => {
  const IGNORED = ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"];

  /** What a refresh returns for an object, with a provider that ignores some annotations. */
  function refreshed(cloud: Cloud, type: string, values: ValueObject, ignored: readonly string[] = IGNORED): Value {
    const current = { ...values, id: "apps/server" };
    const provider = { ignore_annotations: ignored };
    return KUBERNETES_TYPES[type]?.asRead?.(values, { cloud, provider, current }) ?? null;
  }

  const metadata = (annotations: ValueObject | null): ValueObject => ({
    metadata: [{ namespace: "apps", annotations }],
  });

  it("the annotations of the platform unless they are ignored, and those that are asked for in any case", () => {
    const cloud = new Cloud(surroundings);
    const service = (annotations: ValueObject | null, ignored?: readonly string[]) =>
      valueAt(refreshed(cloud, "kubernetes_service_v1", metadata(annotations), ignored), "metadata.0.annotations");
    const own = { "cloud.google.com/neg": "{}" };

    expect(service(null)).toBeNull();
    expect(service(null, [])).toEqual({ "cloud.google.com/neg": '{"ingress":true}' });
    expect(service(own)).toEqual(own);
  });

  it("nothing of the platform where it writes nothing", () => {
    const cloud = new Cloud(surroundings);
    cloud.admission = "none";
    const values = { ...metadata(null), spec: [{ template: [having("spec.0.toleration", [])] }] };
    for (const type of ["kubernetes_service_v1", "kubernetes_deployment_v1", "kubernetes_job_v1"])
      expect(refreshed(cloud, type, values, [])).toEqual(values);
  });

  it("as many replicas as the autoscaler found right, whatever was asked for", () => {
    const cloud = new Cloud(surroundings);
    const deployment = { ...metadata(null), spec: [{ replicas: "1", template: [template] }] };
    const replicas = () => valueAt(refreshed(cloud, "kubernetes_deployment_v1", deployment), "spec.0.replicas");
    expect(replicas()).toBe("1");
    const scaler = { ...metadata(null), spec: [{ max_replicas: 3, scale_target_ref: [{ name: "server" }] }] };
    cloud.create(object("kubernetes_horizontal_pod_autoscaler_v2", "apps/server", scaler));
    expect(replicas()).toBe("3");
  });

  it("a rollout that is given up when the last of several pods may still be on its way", () => {
    const cloud = new Cloud(surroundings);
    const scaler = { ...metadata(null), spec: [{ max_replicas: 3, scale_target_ref: [{ name: "server" }] }] };
    cloud.create(object("kubernetes_horizontal_pod_autoscaler_v2", "apps/server", scaler));
    const spec = [{ progress_deadline_seconds: 1500, template: [template] }];
    const update = (limit: string) => () => {
      const values = { ...metadata(null), spec, timeouts: { update: limit } };
      KUBERNETES_TYPES.kubernetes_deployment_v1?.afterUpdate?.(
        object("kubernetes_deployment_v1", "apps/server", values),
        cloud,
      );
    };
    expect(update("30m")).toThrow("3 replicas wanted; 0 replicas Ready (timeout while waiting: 1800 s to update");
    expect(update("38m")).not.toThrow();
  });

  it("a service without its load balancers once its first own annotation has wiped the platform's", () => {
    const cloud = new Cloud(surroundings);
    const kind = KUBERNETES_TYPES.kubernetes_service_v1;
    const update = (annotations: ValueObject): void => {
      kind?.afterUpdate?.(object("kubernetes_service_v1", "apps/web", metadata(annotations)), cloud);
    };
    kind?.afterCreate?.(object("kubernetes_service_v1", "apps/web", metadata(null)), cloud);
    expect(() => update({ team: "identity" })).toThrow("the service apps/web has lost cloud.google.com/neg");
    kind?.afterCreate?.(object("kubernetes_service_v1", "apps/web", metadata({ "cloud.google.com/neg": "{}" })), cloud);
    expect(() => update({ "cloud.google.com/neg": "{}", team: "identity" })).not.toThrow();
  });
});

describe("A rollout of a deployment", () => {
  const rollOut = (cloud: Cloud, strategy: ValueObject | null, image: string): void => {
    const spec = [
      {
        progress_deadline_seconds: 700,
        strategy: strategy === null ? [] : [strategy],
        template: [having("spec.0.container", [{ name: "server", image }])],
      },
    ];
    const values = { metadata: [{ namespace: "apps" }], spec, timeouts: { create: "30m", update: "30m" } };
    KUBERNETES_TYPES.kubernetes_deployment_v1?.afterUpdate?.(
      object("kubernetes_deployment_v1", "apps/server", values),
      cloud,
    );
  };

  it.each<[string, ValueObject | null, number]>([
    ["stops nothing before another pod is ready", { rolling_update: [{ max_unavailable: "0" }] }, 2],
    ["keeps the only pod, a quarter of which is none", null, 2],
    ["has no pod for a while when one may be missing", { rolling_update: [{ max_unavailable: "1" }] }, 3],
    ["has no pod for a while when all are replaced at once", { type: "Recreate" }, 3],
  ])("%s", (_what, strategy, count) => {
    const cloud = new Cloud(surroundings);
    for (const image of ["idp:1", "idp:2"]) rollOut(cloud, strategy, image);
    const moments = cloud.running.moments.map(({ running }) => [...running.values()]);
    const both = [["server", "worker"]];
    expect(moments).toEqual(count === 2 ? [both, both] : [both, [], both]);
  });
});

describe("A cluster answers", () => {
  const cloud = new Cloud(surroundings);
  const values = {
    endpoint: "34.1.2.3",
    master_auth: [{ cluster_ca_certificate: Buffer.from("certificate").toString("base64") }],
  };
  cloud.create(object("google_container_cluster", "cluster", values));
  cloud.accessTokens.add("token");
  const provider: ValueObject = { host: "https://34.1.2.3", cluster_ca_certificate: "certificate", token: "token" };

  it("whoever has its address, its certificate and a token that is good now", () => {
    expect(() => requireClusterAccess(provider, cloud)).not.toThrow();
  });

  it.each([
    ["is not known yet", { host: UNKNOWN }, "connection refused"],
    ["lacks the scheme", { host: "34.1.2.3" }, "i/o timeout"],
    ["is another cluster's", { host: "https://34.9.9.9" }, "i/o timeout"],
  ])("nobody whose address %s", (_what, wrong, refusal) => {
    expect(() => requireClusterAccess({ ...provider, ...wrong }, cloud)).toThrow(refusal);
  });

  it("nobody with another certificate, nor with the encoded one", () => {
    for (const certificate of ["another", values.master_auth[0]?.cluster_ca_certificate ?? "", null]) {
      expect(() => requireClusterAccess({ ...provider, cluster_ca_certificate: certificate }, cloud)).toThrow(
        "certificate signed by unknown authority",
      );
    }
  });

  it("nobody with a token that it has not handed out", () => {
    for (const token of ["stolen", null]) {
      expect(() => requireClusterAccess({ ...provider, token }, cloud)).toThrow(new Refusal("Unauthorized"));
    }
  });
});

describe("In a cluster", () => {
  const idOf = (type: string, metadata: ValueObject): string | undefined =>
    KUBERNETES_TYPES[type]?.id({ metadata: [metadata] }, new Cloud(surroundings));

  it("an object is known by its namespace and name, and a generated name begins as it is told to", () => {
    expect(idOf("kubernetes_secret_v1", { name: "a", namespace: "b" })).toBe("b/a");
    expect(idOf("kubernetes_secret_v1", { name: "a", namespace: null })).toBe("default/a");
    expect(idOf("kubernetes_namespace_v1", { name: "a" })).toBe("a");
    const generated = { name: UNKNOWN, generate_name: "run-", namespace: "b" };
    const first = idOf("kubernetes_job_v1", generated);
    expect(first).toMatch(/^b\/run-[a-z0-9]{5}$/);
    expect(idOf("kubernetes_job_v1", generated)).not.toBe(first);
  });

  it("pods that were told to end keep what they work with until their namespace is gone", () => {
    const cloud = new Cloud(surroundings);
    const database = object("google_sql_database_instance", "database");
    const namespace = object("kubernetes_namespace_v1", "apps");
    const deployment = object("kubernetes_deployment_v1", "apps/server", { metadata: [{ namespace: "apps" }] });
    for (const each of [database, namespace, deployment]) cloud.create(each);
    cloud.podNeeds.set(deployment.id, [
      { what: "the database", isMet: ({ objects }) => objects.has("google_sql_database_instance database") },
    ]);
    cloud.destroy(deployment);
    KUBERNETES_TYPES.kubernetes_deployment_v1?.afterDestroy?.(deployment, cloud);

    expect(() => cloud.destroy(database)).toThrow(
      "google_sql_database_instance database is still used by pods apps/apps/server",
    );
    KUBERNETES_TYPES.kubernetes_namespace_v1?.beforeDestroy?.({}, namespace, cloud);
    cloud.destroy(namespace);
    cloud.destroy(database);
    expect(cloud.objects.size).toBe(0);
  });

  it("nothing is left when it goes, but it does not go before its load balancers", () => {
    const cloud = new Cloud(surroundings);
    const cluster = object("google_container_cluster", "cluster");
    const service = object("kubernetes_service_v1", "apps/web", { spec: [{ type: "LoadBalancer" }] });
    for (const each of [cluster, service, object("kubernetes_config_map_v1", "apps/script")]) cloud.create(each);
    const destroy = (protection: boolean | null): void => {
      CLUSTER_TYPES.google_container_cluster?.beforeDestroy?.({ deletion_protection: protection }, cluster, cloud);
    };

    expect(() => destroy(null)).toThrow("Cannot destroy cluster because deletion_protection is set to true");
    expect(() => destroy(false)).toThrow("the load balancer of kubernetes_service_v1 apps/web would be left behind");
    cloud.destroy(service);
    destroy(false);
    expect([...cloud.objects.keys()]).toEqual(["google_container_cluster cluster"]);
  });
});

describe("A wait", () => {
  it.each([
    ["25m", 1500],
    ["1h30m", 5400],
    ["90s", 90],
    ["1.5h", 5400],
  ])("of %s is one of %i seconds", (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });

  it.each([
    ["the provider's own limit", {}, true],
    ["too short a limit", { timeouts: { create: "10m" } }, true],
    ["enough time", { timeouts: { create: "11m" } }, false],
  ])("with %s ends as it must", (_what, values, isRefused) => {
    const wait = { step: "create", worstSeconds: 660, defaultSeconds: 600, expired: "not ready" } as const;
    const attempt = expect(() => requirePatience(values, wait));
    if (isRefused) attempt.toThrow(/^not ready/);
    else attempt.not.toThrow();
  });
});
