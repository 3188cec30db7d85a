import { TerraformLocal } from "cdktf";

import { DbInit, type DbInitProps } from "../../lib/idp/db-init";
import { type InitializationJobPlatform, type InitializationJobSpec } from "../../lib/idp/initialization-job";
import { bareStack, synthesizeInto, terraformOf, testApp, BareStack } from "../support/synthesis";

/** A platform that remembers what it was asked to run. */
class RememberingPlatform implements InitializationJobPlatform {
  readonly jobs: (InitializationJobSpec & { readonly path: string })[] = [];

  runJob: InitializationJobPlatform["runJob"] = (scope, id, job) => {
    this.jobs.push({ ...job, path: `${scope.node.path} ${id}` });
    return { jobName: `remembered-${job.name}`, completed: new TerraformLocal(scope, id, job.name) };
  };

  get only(): InitializationJobSpec & { readonly path: string } {
    const [job] = this.jobs;
    if (job === undefined || this.jobs.length > 1) throw new Error(`${this.jobs.length} jobs were run`);
    return job;
  }
}

const initializationIn = (overrides: Partial<DbInitProps> = {}) => {
  const stack = bareStack();
  const platform = new RememberingPlatform();
  const initialization = new DbInit(stack, "DbInit", {
    administratorPassword: { secretId: "administrator", version: "4" },
    database: {
      host: "/cloudsql/p:r:i",
      name: "demo_idp",
      user: "demo_role",
      password: { secretId: "password", version: "7" },
    },
    platform,
    ...overrides,
  });
  return { stack, initialization, job: platform.only };
};

describe("DbInit", () => {
  it("runs one job named db-init on whatever platform it is given", () => {
    const { initialization, job } = initializationIn();
    expect([job.name, job.path]).toEqual(["db-init", "test/DbInit Default"]);
    expect(initialization.jobName).toBe("remembered-db-init");
    expect(initialization.completed).toBeInstanceOf(TerraformLocal);
  });

  it("tells the script where the database is, what to create, and as whom", () => {
    expect(initializationIn().job.environment).toEqual({
      DB_HOST: "/cloudsql/p:r:i",
      DB_PORT: "5432",
      DB_NAME: "demo_idp",
      DB_USER: "demo_role",
      DB_ADMIN_USER: "postgres",
      DB_MANAGED_SUPERUSER_ROLE: "cloudsqlsuperuser",
      DB_WAIT_SECONDS: "300",
    });
  });

  it("hands both passwords over by reference", () => {
    expect(initializationIn().job.secretEnvironment).toEqual({
      DB_PASSWORD: { secretId: "password", version: "7" },
      DB_ADMIN_PASSWORD: { secretId: "administrator", version: "4" },
    });
  });

  it("tells where a proxy takes the signal to quit, only when there is a proxy", () => {
    expect(initializationIn().job.environment).not.toHaveProperty("DB_PROXY_QUIT_URL");
    const proxyQuitUrl = "http://127.0.0.1:9091/quitquitquit";
    expect(initializationIn({ proxyQuitUrl }).job.environment).toHaveProperty("DB_PROXY_QUIT_URL", proxyQuitUrl);
  });

  it("uses a client of the server's release unless told otherwise", () => {
    expect(initializationIn().job.image).toBe("docker.io/library/postgres:15-alpine");
    expect(initializationIn({ image: "mirror/postgres:15" }).job.image).toBe("mirror/postgres:15");
  });

  it("allows one attempt longer than the wait for the database, and two more attempts", () => {
    const { timeoutSeconds, maxRetries, environment } = initializationIn().job;
    expect([timeoutSeconds, maxRetries]).toEqual([600, 2]);
    expect(timeoutSeconds).toBeGreaterThan(Number(environment.DB_WAIT_SECONDS));
  });

  it("runs again when script, image, address, names or the password's version change, and for nothing else", () => {
    const { stack, job } = initializationIn({ image: "mirror/postgres:15" });
    stack.expose({ trigger: { value: { ...job.rerunWhenChanged }, description: "Trigger." } });
    expect(terraformOf(stack).output?.trigger?.value).toEqual({
      script: '${filesha256("${path.module}/scripts/db-init.sh")}',
      image: "mirror/postgres:15",
      host: "/cloudsql/p:r:i",
      database: "demo_idp",
      user: "demo_role",
      password_version: "7",
    });
  });

  it("puts the script into the folder and gives the job its path, hash and content as Terraform reads them", () => {
    const app = testApp();
    const platform = new RememberingPlatform();
    const stack = new BareStack(app, "test", { providers: [] });
    new DbInit(stack, "DbInit", {
      administratorPassword: { secretId: "a", version: "1" },
      database: { host: "h", name: "n", user: "u", password: { secretId: "p", version: "1" } },
      platform,
    });
    stack.expose({ script: { value: { ...platform.only.script }, description: "Script." } });
    const folder = synthesizeInto(app);
    expect(platform.only.scriptName).toBe("db-init.sh");
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
