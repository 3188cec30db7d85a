import { InputVariable } from "../../../lib/core/input-variable";
import { ExistingIdentity } from "../../../lib/platform/identity/existing-identity";
import { bareStack } from "../../support/synthesis";

describe("ExistingIdentity", () => {
  it("may be any kind of service account, or one that only Terraform knows", () => {
    const input = new InputVariable(bareStack(), "account", { type: "string", description: "Account." }).stringValue;
    for (const email of ["123-compute@developer.gserviceaccount.com", "my-project@appspot.gserviceaccount.com", input])
      expect(new ExistingIdentity(email).email).toBe(email);
  });
});
