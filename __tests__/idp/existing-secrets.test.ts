import { ExistingSecrets, type ExistingSecretsProps } from "../../lib/idp/existing-secrets";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const RUNNER = standInIdentity("Runtime");

const secretsIn = (references: readonly string[], props: Partial<ExistingSecretsProps> = {}) => {
  const stack = bareStack();
  const secrets = new ExistingSecrets(stack, "Secrets", { projectId: "demo-project", references, ...props });
  return { stack, secrets, terraform: () => terraformOf(stack) };
};

const grantOf = (terraform: ReturnType<typeof terraformOf>) =>
  resourceOf(terraform, "google_secret_manager_secret_iam_member", "secrets_runtime");

describe("ExistingSecrets", () => {
  const LITERAL = '{ IDP_EMAIL__PASSWORD = { secret_id = "smtp", version = "3" } }';

  it("grants nothing to an identity whose permissions are managed elsewhere", () => {
    const { secrets, terraform } = secretsIn([LITERAL]);
    expect(secrets.grantAccess(standInIdentity("Runtime", { grantable: false }))).toEqual([]);
    expect(terraform().resource).toBeUndefined();
  });
});

describeWith(["terraform"], "ExistingSecrets, read by Terraform", () => {
  const foundIn = (...references: readonly string[]) => {
    const { secrets, terraform } = secretsIn(references);
    secrets.grantAccess(RUNNER);
    const { locals } = terraform();
    const { granted, secrets_references: found } = evaluated({
      locals: { ...locals, granted: grantOf(terraform()).for_each },
    });
    return { found, granted };
  };

  it("name a secret of another project in full, and grant one secret once, however it is named", () => {
    const full = "projects/other-project/secrets/smtp";
    expect(
      foundIn(
        `{ A = { secret_id = "${full}", version = "1" }, B = { secret_id = "smtp", version = "1" } }`,
        '{ C = { secret_id = "projects/demo-project/secrets/smtp", version = "2" } }',
      ),
    ).toEqual({
      found: {
        A: { secret_id: full, version: "1" },
        B: { secret_id: "smtp", version: "1" },
        C: { secret_id: "smtp", version: "2" },
      },
      granted: ["projects/demo-project/secrets/smtp", full],
    });
  });
});
