import { exec } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { App } from "cdktf";
import { parse } from "yaml";

import { Deployment } from "../rehearsal/deployment/deployment";
import { serverlessStack, STACK_NAME } from "../stacks/serverless-stack";
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
const workflow = parse(blocksIn(pageOf("stacks/guides/state-and-pipelines.md").text, "yaml").join("\n")) as Workflow;
const { env = {}, steps = [] } = workflow.jobs.terraform ?? {};

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
    const service = new LoopbackServer((request, response) => {
      const answer = request.url === "/sts" ? { access_token: "ya29.first" } : { value: "ey.pipeline" };
      response.end(JSON.stringify(answer));
    });
    await service.start();
    const source = synthesizeInto(App.of(serverlessStack()), STACK_NAME).path;
    const deployment = await Deployment.start({ source, inputs: {}, program: programPath("terraform") });
    try {
      const repository = temporaryFolder();
      symlinkSync(deployment.folder, join(repository, "identity-provider"));
      writeFileSync(join(deployment.folder, "production.tfvars"), 'project_id = "my-project"\n');
      const environment = {
        ...deployment.programEnvironment,
        ...env,
        GOOGLE_OAUTH_ACCESS_TOKEN: undefined,
        GOOGLE_APPLICATION_CREDENTIALS: credentialsFile(service.host),
        PATH: `${deployment.programEnvironment.PATH ?? ""}:${dirname(programPath("terraform"))}`,
      };
      const order = ["pull_request", "push", "schedule"];
      const commands = steps
        .filter((step) => step.run !== undefined)
        .sort((one, other) => rank(one, order) - rank(other, order));
      for (const { run: command = "" } of commands)
        await run(command, { cwd: repository, env: environment, maxBuffer: 2 ** 28 });

      expect(deployment.cloud.ofType("google_cloud_run_v2_service")).toHaveLength(1);
    } finally {
      await deployment.stop();
      await service.stop();
    }
  });
});

function rank({ if: condition = "" }: Step, events: readonly string[]): number {
  return events.findIndex((event) => condition.includes(event));
}
