import { GeneratedSecret } from "../../../lib/core/secrets/generated-secret";
import { ExistingIdentity } from "../../../lib/platform/identity/existing-identity";
import { brokenRules } from "../../support/broken-rules";
import { standInIdentity } from "../../support/stand-in-parts";
import { type BareStack, bareStack, terraformOf } from "../../support/synthesis";

const secretIn = (stack: BareStack, override?: string) =>
  new GeneratedSecret(stack, "Key", { projectId: "other-project", secretId: "secret-demo-key", length: 64, override });

describe("GeneratedSecret", () => {
  it("is granted once to each identity, under its name, and never to one that takes no grants", () => {
    const stack = bareStack();
    const secret = secretIn(stack);
    const runtime = standInIdentity("Runtime");
    expect(secret.grantAccess(runtime)[0]).toBe(secret.grantAccess(runtime)[0]);
    secret.grantAccess(standInIdentity("Runtime"));
    expect(secret.grantAccess(new ExistingIdentity("own@demo-project.iam.gserviceaccount.com"))).toEqual([]);
    expect(Object.keys(terraformOf(stack).resource?.google_secret_manager_secret_iam_member ?? {})).toEqual([
      "key_runtime",
      "key_runtime2",
    ]);
  });

  it.each([
    [{ secretId: "other-key" }, "no version"],
    [{ version: "3" }, "no secretId"],
  ])("refuses half of an existing secret, which nothing could read: %j", (existing, missing) => {
    const projectId = "other-project";
    const half = () =>
      new GeneratedSecret(bareStack(), "Key", { projectId, secretId: "secret-demo-key", length: 64, existing });
    expect(half).toThrow(
      brokenRules("test/Key", [
        `existing has ${missing}; it must have both, because no other secret would be made, and an empty one would be read; add it, or leave existing out`,
      ]),
    );
  });

  it("refuses a literal value, without showing it", () => {
    expect(() => secretIn(bareStack(), "hunter2-hunter2")).toThrow(
      brokenRules("test/Key", [
        "override is given as a literal; it must be a reference, because a literal would be written into the synthesized folder; pass the value of an ephemeral variable",
      ]),
    );
  });
});
