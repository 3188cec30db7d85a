import { type Block } from "../support/synthesis";
import { valueAt } from "./configuration-graph";
import { ADDRESS, containerOf, serverlessResource, serverlessTerraform } from "./serverless-stack";

const elementsOf = (type: string): [string, Block][] => Object.entries(serverlessTerraform().resource?.[type] ?? {});
const allResources = (): [string, Block][] =>
  Object.keys(serverlessTerraform().resource ?? {}).flatMap((type) =>
    elementsOf(type).map(([name, element]): [string, Block] => [`${type}.${name}`, element]),
  );

/** What tells a version from all others. */
const identityOf = (secret: string): string => {
  const version = `google_secret_manager_secret_version.${secret}_version`;
  return `\${join("@", [${version}.name, ${version}.create_time])}`;
};

/** What was learnt by applying such configurations with the real provider, each as a promise of this one. */
describe("What the real provider does with the serverless stack", () => {
  describe("secrets", () => {
    const generated = [
      "database_administrator_password",
      "database_password",
      "secrets_bootstrap_password",
      "secrets_secret_key",
    ];

    it.each(generated)("writes %s through a write-only argument, so it is in no state and no plan", (name) => {
      const version = serverlessResource(`google_secret_manager_secret_version.${name}_version`);
      expect(Object.keys(version).sort()).toEqual(["lifecycle", "secret", "secret_data_wo", "secret_data_wo_version"]);
      expect(version.secret_data_wo).toContain(`ephemeral.random_password.${name}_candidate.result`);
    });

    it("stores nothing else than the script through an argument that reaches the state", () => {
      const stored = elementsOf("google_secret_manager_secret_version").filter(
        ([, version]) => "secret_data" in version,
      );
      expect(stored.map(([name]) => name).sort()).toEqual([
        "db_init_script_version",
        "dump_at_apply_script_version",
        "dump_job_script_version",
      ]);
    });

    it("gives the administrator's password to the database by an ephemeral read of the version that was stored", () => {
      expect(serverlessResource("google_sql_user.database_administrator")).toMatchObject({
        password_wo:
          '${try(ephemeral.google_secret_manager_secret_version.database_administrator_password_stored[0].secret_data, "")}',
      });
      expect(
        serverlessTerraform().ephemeral?.google_secret_manager_secret_version?.database_administrator_password_stored,
      ).toMatchObject({
        secret: "${google_secret_manager_secret.database_administrator_password.id}",
        version: "${google_secret_manager_secret_version.database_administrator_password_version.version}",
      });
    });

    it("adds a new version of every secret before the old one is deleted, because readers still refer to it", () => {
      for (const [, version] of elementsOf("google_secret_manager_secret_version"))
        expect(version.lifecycle).toMatchObject({ create_before_destroy: true });
    });

    it("reads every secret at the version that was stored, never at the latest", () => {
      for (const address of [ADDRESS.service, ADDRESS.job]) {
        for (const { value_source: source } of containerOf(address).env as Block[]) {
          const { secret, version } = valueAt(source, "secret_key_ref") as Record<string, string>;
          const [, name] = /google_secret_manager_secret\.(\w+)\./.exec(secret ?? "") ?? [];
          expect(version).toBe(`\${google_secret_manager_secret_version.${String(name)}_version.version}`);
        }
      }
    });
  });

  describe("the initialization job", () => {
    it("runs at apply, and a run by hand makes no difference", () => {
      const job = serverlessResource(ADDRESS.job);
      expect(job.run_execution_token).toBe(
        "${substr(sha256(jsonencode(terraform_data.db_init_trigger.triggers_replace)), 0, 8)}",
      );
      expect(valueAt(job, "lifecycle.ignore_changes")).toEqual(["run_execution_token", "client", "client_version"]);
    });

    it("is replaced, and so runs again, when script, image, address, names or a password change", () => {
      expect(valueAt(serverlessResource(ADDRESS.job), "lifecycle.replace_triggered_by")).toEqual([
        "terraform_data.db_init_trigger",
      ]);
      expect(serverlessResource("terraform_data.db_init_trigger")).toEqual({
        triggers_replace: {
          script: '${filesha256("${path.module}/scripts/db-init.sh")}',
          image: containerOf(ADDRESS.job).image,
          instance: `\${${ADDRESS.database}.connection_name}`,
          database: "${local.database_name}",
          user: "${local.database_name}",
          password_version: identityOf("database_password"),
          administrator_password_version: identityOf("database_administrator_password"),
        },
      });
    });

    it("gets longer than all its attempts together before the provider gives up", () => {
      const { timeout, max_retries: retries } = valueAt(serverlessResource(ADDRESS.job), "template.template") as Record<
        string,
        unknown
      >;
      const attempts = Number.parseInt(String(timeout), 10) * (Number(retries) + 1);
      const { create, update } = serverlessResource(ADDRESS.job).timeouts as Record<string, string>;
      expect([timeout, retries, create, update]).toEqual(["600s", 2, "40m", "40m"]);
      expect(attempts).toBeLessThan(40 * 60);
    });
  });

  describe("repair after a failed first start", () => {
    it("protects what holds data, as the input says", () => {
      const protectedBy = (address: string) => serverlessResource(address).deletion_protection;
      for (const name of ["database_administrator_password", "database_password"])
        expect(protectedBy(`google_secret_manager_secret.${name}`)).toBe("${var.deletion_protection}");
      for (const address of [ADDRESS.database, ADDRESS.secretKey, ADDRESS.bootstrapPassword])
        expect(protectedBy(address)).toBe("${var.deletion_protection}");
      expect(valueAt(serverlessResource(ADDRESS.database), "settings.deletion_protection_enabled")).toBe(
        "${var.deletion_protection}",
      );
      expect(serverlessResource(ADDRESS.bucket).force_destroy).toBe("${!var.deletion_protection}");
    });

    it("protects nothing else: a tainted service or job must be replaceable", () => {
      expect(serverlessResource(ADDRESS.service).deletion_protection).toBe(false);
      expect(serverlessResource(ADDRESS.job).deletion_protection).toBe(false);
      const withProtection = allResources().filter(([, resource]) => resource.deletion_protection !== undefined);
      expect(withProtection.map(([address]) => address).sort()).toEqual(
        [
          ADDRESS.database,
          ADDRESS.job,
          "google_cloud_run_v2_job.dump_at_apply",
          "google_cloud_run_v2_job.dump_job",
          "google_cloud_run_v2_job.test_mail",
          ADDRESS.service,
          "google_cloud_run_v2_worker_pool.worker",
          ADDRESS.secretKey,
          ADDRESS.bootstrapPassword,
          "google_secret_manager_secret.secrets_bootstrap_token",
          "google_secret_manager_secret.database_administrator_password",
          "google_secret_manager_secret.database_password",
        ].sort(),
      );
    });

    it("prevents no replacement by other means", () => {
      for (const [, resource] of allResources()) expect(valueAt(resource, "lifecycle.prevent_destroy")).toBeUndefined();
    });
  });

  it("always states whether the CPU idles, because a missing value means that it does not", () => {
    expect(containerOf(ADDRESS.service).resources).toEqual({
      cpu_idle: "${!var.cpu_always_allocated}",
      startup_cpu_boost: "${var.startup_cpu_boost}",
      limits: { cpu: "${var.container_cpu}", memory: "${var.container_memory}" },
    });
  });

  describe("services of an empty project", () => {
    it("enables the Resource Manager API by a call of its own before the provider enables anything", () => {
      const first = serverlessResource("terraform_data.apis_resource_manager");
      expect(first.depends_on).toBeUndefined();
      const steps = first.provisioner as Block[];
      expect(steps.map((step) => valueAt(step, "local-exec.command"))).toEqual([
        'sh "${path.module}/scripts/enable-api.sh"',
        'sh "${path.module}/scripts/wait-for-api.sh"',
      ]);
      for (const step of steps)
        expect(valueAt(step, "local-exec.environment.SERVICE")).toBe("cloudresourcemanager.googleapis.com");
      for (const [, enabled] of elementsOf("google_project_service"))
        expect(enabled.depends_on).toEqual(["terraform_data.apis_resource_manager"]);
    });

    it("enables only what the stack uses, and leaves it on at destroy", () => {
      const services = elementsOf("google_project_service").map(([, { service }]) => service);
      expect(services.sort()).toEqual(
        [
          "artifactregistry",
          "certificatemanager",
          "cloudbuild",
          "cloudscheduler",
          "compute",
          "dns",
          "iam",
          "logging",
          "monitoring",
          "run",
          "secretmanager",
          "sqladmin",
          "storage",
        ].map((api) => `${api}.googleapis.com`),
      );
      for (const [, enabled] of elementsOf("google_project_service")) expect(enabled.disable_on_destroy).toBe(false);
    });

    it("enables the APIs of a build only if there is one", () => {
      const ofBuild = elementsOf("google_project_service").filter(
        ([, { count }]) => count === "${(var.existing_container_image == null) ? 1 : 0}",
      );
      expect(ofBuild.map(([, { service }]) => service).sort()).toEqual(
        ["artifactregistry", "cloudbuild"].map((api) => `${api}.googleapis.com`),
      );
    });

    it.each([
      [
        "the network's service only with a network or a domain",
        "compute",
        "(var.network != null) || (var.domain != null)",
      ],
      [
        "that of certificates only for a domain that is validated by DNS",
        "certificatemanager",
        '(var.domain != null) && (var.certificate_validation == "dns")',
      ],
      ["that of records only with a zone", "dns", "try(var.dns_zone.name, null) != null"],
    ])("enables %s", (_what, api, condition) => {
      for (const address of [`google_project_service.apis_${api}`, `terraform_data.apis_${api}_answers`])
        expect(serverlessResource(address).count).toBe(`\${(${condition}) ? 1 : 0}`);
    });

    it("waits until each enabled API really answers", () => {
      for (const [name] of elementsOf("google_project_service")) {
        const answers = serverlessResource(`terraform_data.${name}_answers`);
        expect(answers.depends_on).toEqual([`google_project_service.${name}`]);
        expect(valueAt(answers, "provisioner.0.local-exec.command")).toBe(
          'sh "${path.module}/scripts/wait-for-api.sh"',
        );
      }
    });
  });

  describe("differences that would show at every plan", () => {
    it("lists the database's socket last among volumes and mounts, as the platform returns them", () => {
      for (const [address, volumes] of [
        [ADDRESS.service, valueAt(serverlessResource(ADDRESS.service), "template.volumes")],
        [ADDRESS.job, valueAt(serverlessResource(ADDRESS.job), "template.template.volumes")],
      ] as const) {
        expect((volumes as Block[]).at(-1)?.name).toBe("cloudsql");
        expect((containerOf(address).volume_mounts as Block[]).at(-1)).toEqual({
          name: "cloudsql",
          mount_path: "/cloudsql",
        });
      }
    });

    it("ignores what other tools write into service and job", () => {
      for (const address of [ADDRESS.service, ADDRESS.job])
        expect(valueAt(serverlessResource(address), "lifecycle.ignore_changes")).toEqual(
          expect.arrayContaining(["client", "client_version"]),
        );
    });

    it("states no disk size beside automatic growth, which would shrink by replacement", () => {
      const settings = serverlessResource(ADDRESS.database).settings as Block;
      expect([settings.disk_autoresize, settings.disk_size]).toEqual([true, undefined]);
    });
  });

  it("keeps grants additive: nothing revokes rights of others", () => {
    expect(
      Object.keys(serverlessTerraform().resource ?? {}).filter((type) => /_iam_(binding|policy)$/.test(type)),
    ).toEqual([]);
  });

  it("calls no API during a plan", () => {
    expect(serverlessTerraform().data).toBeUndefined();
  });

  it("gives everything of a built image a count, so that a given image has none of it", () => {
    const counted = allResources()
      .filter(([, { count }]) => count === "${(var.existing_container_image == null) ? 1 : 0}")
      .map(([address]) => address);
    expect(counted.sort()).toEqual([
      "google_artifact_registry_repository.registry",
      "google_artifact_registry_repository_iam_member.registry_builder_pushes",
      "google_project_iam_member.registry_builder_logs",
      "google_project_service.apis_artifactregistry",
      "google_project_service.apis_cloudbuild",
      "google_service_account.registry_builder",
      "terraform_data.apis_artifactregistry_answers",
      "terraform_data.apis_cloudbuild_answers",
      "terraform_data.image_build",
    ]);
  });
});
