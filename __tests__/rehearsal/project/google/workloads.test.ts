import { textAt, type Value, valueAt, type ValueObject } from "../terraform-value";
import { configuration, Project } from "./project-fixture";

let project: Project;

beforeEach(() => {
  project = new Project();
});

const READER = "roles/secretmanager.secretAccessor";

describe("What is protected", () => {
  it.each([
    ["google_secret_manager_secret", { secret_id: "key", replication: [{ auto: [{}] }] }, false],
    [
      "google_sql_database_instance",
      { name: "main", database_version: "POSTGRES_15", settings: [{ tier: "db-g1-small" }] },
      true,
    ],
    ["google_cloud_run_v2_job", { name: "job", location: "us-central1", template: [{ template: [{}] }] }, true],
    ["google_cloud_run_v2_service", { name: "web", location: "us-central1", template: [{}] }, true],
    ["google_cloud_run_v2_worker_pool", { name: "worker", location: "us-central1", template: [{}] }, true],
    ["google_container_cluster", { name: "one", location: "us-central1" }, true],
  ])("%s is destroyed only when its state says that it may be", (type, args, byDefault) => {
    const id = `${type} of a test`;
    const object = { type, id, values: configuration(type, args), writeOnly: {}, needs: [] };
    project.cloud.create(object);
    const destroy = (given: boolean | null) => () =>
      project.destroy(type, { ...object.values, id, deletion_protection: given });

    expect(destroy(true)).toThrow(/deletion_protection/);
    expect(project.cloud.find(type, id)).toBe(object);
    if (byDefault) expect(destroy(null)).toThrow(/deletion_protection/);
    destroy(false)();
    expect(project.cloud.find(type, id)).toBeUndefined();
  });

  it("an instance that the platform protects as well stays until that is off too", () => {
    const type = "google_sql_database_instance";
    const values = { settings: [{ deletion_protection_enabled: true }] };
    project.cloud.create({ type, id: "main", values, writeOnly: {}, needs: [] });
    expect(() => project.destroy(type, { id: "main", deletion_protection: false })).toThrow(
      "The instance is protected",
    );
  });
});

describe("A container", () => {
  const IMAGE = "us-central1-docker.pkg.dev/my-project/images/idp:1";

  const service = (container: object, prior: Value = null) =>
    project.apply(
      "google_cloud_run_v2_service",
      {
        ...{ name: "web", location: "us-central1" },
        template: [{ service_account: textAt(runtime, "email"), containers: [{ image: IMAGE, ...container }] }],
      },
      prior,
    );

  const fromSecret = (version: string) => ({
    env: [{ name: "KEY", value_source: [{ secret_key_ref: [{ secret: "key", version }] }] }],
  });

  let runtime: ValueObject;

  beforeEach(() => {
    runtime = project.account("runtime");
    project.images.add(IMAGE);
    project.secretOf("key", "a payload");
    const member = textAt(runtime, "member");
    project.apply("google_secret_manager_secret_iam_member", { secret_id: "key", role: READER, member });
  });

  it("starts with everything that it names", () => {
    for (const version of ["1", "latest"]) {
      expect(textAt(service(fromSecret(version)), "uri")).toMatch(/^https:\/\/web-/);
      project.cloud.forget("google_cloud_run_v2_service projects/my-project/locations/us-central1/services/web");
    }
  });

  it("does not start without its image", () => {
    project.images.clear();
    expect(() => service({})).toThrow(`needs what is not there: the image ${IMAGE}`);
  });

  it("does not start without the version of its secret", () => {
    expect(() => service(fromSecret("2"))).toThrow(
      "needs what is not there: google_secret_manager_secret_version projects/123456789012/secrets/key/versions/2",
    );
  });

  it("reads a secret of another project by its full name, if it may", () => {
    const env = (secret: string) => ({
      env: [{ name: "KEY", value_source: [{ secret_key_ref: [{ secret, version: "1" }] }] }],
    });
    const key = "projects/other-project/secrets/key";
    project.cloud.addOthersSecret("other-project", "key", 1, "a foreign payload");
    // The account may read the secret of the same name in its own project.
    expect(() => service(env(key))).toThrow(
      "needs what is not there: a grant of roles/secretmanager.secretAccessor on the secret key",
    );
    const member = textAt(runtime, "member");
    project.apply("google_secret_manager_secret_iam_member", { secret_id: key, role: READER, member });
    const running = service(env(key));
    expect(() => service(env("projects/third-project/secrets/key"), running)).toThrow(
      "google_secret_manager_secret projects/third-project/secrets/key",
    );
  });

  it("is not changed to what it cannot start with", () => {
    const running = service({});
    expect(() => service(fromSecret("2"), running)).toThrow("needs what is not there");
    expect(() => service({ image: `${IMAGE}0` }, running)).toThrow("needs what is not there: the image");
    expect(valueAt(service(fromSecret("1"), running), "template.0.containers.0.env.0.name")).toBe("KEY");
  });

  it("does not start before somebody has made its role in the database", () => {
    const type = "google_sql_database_instance";
    project.cloud.create({ type, id: "main", values: {}, writeOnly: {}, needs: [] });
    project.cloud.administratorPasswords.set("main", "admin");
    project.apply("google_project_iam_member", {
      ...{ project: "my-project", role: "roles/cloudsql.client", member: textAt(runtime, "member") },
    });
    const env = (values: Record<string, string>) => Object.entries(values).map(([name, value]) => ({ name, value }));
    const template = (values: Record<string, string>) => ({
      service_account: textAt(runtime, "email"),
      containers: [{ image: IMAGE, env: env(values) }],
      volumes: [{ name: "cloudsql", cloud_sql_instance: [{ instances: ["my-project:us-central1:main"] }] }],
    });
    const place = { location: "us-central1" };
    const start = (password: string) =>
      project.apply("google_cloud_run_v2_service", {
        ...{ ...place, name: "web" },
        template: [template({ DB_USER: "idp", DB_PASSWORD: password })],
      });
    const initialize = (administrator: string) =>
      project.apply("google_cloud_run_v2_job", {
        ...{ ...place, name: "db-init", run_execution_token: "one" },
        template: [
          { template: [template({ DB_USER: "idp", DB_PASSWORD: "geheim", DB_ADMIN_PASSWORD: administrator })] },
        ],
      });

    expect(() => start("geheim")).toThrow("needs what is not there: the role idp in the database main");
    expect(() => initialize("wrong")).toThrow("the database refuses the administrator's password");
    project.cloud.forget("google_cloud_run_v2_job projects/my-project/locations/us-central1/jobs/db-init");
    initialize("admin");
    expect(() => start("another")).toThrow("the database refuses the password of its role idp");
    project.cloud.forget("google_cloud_run_v2_service projects/my-project/locations/us-central1/services/web");
    expect(start("geheim")).toBeDefined();
  });
});
