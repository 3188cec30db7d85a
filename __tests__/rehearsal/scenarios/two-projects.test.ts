import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { Aspects, TerraformResource } from "cdktf";
import { type IConstruct } from "constructs";

import { ServerlessIdentityProvider } from "../../../lib";
import { PortableStack } from "../../../lib/core/portable-stack";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto, type Terraform, testApp } from "../../support/synthesis";
import { Deployment } from "../deployment/deployment";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalReport } from "../engine/run-context";

const PROJECTS = ["acme-project", "globex-project"];

/** Gives all that is in a construct, and is of google, to one provider. */
function use(provider: GoogleProvider, construct: IConstruct): void {
  Aspects.of(construct).add({
    visit: (node) => {
      const isOfGoogle =
        TerraformResource.isTerraformResource(node) && node.terraformGeneratorMetadata?.providerName === "google";
      if (isOfGoogle) node.provider = provider;
    },
  });
}

/** Rehearses one life of a stack with a tenant in each project, and collects the projects of all that it creates. */
async function life(): Promise<RehearsalReport & { readonly projects: ReadonlySet<unknown> }> {
  const app = testApp();
  const stack = new PortableStack(app, "test", { providers: ["google", "random"] });
  for (const projectId of PROJECTS) {
    // No provider without alias, and another project in each.
    const provider = new GoogleProvider(stack, `google-${projectId}`, { alias: projectId, project: "third-project" });
    const tenant = new ServerlessIdentityProvider(stack, projectId, {
      projectId,
      tenantId: "acme",
      deletionProtection: false,
      dumps: { schedule: "0 3 * * *" },
      existingContainerImage: "us-docker.pkg.dev/images/images/idp:2026.5.4",
    });
    use(provider, tenant);
  }
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
  it("are applied, each in its own and by its own provider, and destroyed", async () => {
    const { failure, projects } = await life();
    expect(failure).toBeUndefined();
    expect([...projects].sort()).toEqual(PROJECTS);
  });

  it("are planned on Kubernetes, where the token of each cluster is that of its provider's account", async () => {
    const app = testApp();
    const stack = new PortableStack(app, "test", { providers: ["google", "kubernetes", "random"] });
    for (const projectId of PROJECTS)
      use(
        new GoogleProvider(stack, `google-${projectId}`, { alias: projectId }),
        new KubernetesIdentityProvider(stack, projectId, { projectId, tenantId: "acme", bootstrapToken: true }),
      );
    const { path: source } = synthesizeInto(app);
    const { ephemeral = {}, resource = {} } = JSON.parse(
      readFileSync(join(source, "cdk.tf.json"), "utf8"),
    ) as Terraform;
    const chosen = [ephemeral, resource].map((types) =>
      Object.entries(types)
        .filter(([type]) => type.startsWith("google_"))
        .flatMap(([, elements]) => Object.entries(elements))
        .map(([name, { provider }]) => [name.startsWith("acme") ? PROJECTS[0] : PROJECTS[1], provider]),
    );
    expect(chosen.map(({ length }) => length > 4)).toEqual([true, true]);
    for (const [projectId, provider] of chosen.flat()) expect(provider).toBe(`google.${projectId as string}`);
    await Deployment.use({ source, inputs: {}, program: programPath("terraform") }, async (deployment) => {
      await deployment.init();
      await deployment.plan();
    });
  });
});
