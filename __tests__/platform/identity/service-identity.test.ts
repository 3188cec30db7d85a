import { ServiceIdentity, type ServiceIdentityProps } from "../../../lib/platform/identity/service-identity";
import { PLACE, placeOf } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";
import { brokenRules } from "../../support/broken-rules";

describe("ServiceIdentity", () => {
  const identityIn = (overrides: Partial<ServiceIdentityProps> = {}) => {
    const stack = bareStack();
    const identity = new ServiceIdentity(stack, "Runner", {
      place: PLACE,
      purpose: "idp-run",
      description: "Runs it.",
      ...overrides,
    });
    return { stack, identity };
  };

  it("has an id of at most 30 characters for the longest possible names", () => {
    const place = placeOf({ tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) });
    const { stack } = identityIn({ place, purpose: "p".repeat(17) });
    expect(resourceOf(terraformOf(stack), "google_service_account", "runner").account_id).toHaveLength(30);
  });

  it("refuses a purpose that leaves no room for the hash", () => {
    expect(() => identityIn({ purpose: "p".repeat(20) })).toThrow(
      brokenRules("test/Runner", [
        "purpose pppppppppppppppppppp is 20 characters, the limit is 17, because an account id has at most 30 and a hash takes the rest; shorten it by 3",
      ]),
    );
  });
});
