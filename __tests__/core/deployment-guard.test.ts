import { DataGoogleProject } from "@cdktf/provider-google/lib/data-google-project";
import { Project } from "@cdktf/provider-google/lib/project";
import { Fn, TerraformLocal, TerraformVariable } from "cdktf";
import { type Construct } from "constructs";

import { ServerlessIdentityProvider } from "../../lib";
import { bareStack, resourceOf, terraformOf, warningsOf } from "../support/synthesis";

const variable = (scope: Construct) => new TerraformVariable(scope, "my_tenant", { type: "string" }).stringValue;
const data = (scope: Construct) => new DataGoogleProject(scope, "read", { projectId: "a" }).name;
const made = (scope: Construct) => new Project(scope, "made", { name: "a", projectId: "a" }).name;
const local = (scope: Construct, value: string) => new TerraformLocal(scope, "tenant", value).asString;

describe("What makes a protected deployment what it is", () => {
  it("is recorded once there is a database to lose, so that a first apply that failed can be repeated elsewhere", () => {
    const stack = bareStack();
    new ServerlessIdentityProvider(stack, "Idp", { projectId: "demo-project", tenantId: "acme" });
    const record = resourceOf(terraformOf(stack), "terraform_data", "idp_protected_identity");
    expect(record.depends_on).toContain("google_sql_database_instance.idp_database");
  });

  it.each<[string, (scope: Construct) => string, boolean]>([
    ["a literal", () => "acme", true],
    ["a local of a variable", (scope) => local(scope, Fn.lower(variable(scope))), true],
    ["a text with a data source", (scope) => `a-${data(scope)}`, true],
    ["a resource", made, false],
    ["a local of a resource", (scope) => local(scope, `a-${made(scope)}`), false],
  ])("is compared at plan if a plan knows it, and warned of if not: %s", (name, tenantOf, isCompared) => {
    const stack = bareStack();
    const tenantId = tenantOf(stack);
    new ServerlessIdentityProvider(stack, "Idp", { projectId: "demo-project", tenantId });
    const check = resourceOf(terraformOf(stack), "terraform_data", "idp_identity_check");
    const { precondition } = check.lifecycle as { precondition: { error_message: string }[] };
    const subjects = precondition.map(({ error_message: message }) => message.split(" ")[0]);
    expect(subjects.includes("tenantId")).toBe(isCompared);
    const { triggers_replace: triggers } = resourceOf(terraformOf(stack), "terraform_data", "idp_identity_guard");
    // A read may be unknown at plan, and would replace the guard, which refuses.
    expect(triggers).toHaveProperty("projectId");
    expect("tenantId" in (triggers as object)).toBe(isCompared && !name.includes("data source"));
    expect(
      warningsOf(stack).some((warning) => String(warning).includes("a resource of this stack determines tenantId;")),
    ).toBe(!isCompared);
  });
});
