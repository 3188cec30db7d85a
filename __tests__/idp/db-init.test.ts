import { TerraformLocal } from "cdktf";

import { DbInit, type DbInitProps } from "../../lib/idp/db-init";
import { type JobRunner, type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { standInDatabase } from "../support/stand-in-parts";
import { bareStack, synthesizeInto, terraformOf, testApp, BareStack } from "../support/synthesis";

/** A job runner that records its jobs. */
class RememberingRunner implements JobRunner {
  readonly jobs: (OneTimeJobSpec & { readonly path: string })[] = [];

  runOnce: JobRunner["runOnce"] = (scope, id, job) => {
    this.jobs.push({ ...job, path: `${scope.node.path} ${id}` });
    return { jobName: `remembered-${job.name}`, ready: [new TerraformLocal(scope, id, job.name)] };
  };

  get only(): OneTimeJobSpec & { readonly path: string } {
    const [job] = this.jobs;
    if (job === undefined || this.jobs.length > 1) throw new Error(`${this.jobs.length} jobs were run`);
    return job;
  }
}

const DATABASE = standInDatabase();

const initializationIn = (overrides: Partial<DbInitProps> = {}) => {
  const stack = bareStack();
  const runner = new RememberingRunner();
  const initialization = new DbInit(stack, "DbInit", { database: DATABASE, runner, ...overrides });
  return { stack, initialization, job: runner.only };
};

describe("DbInit", () => {
  it("runs one job named db-init on the given platform", () => {
    const { initialization, job } = initializationIn();
    expect([job.name, job.path]).toEqual(["db-init", "test/DbInit Default"]);
    expect(initialization.jobName).toBe("remembered-db-init");
    expect(initialization.ready).toEqual([expect.any(TerraformLocal)]);
  });

  it("passes names and login to the script, and leaves the database's address to the platform", () => {
    const { database, environment } = initializationIn().job.container;
    expect(database).toEqual({
      instance: DATABASE,
      hostVariable: "DB_HOST",
      proxyQuitVariable: "DB_PROXY_QUIT_URL",
    });
    expect(environment.required).toEqual({
      DB_PORT: "5432",
      DB_NAME: "demo_idp",
      DB_USER: "demo_role",
      DB_ADMIN_USER: "postgres",
      DB_MANAGED_SUPERUSER_ROLE: "cloudsqlsuperuser",
      DB_WAIT_SECONDS: "300",
    });
  });

  it("passes both passwords by reference", () => {
    expect(initializationIn().job.container.secretEnvironment).toEqual({
      DB_PASSWORD: DATABASE.password,
      DB_ADMIN_PASSWORD: DATABASE.administratorPassword,
    });
  });

  it("uses a client of the server's release by default", () => {
    expect(initializationIn().job.container.image.containerImage).toBe("docker.io/library/postgres:15-alpine");
    expect(initializationIn({ image: "mirror/postgres:15" }).job.container.image.containerImage).toBe(
      "mirror/postgres:15",
    );
  });

  it("allows one attempt longer than the wait for the database, and two more attempts", () => {
    const { container, maxRetries, timeoutSeconds } = initializationIn().job;
    expect([timeoutSeconds, maxRetries]).toEqual([600, 2]);
    expect(timeoutSeconds).toBeGreaterThan(Number(container.environment.required.DB_WAIT_SECONDS));
  });

  it("runs again when script, image, instance, names or a password change, and for nothing else", () => {
    const { stack, job } = initializationIn({ image: "mirror/postgres:15" });
    stack.addOutputs({ trigger: { value: { ...job.rerunWhenChanged }, description: "Trigger." } });
    expect(terraformOf(stack).output?.trigger?.value).toEqual({
      script: '${filesha256("${path.module}/scripts/db-init.sh")}',
      image: "mirror/postgres:15",
      instance: "demo-project:us-central1:sql-demo",
      database: "demo_idp",
      user: "demo_role",
      password_version: "password/7",
      administrator_password_version: "administrator/4",
    });
  });

  it("puts the script into the folder and gives the job its path, hash and content as Terraform reads them", () => {
    const app = testApp();
    const runner = new RememberingRunner();
    const stack = new BareStack(app, "test", { providers: [] });
    new DbInit(stack, "DbInit", { database: DATABASE, runner });
    stack.addOutputs({ script: { value: { ...runner.only.script }, description: "Script." } });
    const folder = synthesizeInto(app);
    expect(runner.only.scriptName).toBe("db-init.sh");
    expect(folder.read("scripts/db-init.sh")).toMatch(/^#!\/bin\/sh\n/);
    expect(terraformOf(stack).output?.script?.value).toEqual({
      path: "${path.module}/scripts/db-init.sh",
      sha256: '${filesha256("${path.module}/scripts/db-init.sh")}',
      base64: '${filebase64("${path.module}/scripts/db-init.sh")}',
      text: '${file("${path.module}/scripts/db-init.sh")}',
    });
  });

  it("needs no resource of its own", () => {
    expect(terraformOf(initializationIn().stack).resource).toBeUndefined();
  });
});
