import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import { ServerlessIdentityProvider } from "../../../lib/serverless-identity-provider";
import { bareStack, terraformOf } from "../../support/synthesis";

const COMMON = { projectId: "demo-project", tenantId: "demo", alertEmails: ["admin@example.com"] };
const EXISTING = {
  connectionName: "shared-data:us-central1:postgres",
  database: "idp",
  user: "idp",
  passwordSecret: { secretId: "idp-password", version: "1" },
};

describe.each([{ Variant: ServerlessIdentityProvider }, { Variant: KubernetesIdentityProvider }])(
  "The alert of restore drills with $Variant.name",
  ({ Variant }) => {
    const hasAlert = (props: object): boolean => {
      const stack = bareStack({ providers: ["google", "kubernetes", "random"] });
      new Variant(stack, "Idp", { ...COMMON, ...props });
      return JSON.stringify(terraformOf(stack)).includes('"restore-untested"');
    };

    it("is there where a number of days is given, and an instance that can be cloned", () => {
      const checkUpLimits = { restoreDrillDays: 100 };
      expect(hasAlert({ checkUp: { limits: checkUpLimits } })).toBe(true);
      expect(hasAlert({})).toBe(false);
      expect(hasAlert({ checkUp: { limits: { tasksFailed: 3 } } })).toBe(false);
      expect(hasAlert({ checkUp: null })).toBe(false);
      expect(hasAlert({ checkUp: { limits: checkUpLimits }, existingDatabase: EXISTING })).toBe(false);
    });
  },
);
