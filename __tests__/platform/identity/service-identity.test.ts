import { ServiceIdentity } from "../../../lib/platform/identity/service-identity";
import { PLACE } from "../../support/stand-in-parts";
import { bareStack } from "../../support/synthesis";
import { brokenRules } from "../../support/broken-rules";

describe("ServiceIdentity", () => {
  it("refuses a purpose that leaves no room for the hash", () => {
    const props = { place: PLACE, purpose: "p".repeat(20), description: "Runs it." };
    expect(() => new ServiceIdentity(bareStack(), "Runner", props)).toThrow(
      brokenRules("test/Runner", [
        "purpose pppppppppppppppppppp is 20 characters, the limit is 17, because an account id has at most 30 and a hash takes the rest; shorten it by 3",
      ]),
    );
  });
});
