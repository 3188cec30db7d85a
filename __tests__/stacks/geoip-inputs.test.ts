import { GEOIP_INPUTS } from "../../stacks/inputs/geoip-inputs";
import { declareInputs } from "../../stacks/inputs/input-table";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";
import { judgedInputs, unsaidRules } from "./judged-inputs";
import { ACCEPTED_GEOIP, geoipWith, REFUSED_GEOIP } from "./refused-geoip-inputs";

const variables = () => {
  const stack = bareStack();
  declareInputs(stack, GEOIP_INPUTS);
  return terraformOf(stack).variable ?? {};
};

describeWith(["terraform"], "The input for databases of addresses, judged by Terraform", () => {
  const accepted = [...ACCEPTED_GEOIP, geoipWith(3), { ...geoipWith(3), account_id: 1, update_hours: 168 }].map(
    (geoip) => [JSON.stringify(geoip), { geoip }] as const,
  );
  let judged: ReadonlyMap<string, readonly string[]>;

  beforeAll(() => {
    judged = judgedInputs(variables(), {}, [REFUSED_GEOIP, [...accepted, ["nothing", {}]]]);
  });

  it.each(REFUSED_GEOIP)("refuses %s", (behaviour, _, texts) => {
    expect(judged.get(behaviour)).toEqual(texts);
  });

  it("accepts an account with its key, here or in another project, and none", () => {
    const names = ["nothing", ...accepted.map(([name]) => name)];
    expect(names.map((name) => judged.get(name))).toEqual(names.map(() => []));
  });

  it("is judged whole: every validation has a refusal", () => {
    const said = REFUSED_GEOIP.flatMap(([, , texts]) => texts);
    expect(unsaidRules(variables(), said)).toEqual([]);
  });
});
