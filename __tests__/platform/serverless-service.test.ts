import { InputVariable } from "../../lib/core/input-variable";
import { type IdentityProviderContainerProps } from "../../lib/idp/identity-provider-container";
import { trustedProxies } from "../../lib/idp/trusted-proxies";
import { TRUSTED_PROXIES } from "../../lib/platform/serverless/contract";
import { ServerlessService, type ServerlessServiceProps } from "../../lib/platform/serverless/serverless-service";
import { socketFolder } from "../../lib/platform/serverless/socket-folder";
import { valueAt } from "../stacks/configuration-graph";
import { bareStack, resourceOf, terraformOf, warningsOf, type BareStack, type Block } from "../support/synthesis";
import { containerIn, databaseIn, DEPLOYMENT, PLACE } from "./serverless-parts";

interface Given {
  readonly service?: Partial<ServerlessServiceProps>;
  readonly container?: Partial<IdentityProviderContainerProps>;
  readonly tier?: string;
}

const serviceIn = ({ service = {}, container, tier }: Given = {}, stack: BareStack = bareStack()) => {
  const created = new ServerlessService(stack, "Service", {
    ...PLACE,
    container: containerIn(stack, container),
    database: databaseIn(stack, tier),
    serviceAccountEmail: "runner@demo-project.iam.gserviceaccount.com",
    ...service,
  });
  const terraform = () => terraformOf(stack);
  const resource = () => resourceOf(terraform(), "google_cloud_run_v2_service", "service");
  const onlyContainer = () => valueAt(resource(), "template.containers.0") as Block;
  return { stack, created, terraform, resource, onlyContainer };
};

