import { SecurityPolicy } from "../../lib/platform/edge/security-policy";
import { declareInputs } from "../../stacks/inputs/input-table";
import { protectionInputs } from "../../stacks/inputs/protection-inputs";
import { describeWith } from "../support/programs";
import { PLACE } from "../support/stand-in-parts";
import { bareStack, terraformOf } from "../support/synthesis";
import { testInputs } from "./judged-inputs";
import {
  ACCEPTED_PROTECTIONS,
  REFUSED_PROTECTIONS_ALONE,
  REFUSED_PROTECTIONS_TOGETHER,
} from "./refused-protection-inputs";
import { warnings } from "./terraform-run";

const terraform = () => {
  const stack = bareStack();
  const { domain, existingSecurityPolicy, protection } = declareInputs(stack, {
    ...protectionInputs(""),
    domain: { type: "string", default: null, description: "Name that visitors use." },
  });
  new SecurityPolicy(stack, "Policy", { place: PLACE, domain, existing: existingSecurityPolicy, protection });
  return terraformOf(stack);
};

describe("The inputs of the protection", () => {
  it("are an object whose members all have a default, and null by default", () => {
    expect(terraform().variable?.protection).toMatchObject({
      type: 'object({ sign_ins_per_minute = optional(number, 60), ban_seconds = optional(number, 300), requests_per_minute = optional(number, 600), admin_ranges = optional(list(string), []), restrict_admin = optional(bool, false), waf = optional(string, "preview") })',
      default: null,
    });
  });
});

describeWith(["terraform"], "The inputs of the protection, judged by Terraform", () => {
  const accepted = ACCEPTED_PROTECTIONS.map(
    (protection) => [JSON.stringify(protection).slice(0, 80), { domain: "sign-in.example.com", protection }] as const,
  );

  testInputs({
    variables: () => terraform().variable ?? {},
    alone: REFUSED_PROTECTIONS_ALONE,
    together: REFUSED_PROTECTIONS_TOGETHER,
    accepted: [...accepted, ["nothing", {}]],
  });

  it("warn of the paths that are not examined by enforced rules", () => {
    const sets = [null, {}, { waf: "enforce" }].map((protection) => ({ domain: "sign-in.example.com", protection }));
    expect(warnings(terraform(), sets)).toEqual([
      [],
      [],
      [
        'protection.waf is "enforce"; the rules skip /api/v3/, /application/saml/, /source/saml/, /source/scim/, because passwords, expressions and SAML messages there look like attacks; keep the application up to date, and restrict the administration to known ranges.',
      ],
    ]);
  });
});
