import { ref } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { ExistingSecrets, type ExistingSecretsProps } from "../../lib/idp/existing-secrets";
import { type SecretReferences } from "../../lib/idp/secret-references";
import { evaluatedTogether } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const RUNNER = standInIdentity("Runtime");

const secretsIn = (references: readonly SecretReferences[], props: Partial<ExistingSecretsProps> = {}) => {
  const stack = bareStack();
  const secrets = new ExistingSecrets(stack, "Secrets", { projectId: "demo-project", references, ...props });
  return { stack, secrets, terraform: () => terraformOf(stack) };
};

const grantOf = (terraform: ReturnType<typeof terraformOf>) =>
  resourceOf(terraform, "google_secret_manager_secret_iam_member", "secrets_runtime");

describe("ExistingSecrets", () => {
  const LITERAL = { IDP_EMAIL__PASSWORD: { secretId: "smtp", version: 3 } };

  it("grants an identity read access to each secret and nothing else, once for all consumers", () => {
    const { secrets, terraform } = secretsIn([LITERAL]);
    const granted = secrets.grantAccess(RUNNER);
    expect(secrets.grantAccess(RUNNER)).toEqual(granted);
    expect(grantOf(terraform())).toMatchObject({
      secret_id: "${each.value}",
      role: "roles/secretmanager.secretAccessor",
      member: RUNNER.member,
    });
  });

  it("grants nothing to an identity whose permissions are managed elsewhere", () => {
    const { secrets, terraform } = secretsIn([LITERAL]);
    expect(secrets.grantAccess(standInIdentity("Runtime", { grantable: false }))).toEqual([]);
    expect(terraform().resource).toBeUndefined();
  });
});

describeWith(["terraform"], "ExistingSecrets, read by Terraform", () => {
  const expressionsOf = (references: readonly SecretReferences[], given: unknown = {}) => {
    const { secrets, stack, terraform } = secretsIn(references);
    new InputVariable(stack, "given", { type: "any", default: given, description: "Given." });
    secrets.grantAccess(RUNNER);
    const { locals, variable } = terraform();
    return { variable, locals: { ...locals, granted: grantOf(terraform()).for_each } };
  };
  const foundIn = (...cases: readonly (readonly [references: readonly SecretReferences[], given?: unknown])[]) =>
    Object.values(
      evaluatedTogether(
        ["secrets_references", "granted"],
        Object.fromEntries(cases.map((each, index) => [index, expressionsOf(...each)])),
      ),
    ).map(({ granted, secrets_references: found }) => ({ found, granted }));

  const input = () => ref("var.given");

  it("are the same from literals and from an input", () => {
    const expected = {
      found: { A: { secret_id: "smtp", version: "3" }, B: { secret_id: "other", version: "12" } },
      granted: ["projects/demo-project/secrets/other", "projects/demo-project/secrets/smtp"],
    };
    const literals = { A: { secretId: "smtp", version: 3 }, B: { secretId: "other", version: "12" } };
    const given = { A: { secret_id: "smtp", version: "3" }, B: { secret_id: "other", version: "12" } };
    expect(
      foundIn([[literals]], [[input()], given], [[{ B: { secretId: "other", version: 12 } }, input()], { A: given.A }]),
    ).toEqual([expected, expected, expected]);
  });

  it("name a secret of another project in full, and grant one secret once, however it is named", () => {
    const full = "projects/other-project/secrets/smtp";
    const twice = {
      A: { secretId: "smtp", version: 1 },
      B: { secretId: "projects/demo-project/secrets/smtp", version: 2 },
    };
    expect(foundIn([[{ A: { secretId: full, version: 1 } }]], [[twice]])).toEqual([
      { found: { A: { secret_id: full, version: "1" } }, granted: [full] },
      {
        found: { A: { secret_id: "smtp", version: "1" }, B: { secret_id: "smtp", version: "2" } },
        granted: ["projects/demo-project/secrets/smtp"],
      },
    ]);
  });
});
