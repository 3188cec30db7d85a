import { exec } from "node:child_process";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { App } from "cdktf";
import { parse } from "yaml";

import { Deployment } from "../rehearsal/deployment/deployment";
import { SERVERLESS, STACK_NAME } from "../stacks/serverless-stack";
import { LoopbackServer } from "../support/loopback-server";
import { describeWith, programPath } from "../support/programs";
import { synthesizeInto } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { blocksIn, pageOf } from "../tools/pages";

interface Step {
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >;
}

const run = promisify(exec);
const workflowOf = (page: string) =>
  parse(blocksIn(pageOf(`stacks/guides/${page}.md`).text, "yaml").join("\n")) as Workflow;
const workflow = workflowOf("state-and-pipelines");
const { steps = [] } = workflow.jobs.terraform ?? {};
const ROTATION = workflowOf("rotate-on-a-schedule").jobs.terraform;

/** What the step that signs in writes, with a token service of the test. */
function credentialsFile(host: string): string {
  const file = join(temporaryFolder(), "credentials.json");
  const source = {
    url: `http://${host}/oidc`,
    headers: { Authorization: "Bearer of-the-run" },
    format: { type: "json", subject_token_field_name: "value" },
  };
  writeFileSync(
    file,
    JSON.stringify({ type: "external_account", token_url: `http://${host}/sts`, credential_source: source }),
  );
  return file;
}

describeWith(["curl", "dash", "jq", "terraform"], "The pipeline of the page", () => {
  it("may ask for an identity, and signs in before Terraform runs", () => {
    expect(workflow.permissions).toEqual({ contents: "read", "id-token": "write" });
    const signsIn = steps.findIndex(({ uses = "" }) => uses.startsWith("google-github-actions/auth@"));
    expect(steps[signsIn]?.with).toEqual({
      workload_identity_provider: expect.stringContaining("/workloadIdentityPools/") as string,
      // Whoever opens a pull request decides what its plan runs.
      service_account: expect.stringContaining("github.event_name == 'push' && 'deployer' || 'planner'") as string,
    });
    expect(steps.findIndex((step) => step.run !== undefined)).toBeGreaterThan(signsIn);
    for (const { uses } of steps.filter((step) => step.uses !== undefined)) expect(uses).toMatch(/@v\d+$/);
  });

  it.each(["pull_request", "push", "schedule"])("plans or applies at a %s", (event) => {
    const commands = steps.filter((step) => step.if === `github.event_name == '${event}'`);
    expect(commands).toHaveLength(1);
    expect(commands[0]?.run?.includes(" apply ")).toBe(event === "push");
  });

  it("applies a folder without gcloud, with nothing but the file that it signs in with", async () => {
    const order = ["pull_request", "push", "schedule"];
    const commands = steps
      .filter((step) => step.run !== undefined)
      .sort((one, other) => rank(one, order) - rank(other, order));
    await inRepository(async ({ cloud }, execute) => {
      await execute(commands);
      expect(cloud.ofType("google_cloud_run_v2_service")).toHaveLength(1);
    });
  });

  it("replaces the database password each time that its schedule runs", async () => {
    await inRepository(async ({ cloud, folder }, execute) => {
      const file = join(folder, "rotation.auto.tfvars.json");
      writeFileSync(file, '{ "database_passwords": { "version": 1 } }\n');
      for (const number of [2, 3]) {
        const said = await execute(ROTATION?.steps.filter((step) => step.run !== undefined) ?? []);
        expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ database_passwords: { version: number } });
        const logins = [...cloud.databaseRoles.keys()].map((login) => login.endsWith("_b"));
        expect(logins).toEqual([number % 2 === 0]);
        expect(said).toContain(
          "commit --message=Rotate the database password identity-provider/rotation.auto.tfvars.json\npush\n",
        );
        expect(said).toContain(`The database password has the number ${number}.\n`);
      }
    });
  });
});

/**
 * A repository with a folder, whose steps are executed as the runner does; git and the summary are what they would be
 * told.
 */
async function inRepository(
  work: (deployment: Deployment, execute: (steps: readonly Step[]) => Promise<string>) => Promise<void>,
): Promise<void> {
  const service = new LoopbackServer((request, response) => {
    const answer = request.url === "/sts" ? { access_token: "ya29.first" } : { value: "ey.pipeline" };
    response.end(JSON.stringify(answer));
  });
  await service.start();
  const source = synthesizeInto(App.of(SERVERLESS.stack()), STACK_NAME).path;
  const deployment = await Deployment.start({ source, inputs: {}, program: programPath("terraform") });
  try {
    const repository = temporaryFolder();
    const summary = join(repository, "summary");
    symlinkSync(deployment.folder, join(repository, "identity-provider"));
    writeFileSync(join(deployment.folder, "production.tfvars"), 'project_id = "my-project"\n');
    writeFileSync(join(repository, "git"), `#!/bin/sh\necho "$*" >> '${summary}'\n`, { mode: 0o755 });
    const environment = {
      ...deployment.programEnvironment,
      ...workflow.jobs.terraform?.env,
      GITHUB_STEP_SUMMARY: summary,
      GOOGLE_OAUTH_ACCESS_TOKEN: undefined,
      GOOGLE_APPLICATION_CREDENTIALS: credentialsFile(service.host),
      PATH: [repository, deployment.programEnvironment.PATH, dirname(programPath("terraform"))].join(":"),
    };
    await work(deployment, async (commands) => {
      for (const { run: command = "" } of commands)
        await run(command, { cwd: repository, env: environment, maxBuffer: 2 ** 28 });
      return existsSync(summary) ? readFileSync(summary, "utf8") : "";
    });
  } finally {
    await deployment.stop();
    await service.stop();
  }
}

function rank({ if: condition = "" }: Step, events: readonly string[]): number {
  return events.findIndex((event) => condition.includes(event));
}
