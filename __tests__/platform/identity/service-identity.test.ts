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

  it("has a short id, a readable name and no roles", () => {
    const { resource = {} } = terraformOf(identityIn().stack);
    expect(resource).toEqual({
      google_service_account: {
        runner: {
          project: "demo-project",
          account_id: "idp-run-5e8171e604a8",
          display_name: "idp demo-abc123 idp-run",
          description: "Runs it.",
        },
      },
    });
  });

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

  it("takes a role on the project only when asked, for itself alone, and once", () => {
    const { stack, identity } = identityIn();
    const made = identity.grantOnProject("Connects", "roles/cloudsql.client");
    expect(identity.grantOnProject("Connects", "roles/cloudsql.client")).toBe(made);
    expect(resourceOf(terraformOf(stack), "google_project_iam_member", "runner_connects")).toEqual({
      project: "demo-project",
      role: "roles/cloudsql.client",
      member: "serviceAccount:${google_service_account.runner.email}",
      depends_on: ["google_service_account.runner"],
    });
  });

  it("has an address that is known beforehand when there may be none, because nothing refers to one of many", () => {
    const { stack, identity } = identityIn({ condition: "var.wanted" });
    identity.grantOnProject("Connects", "roles/cloudsql.client");
    expect(identity.email).toBe("idp-run-5e8171e604a8@demo-project.iam.gserviceaccount.com");
    const terraform = terraformOf(stack);
    for (const [type, name] of [
      ["google_service_account", "runner"],
      ["google_project_iam_member", "runner_connects"],
    ] as const)
      expect(resourceOf(terraform, type, name).count).toBe("${(var.wanted) ? 1 : 0}");
  });
});
