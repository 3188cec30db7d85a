import { ENTRYPOINT_COMMANDS } from "../../../../lib/idp/worker-mode";
import { textAt, type Value, valueAt, type ValueObject } from "../terraform-value";
import { configurationProblems } from "../../providers/schema-rules";
import { Project, schema } from "./project-fixture";

const TYPE = "google_cloud_run_v2_worker_pool";
const IMAGE = "us-central1-docker.pkg.dev/my-project/images/idp:1";
const POOL = "projects/my-project/locations/us-central1/workerPools/worker";

let project: Project;
let runtime: ValueObject;

beforeEach(() => {
  project = new Project();
  project.images.add(IMAGE);
  runtime = project.account("runtime");
});

interface Parts {
  readonly container?: object;
  readonly pool?: object;
  readonly template?: object;
}

const argumentsOf = ({ container = {}, pool = {}, template = {} }: Parts) => ({
  ...{ name: "worker", location: "us-central1", deletion_protection: false, scaling: [{ manual_instance_count: 1 }] },
  template: [{ service_account: textAt(runtime, "email"), containers: [{ image: IMAGE, ...container }], ...template }],
  ...pool,
});

const apply = (parts: Parts, prior: Value = null) => project.apply(TYPE, argumentsOf(parts), prior);

const probe = (values: object) => ({ container: { startup_probe: [{ tcp_socket: [{ port: 9000 }], ...values }] } });
const size = (cpu: string, memory: string) => ({ container: { resources: [{ limits: { cpu, memory } }] } });

