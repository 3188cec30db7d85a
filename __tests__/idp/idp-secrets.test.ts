import { InputVariable } from "../../lib/core/input-variable";
import { IdpSecrets, type IdpSecretsProps } from "../../lib/idp/idp-secrets";
import { type ReadableSecret } from "../../lib/core/generated-secret";
import { PLACE, placeOf, standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceAddresses, resourceOf, terraformOf, type Terraform } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

const RUNNER = "serviceAccount:runner@demo-project.iam.gserviceaccount.com";

const secretsIn = (overrides: Partial<IdpSecretsProps> = {}) => {
  const stack = bareStack();
  const secrets = new IdpSecrets(stack, "Secrets", {
    place: PLACE,
    ...overrides,
  });
  return { stack, secrets, terraform: () => terraformOf(stack) };
};

const referenceTo = ({ secretId, version: number }: ReadableSecret) => ({ secretId, version: number });
const secretKey = (terraform: Terraform) => resourceOf(terraform, "google_secret_manager_secret", "secrets_secret_key");
const bootstrapPassword = (terraform: Terraform) =>
  resourceOf(terraform, "google_secret_manager_secret", "secrets_bootstrap_password");
const version = (terraform: Terraform, name: string) =>
  resourceOf(terraform, "google_secret_manager_secret_version", `secrets_${name}_version`);
const candidate = (terraform: Terraform, name: string) =>
  resourceOf(terraform, "random_password", `secrets_${name}_candidate`, "ephemeral");

