import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App, TerraformOutput, TerraformVariable } from "cdktf";
import { PortableStack, ServerlessIdentityProvider, type ServerlessIdentityProviderProps } from "cdktf-idp-stacks";

const location = { projectId: "my-project", region: "europe-west1" };

/** One tenant with a separate stack, folder and state, so that a change of one tenant cannot affect the other. */
class SignIn extends PortableStack {
  constructor(app: App, tenantId: string, props: Partial<ServerlessIdentityProviderProps> = {}) {
    super(app, tenantId, { providers: ["google", "random"] });
    new GoogleProvider(this, "google", { project: location.projectId, region: location.region });
    // Before a destroy: terraform apply -var protect=false.
    const protect = new TerraformVariable(this, "protect", { type: "bool", default: true });
    // The tenant id is part of every name, so that both tenants fit in one project.
    const identityProvider = new ServerlessIdentityProvider(this, "IdentityProvider", {
      ...location,
      tenantId,
      // For a new deployment. If left out, an older release with known vulnerabilities runs.
      applicationVersion: "2026.8.7",
      databaseVersion: 17,
      deletionProtection: protect.booleanValue,
      ...props,
    });
    new TerraformOutput(this, "address", { value: identityProvider.url });
  }
}

const app = new App();
const tenants = {
  acme: () => new SignIn(app, "acme", { databaseAvailability: "REGIONAL", minInstanceCount: 2 }),
  globex: () => new SignIn(app, "globex"),
};
// `npx tsx main.ts globex` builds this tenant alone. The framework's command line would delete the folders of the
// others.
const asked = process.argv.slice(2);
for (const tenant of asked) if (!(tenant in tenants)) throw new Error(`no tenant is named ${tenant}`);
for (const [tenant, build] of Object.entries(tenants)) if (asked.length === 0 || asked.includes(tenant)) build();
app.synth();