describe("A worker pool", () => {
  it.each([
    ["several instances", { pool: { scaling: [{ manual_instance_count: 3 }] } }],
    ["no instance", { pool: { scaling: [{ manual_instance_count: 0 }] } }],
    ["no scaling", { pool: { scaling: [] } }],
    ["a probe of ten minutes", probe({ failure_threshold: 60, period_seconds: 10 })],
    ["4 CPU with 2Gi", size("4", "2Gi")],
  ] as const)("is made with %s", (_what, parts) => {
    expect(textAt(apply(parts), "id")).toBe(POOL);
  });

  it.each([
    [
      "another way to scale",
      { pool: { scaling: [{ scaling_mode: "AUTOMATIC", min_instance_count: 1, max_instance_count: 2 }] } },
      [
        "Unknown name \"maxInstanceCount\" at 'worker_pool.scaling': Cannot find field",
        "Unknown name \"minInstanceCount\" at 'worker_pool.scaling': Cannot find field",
        "Unknown name \"scalingMode\" at 'worker_pool.scaling': Cannot find field",
      ],
    ],
    [
      "less than no instance",
      { pool: { scaling: [{ manual_instance_count: -1 }] } },
      ["scaling.manual_instance_count must not be negative"],
    ],
    ["3 CPU", size("3", "2Gi"), ["cpu must be one of 1, 2, 4, 8, got 3"]],
    ["4 CPU with 1Gi", size("4", "1Gi"), ["4 CPU take 2Gi to 16Gi of memory, got 1Gi"]],
    ["1 CPU with 8Gi", size("1", "8Gi"), ["1 CPU take 512Mi to 4Gi of memory, got 8Gi"]],
    [
      "a probe without a port",
      probe({ tcp_socket: [{}] }),
      ["startup_probe: port must be specified, because a worker pool has none"],
    ],
    [
      "a probe of two kinds",
      probe({ http_get: [{ port: 9000 }] }),
      ["startup_probe: exactly one of grpc, http_get, tcp_socket must be specified"],
    ],
    [
      "a probe that takes too long",
      probe({ failure_threshold: 61, initial_delay_seconds: 241, period_seconds: 10, timeout_seconds: 11 }),
      [
        "startup_probe: initial_delay_seconds must be at most 240, got 241",
        "startup_probe: timeout_seconds must not exceed period_seconds, 10",
        "startup_probe: it may take at most 600 seconds, got 610",
      ],
    ],
    [
      "a probe that looks too rarely",
      { container: { liveness_probe: [{ tcp_socket: [{ port: 9000 }], period_seconds: 3601 }] } },
      ["liveness_probe: period_seconds must be at most 3600, got 3601"],
    ],
  ] as const)("is refused %s", (_what, parts, problems) => {
    expect(() => apply(parts)).toThrow(`Error 422: ${TYPE} is invalid: ${problems.join(", ")}`);
    expect(project.cloud.find(TYPE, POOL)).toBeUndefined();
  });

  it.each([
    ["a port", { ports: [{ container_port: 9000 }] }, "ports"],
    ["CPU for requests alone", { resources: [{ cpu_idle: true }] }, "resources.0.cpu_idle"],
    ["a command as probe", { startup_probe: [{ exec: [{ command: ["ak"] }] }] }, "startup_probe.0.exec"],
  ])("cannot be given %s", (_what, container, path) => {
    const { block } = schema.resource_schemas?.[TYPE]?.block.block_types?.template ?? {};
    const containers = block?.block_types?.containers?.block ?? {};
    expect(configurationProblems({ image: IMAGE, ...container }, containers)).toEqual([`${path} does not exist`]);
  });

  it("reads its secrets as its account, which must be allowed to", () => {
    const container = { env: [{ name: "KEY", value_source: [{ secret_key_ref: [{ secret: "key", version: "1" }] }] }] };
    project.secretOf("key", "a payload");
    expect(() => apply({ container })).toThrow(
      "needs what is not there: a grant of roles/secretmanager.secretAccessor on the secret key",
    );
    const member = textAt(runtime, "member");
    const role = "roles/secretmanager.secretAccessor";
    project.apply("google_secret_manager_secret_iam_member", { secret_id: "key", role, member });
    const running = apply({ container });
    project.images.clear();
    expect(() => apply({ container: { image: `${IMAGE}0` } }, running)).toThrow("needs what is not there: the image");
  });

  it("needs the right to its bucket and to its database, and the role's own password", () => {
    const { cloud } = project;
    const values = { name: "media" };
    cloud.create({ type: "google_storage_bucket", id: "media", values, writeOnly: {}, needs: [] });
    cloud.create({ type: "google_sql_database_instance", id: "main", values: {}, writeOnly: {}, needs: [] });
    const start = (password: string) =>
      apply({
        container: {
          env: Object.entries({ DB_USER: "idp", DB_PASSWORD: password }).map(([name, value]) => ({ name, value })),
        },
        template: {
          volumes: [
            { name: "media", gcs: [{ bucket: "media" }] },
            { name: "cloudsql", cloud_sql_instance: [{ instances: ["my-project:us-central1:main"] }] },
          ],
        },
      });
    const member = textAt(runtime, "member");

    expect(() => start("secret")).toThrow(/roles\/cloudsql\.client.*roles\/storage\.objectUser.*the role idp in the/);
    project.apply("google_project_iam_member", { project: "my-project", role: "roles/cloudsql.client", member });
    project.apply("google_storage_bucket_iam_member", { bucket: "media", role: "roles/storage.objectUser", member });
    cloud.databaseRoles.set("main/idp", "another");
    expect(() => start("secret")).toThrow("the database refuses the password of its role idp");
    cloud.forget(`${TYPE} ${POOL}`);
    cloud.databaseRoles.set("main/idp", "secret");
    expect(textAt(start("secret"), "latest_ready_revision")).toBe(`${POOL}/revisions/worker-00001-abc`);
  });

  it("runs the worker as long as it has an instance, until it is deleted", () => {
    const worker = { container: { args: [ENTRYPOINT_COMMANDS.worker] } };
    const created = apply(worker);
    const none = apply({ ...worker, pool: { scaling: [{ manual_instance_count: 0 }] } }, created);
    const again = apply(worker, none);
    project.destroy(TYPE, again);

    const moments = project.cloud.running.moments.map(({ running }) => running.get(`${TYPE} ${POOL}`));
    expect(moments).toEqual([["worker"], [], ["worker"], undefined]);
    expect(project.cloud.find(TYPE, POOL)).toBeUndefined();
  });

  it("keeps what runs when a change of it is refused", () => {
    const created = apply({ container: { args: [ENTRYPOINT_COMMANDS.worker] } });
    expect(() => apply({ container: { image: `${IMAGE}0` } }, created)).toThrow("needs what is not there");
    expect(project.cloud.running.moments).toHaveLength(1);
  });

  it.each(["name", "location"])("is another one with another %s", (argument) => {
    const created = apply({});
    const args = { ...argumentsOf({}), [argument]: "europe-west1" };
    expect(project.replacedBy(TYPE, args, created)).toEqual([argument]);
  });

  it("is the same one with another number of instances, and keeps what the platform has added", () => {
    const created = apply({});
    const args = argumentsOf({ pool: { scaling: [{ manual_instance_count: 2 }] } });
    expect(project.replacedBy(TYPE, args, created)).toEqual([]);
    const updated = project.apply(TYPE, args, created);
    expect(valueAt(updated, "instance_splits.0.percent")).toBe(100);
  });
});
