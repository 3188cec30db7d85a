import { rmSync } from "node:fs";

import { GoogleProvider, type GoogleProviderConfig } from "@cdktf/provider-google/lib/provider";

import { ServerlessIdentityProvider } from "../../../lib";
import { PortableStack } from "../../../lib/core/portable-stack";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto, testApp } from "../../support/synthesis";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalReport } from "../engine/run-context";

const PROJECTS = ["acme-project", "globex-project"];

/** Rehearses one life of a stack with a tenant in each project, and collects the projects of all that it creates. */
async function lifeOf(
  config: GoogleProviderConfig,
): Promise<RehearsalReport & { readonly projects: ReadonlySet<unknown> }> {
  const app = testApp();
  const stack = new PortableStack(app, "test", { providers: ["google", "random"] });
  new GoogleProvider(stack, "google", config);
  for (const projectId of PROJECTS)
    new ServerlessIdentityProvider(stack, projectId, {
      projectId,
      tenantId: "acme",
      deletionProtection: false,
      dumpSchedule: "0 3 * * *",
      existingContainerImage: "us-docker.pkg.dev/images/images/idp:2026.5.4",
    });
  const { path: folder } = synthesizeInto(app);

  const projects = new Set<unknown>();
  const report = await rehearse({
    folder,
    program: programPath("terraform"),
    parts: ["life", "changes"],
    rehearsal: {
      inputs: {},
      changes: [
        {
          name: "nothing",
          expected: {},
          verify: ({ cloud }) => {
            for (const { type, values } of cloud.objects.values())
              // A version is in the project of its secret.
              if ("project" in values && type !== "google_secret_manager_secret_version") projects.add(values.project);
          },
        },
      ],
    },
  });
  if (report.failure !== undefined) rmSync(report.failure.folder, { recursive: true, force: true });
  return { ...report, projects };
}

describeWith(["terraform", "curl", "jq"], "Two tenants in two projects of one stack", () => {
  it("are applied, each in its own, and destroyed, where the provider has a third project", async () => {
    const { failure, projects } = await lifeOf({ project: "third-project" });
    expect(failure).toBeUndefined();
    expect([...projects].sort()).toEqual(PROJECTS);
  });
});
