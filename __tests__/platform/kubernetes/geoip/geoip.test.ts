import { rendered } from "../../../../lib/core/expression";
import { declareInputs, valuesFrom } from "../../../../lib/core/inputs";
import { GEOIP, GeoipUpdater } from "../../../../lib/platform/kubernetes/geoip";
import { evaluatedTogether } from "../../../stacks/terraform-run";
import { describeWith } from "../../../support/programs";
import { namespaceIn, PLACE } from "../../../support/stand-in-parts";
import { bareStack, terraformOf } from "../../../support/synthesis";

describeWith(["terraform"], "GeoipUpdater with an input, in Terraform", () => {
  /** What becomes of the input: whether there is a sidecar, and what tells versions of the key apart. */
  const told = (given: unknown) => {
    const stack = bareStack();
    const table = { geoip: { ...GEOIP.geoip, default: given } };
    const { geoip } = valuesFrom(stack, table, declareInputs(stack, table));
    const updater = new GeoipUpdater(stack, "Geoip", { geoip, namespace: namespaceIn(stack), place: PLACE });
    const { locals, variable } = terraformOf(stack);
    const [sidecar, volume] = [updater.sidecar, updater.volume].map((part) => rendered(stack, part.forEach));
    const facts = [sidecar, volume, locals?.geoip_secrets_versions];
    return { locals: { ...locals, told: facts }, variable };
  };

  it("starts new pods for another version of the key, and changes nothing where there is none", () => {
    const with3 = { account_id: "1", license_key_secret: { secret_id: "maxmind", version: 3 } };
    const with4 = { ...with3, license_key_secret: { ...with3.license_key_secret, version: 4 } };
    expect(evaluatedTogether(["told"], { none: told(null), with3: told(with3), with4: told(with4) })).toEqual({
      none: { told: [[], [], ""] },
      with3: { told: [[1], [1], "GEOIPUPDATE_LICENSE_KEY=maxmind:3"] },
      with4: { told: [[1], [1], "GEOIPUPDATE_LICENSE_KEY=maxmind:4"] },
    });
  });
});
