import { reference } from "../../lib/core/expr/expr";
import { ExistingSecrets } from "../../lib/idp/existing-secrets";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";

const secretsIn = (...maps: readonly string[]) => {
  const stack = bareStack();
  const references = maps.map((map) => reference(map, { knownAt: "plan", mayBeNull: false }));
  const secrets = new ExistingSecrets(stack, "Secrets", { projectId: "demo-project", references });
  return { secrets, terraform: () => terraformOf(stack) };
};

describe("ExistingSecrets", () => {
  it("grants nothing to an identity whose permissions are managed elsewhere", () => {
    const { secrets, terraform } = secretsIn('{ IDP_EMAIL__PASSWORD = { secret_id = "smtp", version = "3" } }');
    expect(secrets.grantAccess(standInIdentity("Runtime", { grantable: false }))).toEqual([]);
    expect(terraform().resource).toBeUndefined();
  });
});

describeWith(["terraform"], "ExistingSecrets, read by Terraform", () => {
  const foundIn = (...references: readonly string[]) => {
    const { secrets, terraform } = secretsIn(...references);
    secrets.grantAccess(standInIdentity("Runtime"));
    const grant = resourceOf(terraform(), "google_secret_manager_secret_iam_member", "secrets_runtime");
    const locals = { ...terraform().locals, granted: grant.for_each };
    const { granted, secrets_references: found } = evaluated({ locals });
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
