import { expression, rendered } from "../../../lib/core/expression";
import { type ReadableSecret } from "../../../lib/core/generated-secret";
import { TerraformData } from "../../../lib/core/terraform-data";
import { type SecretSettings } from "../../../lib/idp/secret-settings";
import { WorkloadSecret } from "../../../lib/platform/kubernetes/workload-secret";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { namespaceIn, PLACE, standInSecret, standInSettings } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

const secretIn = (
  values: Record<string, ReadableSecret>,
  stack = bareStack(),
  settings?: readonly SecretSettings[],
) => {
  const namespace = namespaceIn(stack);
  const props = { name: "idp", namespace, projectId: PLACE.projectId, values, settings };
  const secret = new WorkloadSecret(stack, "Secrets", props);
  const terraform = terraformOf(stack);
  return { secret, stack, terraform, resource: resourceOf(terraform, "kubernetes_secret_v1", "secrets") };
};

describe("WorkloadSecret", () => {
  it("contains values that are read at apply and written without being stored", () => {
    expect(secretIn({ DB_PASSWORD: standInSecret("database", "3") }).resource).toEqual({
      metadata: {
        name: "idp-${substr(sha256(local.secrets_versions), 0, 10)}",
        namespace: "${kubernetes_namespace_v1.namespace.metadata[0].name}",
      },
      type: "Opaque",
      // An update that the API refuses would be recorded as done.
      immutable: true,
      data_wo: { DB_PASSWORD: "${ephemeral.stored.database}" },
      data_wo_revision: 1,
      depends_on: [],
    });
  });

  it("is another object when any of its versions changes", () => {
    const { terraform } = secretIn({ A: standInSecret("a", "1"), B: standInSecret("b", "4") });
    expect(terraform.locals).toMatchObject({ secrets_versions: "A=a/1,B=b/4" });
  });

  it("is written only when its values may be used", () => {
    const stack = bareStack();
    const stored = new TerraformData(stack, "Stored", {});
    const { resource } = secretIn({ A: { ...standInSecret("a"), ready: [stored] } }, stack);
    expect(resource.depends_on).toEqual(["terraform_data.stored"]);
  });

  it("may be empty", () => {
    expect(secretIn({}).resource).toMatchObject({ data_wo: {}, data_wo_revision: 1 });
  });

  it("exists only if its condition holds, and pods start without it after its removal", () => {
    const stack = bareStack();
    const secret = new WorkloadSecret(stack, "Secrets", {
      name: "idp",
      namespace: namespaceIn(stack),
      projectId: PLACE.projectId,
      condition: expression("var.wanted"),
      values: {},
      settings: [standInSettings("var.settings")],
    });
    const resource = resourceOf(terraformOf(stack), "kubernetes_secret_v1", "secrets");
    expect(resource.count).toBe("${(var.wanted) ? 1 : 0}");
    // It would spread to namespace and cluster, which cannot exist twice.
    expect(resource.lifecycle).toBeUndefined();
    expect(rendered(stack, secret.furtherEntries)).toMatchObject({
      content: { value_from: [{ secret_key_ref: [{ optional: true }] }] },
    });
    expect(rendered(stack, secret.secretName)).toBe("${one(kubernetes_secret_v1.secrets[*].metadata[0].name)}");
  });

  it("reads further secrets, of which only Terraform knows the names, under keys without a double underscore", () => {
    const stack = bareStack();
    const stored = new TerraformData(stack, "Stored", {});
    const settings = [{ ...standInSettings("var.settings"), ready: [stored] }];
    const { resource, secret, terraform } = secretIn({ A: standInSecret("a") }, stack, settings);
    expect(terraform.locals).toMatchObject({ secrets_references: "${var.settings}" });
    expect(terraform.ephemeral?.google_secret_manager_secret_version?.secrets_further).toEqual({
      for_each: "${local.secrets_references}",
      project: "demo-project",
      // Before the namespace exists, this is unknown, and nothing is read at plan.
      secret: '${kubernetes_namespace_v1.namespace.id == "" ? "" : each.value.secret_id}',
      version: "${each.value.version}",
      depends_on: ["terraform_data.stored"],
    });
    const read = "ephemeral.google_secret_manager_secret_version.secrets_further";
    expect(resource.data_wo).toBe(
      `\${merge({"A" = ephemeral.stored.a}, ` +
        `{ for name, value in { for key, opened in ${read} : key => opened.secret_data } : replace(name, "__", ".") => value })}`,
    );
    expect(rendered(stack, secret.furtherEntries)).toEqual({
      forEach: "${local.secrets_references}",
      content: {
        name: "${env.key}",
        value_from: [
          {
            secret_key_ref: [
              {
                name: "${kubernetes_secret_v1.secrets.metadata[0].name}",
                key: '${replace(env.key, "__", ".")}',
              },
            ],
          },
        ],
      },
    });
  });
});

describeWith(["terraform"], "WorkloadSecret with further secrets, read by Terraform", () => {
  const SMTP = { secret_id: "smtp", version: 3 };

  /** What the name is a hash of, for several sets of further secrets. */
  const versionsOf = (...sets: readonly Readonly<Record<string, object>>[]) => {
    const all = sets.map((references, index) => {
      const { terraform } = secretIn({ A: standInSecret("a", "5") }, bareStack(), [standInSettings("var.settings")]);
      return String(terraform.locals?.secrets_versions).replaceAll(
        "local.secrets_references",
        `jsondecode(local.set_${index})`,
      );
    });
    const locals = Object.fromEntries(sets.map((references, index) => [`set_${index}`, JSON.stringify(references)]));
    return evaluated({ locals: { ...locals, all } }).all;
  };

  it("is another object when one comes, goes, is renamed, is another or has another version", () => {
    expect(
      versionsOf(
        {},
        { X: SMTP },
        { Y: SMTP },
        { X: SMTP, Y: SMTP },
        { X: { ...SMTP, version: 2 } },
        { X: { ...SMTP, secret_id: "projects/other-project/secrets/smtp" } },
        { X: { ...SMTP, identity: "first" } },
      ),
    ).toEqual([
      "A=a/5,",
      "A=a/5,X=smtp:3",
      "A=a/5,Y=smtp:3",
      "A=a/5,X=smtp:3,Y=smtp:3",
      "A=a/5,X=smtp:2",
      "A=a/5,X=projects/other-project/secrets/smtp:3",
      "A=a/5,X=smtp:first",
    ]);
  });
});