describe("IdpSecrets", () => {
  it("names both after tenant and application, so that they can be listed by the application's name", () => {
    const terraform = secretsIn().terraform();
    expect(secretKey(terraform).secret_id).toBe("secret-demo-abc123-idp-secret-key");
    expect(bootstrapPassword(terraform).secret_id).toBe("secret-demo-abc123-idp-bootstrap-password");
  });

  it.each([
    ["secret_key", 64],
    ["bootstrap_password", 24],
  ])(
    "generates %s with %d letters and digits, of each at least one, so that it never reads as a number",
    (name, length) => {
      expect(candidate(secretsIn().terraform(), name)).toEqual({
        length,
        special: false,
        min_lower: 1,
        min_upper: 1,
        min_numeric: 1,
      });
    },
  );

  it("creates two secrets with a version each and nothing that keeps a value in the state", () => {
    const terraform = secretsIn().terraform();
    expect(resourceAddresses(terraform)).toEqual([
      "google_secret_manager_secret.secrets_bootstrap_password",
      "google_secret_manager_secret.secrets_secret_key",
      "google_secret_manager_secret_version.secrets_bootstrap_password_version",
      "google_secret_manager_secret_version.secrets_secret_key_version",
      "terraform_data.secrets_secret_key_check",
      "terraform_data.secrets_secret_key_first",
    ]);
    for (const name of ["secret_key", "bootstrap_password"]) {
      expect(version(terraform, name)).toMatchObject({
        secret: `\${google_secret_manager_secret.secrets_${name}.id}`,
        secret_data_wo: `\${ephemeral.random_password.secrets_${name}_candidate.result}`,
        secret_data_wo_version: 1,
      });
    }
  });

  it("writes a new bootstrap password when its version is raised, and leaves the secret key alone", () => {
    const terraform = secretsIn({ bootstrapPasswordVersion: 3 }).terraform();
    expect(version(terraform, "bootstrap_password").secret_data_wo_version).toBe(3);
    expect(version(terraform, "secret_key").secret_data_wo_version).toBe(1);
  });

  it("stores a given bootstrap password instead of the generated one, and treats an empty one as none", () => {
    const { stack, terraform } = secretsIn();
    const given = new InputVariable(stack, "given", { type: "string", description: "First.", ephemeral: true });
    new IdpSecrets(stack, "Other", {
      place: placeOf({ applicationName: "other" }),
      bootstrapPassword: given.stringValue,
    });
    expect(
      resourceOf(terraform(), "google_secret_manager_secret_version", "other_bootstrap_password_version")
        .secret_data_wo,
    ).toBe("${coalesce(var.given, ephemeral.random_password.other_bootstrap_password_candidate.result)}");
    expect(
      resourceOf(terraform(), "google_secret_manager_secret_version", "other_secret_key_version").secret_data_wo,
    ).toBe("${ephemeral.random_password.other_secret_key_candidate.result}");
  });

  it.each([
    ["unless told otherwise", undefined, true],
    ["when told so", true, true],
    ["not when told so", false, false],
  ])("protects both from deletion %s", (_when, deletionProtection, expected) => {
    const terraform = secretsIn({ deletionProtection }).terraform();
    expect(secretKey(terraform).deletion_protection).toBe(expected);
    expect(bootstrapPassword(terraform).deletion_protection).toBe(expected);
  });

  it("labels both, replicates them automatically, and waits for its dependencies", () => {
    const { stack } = secretsIn();
    const first = new IdpSecrets(stack, "First", { place: placeOf({ applicationName: "first" }) });
    new IdpSecrets(stack, "Second", {
      place: { ...placeOf({ applicationName: "second" }), labels: { team: "identity" } },
      dependsOn: first.ready,
    });
    for (const name of ["second_secret_key", "second_bootstrap_password"]) {
      expect(resourceOf(terraformOf(stack), "google_secret_manager_secret", name)).toMatchObject({
        labels: { team: "identity" },
        replication: { auto: {} },
        depends_on: [
          "google_secret_manager_secret_version.first_secret_key_version",
          "terraform_data.first_secret_key_check",
          "google_secret_manager_secret_version.first_bootstrap_password_version",
        ],
      });
    }
  });

  it.each([
    ["secretKey", "secret_key"],
    ["bootstrapPassword", "bootstrap_password"],
  ] as const)("lets a principal read only %s", (secret, name) => {
    const { secrets, terraform } = secretsIn();
    secrets[secret].grantAccess(standInIdentity("Runner"));
    expect(terraform().resource?.google_secret_manager_secret_iam_member).toEqual({
      [`secrets_${name}_runner`]: {
        project: "demo-project",
        secret_id: `\${google_secret_manager_secret.secrets_${name}.id}`,
        role: "roles/secretmanager.secretAccessor",
        member: RUNNER,
        depends_on: [],
      },
    });
  });

  it("refers readers to the stored version by its number", () => {
    const { stack, secrets } = secretsIn();
    stack.addOutputs({
      key: { value: referenceTo(secrets.secretKey), description: "Key." },
      password: { value: referenceTo(secrets.bootstrapPassword), description: "Password." },
    });
    const { output } = terraformOf(stack);
    expect(output?.key?.value).toEqual({
      secretId: "${google_secret_manager_secret.secrets_secret_key.secret_id}",
      version: "${google_secret_manager_secret_version.secrets_secret_key_version.version}",
    });
    expect(output?.password?.value).toEqual({
      secretId: "${google_secret_manager_secret.secrets_bootstrap_password.secret_id}",
      version: "${google_secret_manager_secret_version.secrets_bootstrap_password_version.version}",
    });
  });

  it("refuses a password in plain text without repeating it, and a version that is none, both at once", () => {
    expect(() => secretsIn({ bootstrapPassword: "hunter2-in-plain", bootstrapPasswordVersion: 0 })).toThrow(
      brokenRules("test/Secrets", [
        "bootstrapPassword is given as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable",
        "bootstrapPasswordVersion is 0; it must be a whole number from 1, because a change of it is what writes the secret; use 1 and raise it by one",
      ]),
    );
  });

  it("says whether a password is there, never what it is", () => {
    expect(() => secretsIn({ bootstrapPassword: "" })).toThrow(
      brokenRules("test/Secrets", [
        "bootstrapPassword is missing as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable",
      ]),
    );
  });

  it("creates a token for the application's API on request, without deletion protection", () => {
    const { secrets, terraform } = secretsIn({ bootstrapToken: true });
    expect(resourceOf(terraform(), "google_secret_manager_secret", "secrets_bootstrap_token")).toMatchObject({
      secret_id: "secret-demo-abc123-idp-bootstrap-token",
      deletion_protection: false,
    });
    expect(candidate(terraform(), "bootstrap_token").length).toBe(60);
    expect(secrets.settings).toHaveLength(1);
  });

  it("creates no token unless requested, and decides at plan if the request is an input", () => {
    expect(secretsIn({ bootstrapToken: false }).secrets).toMatchObject({ bootstrapToken: undefined, settings: [] });
    const stack = bareStack();
    const wanted = new InputVariable(stack, "wanted", { type: "bool", default: false, description: "Whether." });
    new IdpSecrets(stack, "Secrets", { place: PLACE, bootstrapToken: wanted.booleanValue });
    expect(resourceOf(terraformOf(stack), "google_secret_manager_secret", "secrets_bootstrap_token").count).toBe(
      "${(var.wanted) ? 1 : 0}",
    );
  });
});