describe("ServerlessService", () => {
  it("is a public service of the second generation that sends all traffic to its newest revision", () => {
    expect(serviceIn().resource()).toMatchObject({
      project: "demo-project",
      name: "idp-demo-abc123",
      location: "us-central1",
      ingress: "INGRESS_TRAFFIC_ALL",
      invoker_iam_disabled: true,
      traffic: [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 }],
      template: {
        service_account: "runner@demo-project.iam.gserviceaccount.com",
        execution_environment: "EXECUTION_ENVIRONMENT_GEN2",
        scaling: { min_instance_count: 1, max_instance_count: 3 },
      },
    });
  });

  it("trusts what the platform's front end says about a client, unless the container has a list of its own", () => {
    const proxies = (container: Given["container"] = {}) =>
      valueAt(serviceIn({ container }).onlyContainer(), "dynamic.env.for_each.IDP_LISTEN__TRUSTED_PROXY_CIDRS");
    const ownDefaults = "127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fe80::/10,::1/128";
    expect(proxies()).toBe(`${ownDefaults},169.254.0.0/16`);
    const environment = { ...TRUSTED_PROXIES, ...trustedProxies("203.0.113.7/32") };
    expect(proxies({ environment })).toBe(`${ownDefaults},203.0.113.7/32`);
  });

  it("lets a request take an hour, the most there is, because the platform ends web sockets with it", () => {
    expect(valueAt(serviceIn().resource(), "template.timeout")).toBe("3600s");
  });

  it("asks callers for the right to invoke it when it is not public", () => {
    expect(serviceIn({ service: { publicAccess: false } }).resource().invoker_iam_disabled).toBe(false);
  });

  it("can be replaced after a failed first start, and has half an hour for its migrations", () => {
    expect(serviceIn().resource()).toMatchObject({
      deletion_protection: false,
      timeouts: { create: "30m", update: "30m" },
      lifecycle: { ignore_changes: ["client", "client_version"] },
    });
  });

  it.each([
    [undefined, false],
    [true, false],
    [false, true],
  ])("with CPU always allocated %p says that the CPU idles: %p", (cpuAlwaysAllocated, idle) => {
    expect(serviceIn({ service: { cpuAlwaysAllocated } }).onlyContainer().resources).toEqual({
      cpu_idle: idle,
      startup_cpu_boost: true,
      limits: { cpu: "2", memory: "4Gi" },
    });
  });

  it("mounts the media bucket first and the database's socket last", () => {
    const { resource, onlyContainer } = serviceIn();
    expect(onlyContainer().volume_mounts).toEqual([
      { name: "storage", mount_path: "/media" },
      { name: "cloudsql", mount_path: "/cloudsql" },
    ]);
    expect(valueAt(resource(), "template.volumes")).toEqual([
      {
        name: "storage",
        gcs: { bucket: "media-bucket", read_only: false, mount_options: ["uid=1000", "gid=1000"] },
      },
      {
        name: "cloudsql",
        cloud_sql_instance: { instances: ["${google_sql_database_instance.database.connection_name}"] },
      },
    ]);
  });

  it("finds the socket in the folder that the mount makes", () => {
    const stack = bareStack();
    const folder = socketFolder(databaseIn(stack));
    stack.expose({ folder: { value: folder, description: "Folder." } });
    expect(terraformOf(stack).output?.folder?.value).toBe(
      "/cloudsql/${google_sql_database_instance.database.connection_name}",
    );
  });

  it("reads secrets at exactly the versions it is given", () => {
    expect(serviceIn().onlyContainer().env).toEqual(
      [
        ["IDP_SECRET_KEY", "key", "1"],
        ["IDP_BOOTSTRAP_PASSWORD", "first", "2"],
        ["DB_PASSWORD", "database", "3"],
      ].map(([name, secret, version]) => ({ name, value_source: { secret_key_ref: { secret, version } } })),
    );
  });

  it("probes the container's own port without credentials", () => {
    const { startup_probe: startup, liveness_probe: liveness } = serviceIn().onlyContainer();
    expect([startup, liveness]).toEqual([
      {
        http_get: { path: "/-/health/ready/", port: 9000 },
        initial_delay_seconds: 60,
        period_seconds: 15,
        failure_threshold: 40,
        timeout_seconds: 10,
      },
      {
        http_get: { path: "/-/health/live/", port: 9000 },
        initial_delay_seconds: 60,
        period_seconds: 30,
        failure_threshold: 3,
        timeout_seconds: 10,
      },
    ]);
  });

  it("has no way into a network unless one is given", () => {
    expect(valueAt(serviceIn().resource(), "template.vpc_access")).toBeUndefined();
    expect(valueAt(serviceIn().resource(), "template.dynamic")).toBeUndefined();
    const network = { network: "projects/p/global/networks/n", subnetwork: "projects/p/regions/r/subnetworks/s" };
    expect(valueAt(serviceIn({ service: { network } }).resource(), "template.vpc_access")).toEqual({
      egress: "PRIVATE_RANGES_ONLY",
      network_interfaces: [network],
    });
  });

  it("decides at plan when the network is an input", () => {
    const stack = bareStack();
    const input = (id: string) =>
      new InputVariable(stack, id, { type: "string", default: null, description: id }).stringValue;
    const network = { network: input("network"), subnetwork: input("subnetwork") };
    const template = serviceIn({ service: { network } }, stack).resource().template;
    expect(template).not.toHaveProperty("vpc_access");
    expect(valueAt(template, "dynamic.vpc_access")).toEqual({
      for_each: '${var.network == null ? [] : ["network"]}',
      content: {
        egress: "PRIVATE_RANGES_ONLY",
        network_interfaces: [{ network: "${var.network}", subnetwork: "${var.subnetwork}" }],
      },
    });
  });

  it("tells the address that the platform gives it", () => {
    const { stack, created, terraform } = serviceIn();
    stack.expose({ url: { value: created.url, description: "Address." } });
    expect(terraform().output?.url?.value).toBe("${google_cloud_run_v2_service.service.uri}");
  });

  const NO_INSTANCE =
    "min_instance_count is 0; mail, tasks and clean-ups wait for the next visitor, because the worker stops with the last instance; set it to 1";
  const NO_CPU =
    "cpu_always_allocated is false; mail, tasks and clean-ups wait for the next visitor, because the worker gets no CPU between requests; set it to true";

  it("warns at synth when literals let the worker sleep, and goes on", () => {
    const { stack, terraform } = serviceIn({ service: { minInstanceCount: 0, cpuAlwaysAllocated: false } });
    expect(warningsOf(stack)).toEqual([NO_INSTANCE, NO_CPU]);
    expect(terraform().check).toBeUndefined();
  });

  it("warns of nothing when the worker keeps running", () => {
    const { stack, terraform } = serviceIn();
    expect(warningsOf(stack)).toEqual([]);
    expect(terraform().check).toBeUndefined();
  });

  it("warns at plan when inputs let the worker sleep", () => {
    const stack = bareStack();
    const minInstanceCount = new InputVariable(stack, "least", { type: "number", description: "Least." }).numberValue;
    const cpuAlwaysAllocated = new InputVariable(stack, "cpu", { type: "bool", description: "CPU." }).booleanValue;
    const { terraform } = serviceIn({ service: { minInstanceCount, cpuAlwaysAllocated } }, stack);
    expect(terraform().check?.service_worker_keeps_running).toEqual({
      assert: [
        { condition: "${var.least > 0}", error_message: `${NO_INSTANCE}.` },
        { condition: "${var.cpu}", error_message: `${NO_CPU}.` },
      ],
    });
    expect(warningsOf(stack)).toEqual([]);
  });

  it("takes a name of 49 characters, as many instances as the database has connections for, and one that never sleeps", () => {
    const deployment = { ...DEPLOYMENT, applicationName: "a".repeat(49 - "-demo-abc123".length) };
    const service = { deployment, minInstanceCount: 4, maxInstanceCount: 4 };
    expect(serviceIn({ service }).resource().name).toHaveLength(49);
  });

  it("refuses what the platform refuses, everything at once", () => {
    const deployment = { ...DEPLOYMENT, applicationName: "a".repeat(40) };
    const broken = () =>
      serviceIn({
        container: { resources: { cpu: "1", memory: "8Gi" } },
        service: { deployment, minInstanceCount: 4, maxInstanceCount: 2 },
      });
    expect(broken).toThrow(
      new Error(
        [
          "test/Service: 3 problems",
          `  - service name ${"a".repeat(40)}-demo-abc123 is 52 characters, the limit is 49, because it becomes part of a host name; shorten the application name or the tenant id by 3`,
          "  - resources.memory is 8Gi with 1 CPU; it must be a whole number with Mi or Gi that fits the CPU, because the platform allows 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two",
          "  - minInstanceCount is 4; it must not exceed maxInstanceCount, which is 2, because the platform refuses such a range; lower one or raise the other",
        ].join("\n"),
      ),
    );
  });

  it("refuses a socket path that no address holds", () => {
    expect(() => serviceIn({ service: { projectId: "p".repeat(56) } })).toThrow(
      new Error(
        [
          "test/Service: 1 problem",
          "  - project, region and database instance have 86 characters together, the path of the database socket has room for 81, because a socket address holds 108 bytes; shorten the application name or the tenant id by 5",
        ].join("\n"),
      ),
    );
  });

  it("refuses numbers of instances that are none", () => {
    expect(() => serviceIn({ service: { minInstanceCount: -0.5, maxInstanceCount: 0 } })).toThrow(
      new Error(
        [
          "test/Service: 2 problems",
          "  - minInstanceCount is -0.5; it must be a whole number from 0, because the platform starts whole instances; use 1",
          "  - maxInstanceCount is 0; it must be a whole number from 1, because with none nobody can sign in; use 1 or more",
        ].join("\n"),
      ),
    );
  });

  it("refuses more instances than the database has connections for", () => {
    expect(() => serviceIn({ service: { maxInstanceCount: 5 } })).toThrow(
      new Error(
        [
          "test/Service: 1 problem",
          "  - maxInstanceCount is 5; that needs 100 database connections and 10 are kept for administration, but the database accepts 100, and there must be enough, because an instance without a connection answers nothing; lower it, or choose a tier with more memory",
        ].join("\n"),
      ),
    );
    expect(() => serviceIn({ tier: "db-custom-2-7680", service: { maxInstanceCount: 19 } })).not.toThrow();
  });
});
