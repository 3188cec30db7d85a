import { GEOIP_INPUTS } from "../../stacks/inputs/geoip-inputs";
import { declareInputs } from "../../stacks/inputs/input-table";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";
import { testInputs } from "./judged-inputs";
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

  testInputs({ variables, alone: REFUSED_GEOIP, accepted: [...accepted, ["nothing", {}]] });
});
