import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App, TerraformOutput } from "cdktf";
import { PortableStack, ServerlessIdentityProvider, warningsOf } from "cdktf-idp-stacks";

const app = new App();
// The folder states which releases of these providers it takes. Of the two, only Google's needs settings.
const stack = new PortableStack(app, "sign-in", { providers: ["google", "random"] });
new GoogleProvider(stack, "google", { project: "my-project", region: "europe-west1" });

const identityProvider = new ServerlessIdentityProvider(stack, "IdentityProvider", {
  projectId: "my-project",
  region: "europe-west1",
  tenantId: "acme",
  // For a new deployment. If left out, an older release with known vulnerabilities runs.
  applicationVersion: "2026.8.7",
  databaseVersion: 17,
  // For a trial. Leave it out to protect the data.
  deletionProtection: false,
});
// No prop sets how much of a query Query Insights keeps. Name one argument; a whole block would lose the rest.
identityProvider.database.instance?.addOverride("settings.insights_config.query_string_length", 4096);
new TerraformOutput(stack, "address", { value: identityProvider.url });
app.synth();

for (const warning of warningsOf(app)) console.warn(`Warning: ${warning}`);
const folder = `${app.outdir}/stacks/${stack.node.id}`;
console.log(`Next: terraform -chdir=${folder} init && terraform -chdir=${folder} apply`);
