import { InputVariable } from "../../../lib/core/input-variable";
import { ExistingIdentity } from "../../../lib/platform/identity/existing-identity";
import { bareStack } from "../../support/synthesis";

const EMAIL = "runner@my-project.iam.gserviceaccount.com";

describe("ExistingIdentity", () => {
  it("may be any kind of service account, or one that only Terraform knows", () => {
    const input = new InputVariable(bareStack(), "account", { type: "string", description: "Account." }).stringValue;
    for (const email of ["123-compute@developer.gserviceaccount.com", "my-project@appspot.gserviceaccount.com", input])
      expect(new ExistingIdentity(email).email).toBe(email);
  });

  it.each(["runner", "me@example.com", `serviceAccount:${EMAIL}`])(
    "is refused when it is no address of one: %j",
    (email) => {
      expect(() => new ExistingIdentity(email)).toThrow(
        new Error(
          `ExistingIdentity: 1 problem\n  - email is ${JSON.stringify(email)}; it must be the e-mail address of a service account; use for example runner@my-project.iam.gserviceaccount.com`,
        ),
      );
    },
  );
});
