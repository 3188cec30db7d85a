import { rendered } from "../../../../lib/core/expression";
import { type Geoip } from "../../../../lib/platform/kubernetes/geoip";
import { GeoipUpdater } from "../../../../lib/platform/kubernetes/geoip-updater";
import { KubernetesWorkload } from "../../../../lib/platform/kubernetes/kubernetes-workload";
import { declareInputs } from "../../../../stacks/inputs/input-table";
import { GEOIP_INPUTS } from "../../../../stacks/inputs/geoip-inputs";
import { valueAt } from "../../../stacks/configuration-graph";
import { evaluatedTogether } from "../../../stacks/terraform-run";
import { describeWith } from "../../../support/programs";
import { namespaceIn, PLACE, standInIdentity, standInIdentityProvider } from "../../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack, type Block } from "../../../support/synthesis";

const podWith = (geoip: ((stack: BareStack) => Geoip | undefined) | undefined) => {
  const stack = bareStack();
  new KubernetesWorkload(stack, "Workload", {
    place: PLACE,
    identity: standInIdentity(),
    namespace: namespaceIn(stack),
    container: standInIdentityProvider(stack),
    geoip: geoip?.(stack),
  });
  const terraform = terraformOf(stack);
  const template = valueAt(resourceOf(terraform, "kubernetes_deployment_v1", "workload"), "spec.template") as Block;
  const sidecar = valueAt(template, "spec.dynamic.init_container.content") as Block;
  return { terraform, template, sidecar };
};

describe("GeoipUpdater", () => {
  it("is absent from a pod without databases", () => {
    const { template, terraform } = podWith(undefined);
    expect(JSON.stringify(template)).not.toContain("geoip");
    expect(Object.keys(terraform.resource?.kubernetes_secret_v1 ?? {})).toEqual(["workload_secrets"]);
  });
});

const versionsIn = (locals: Readonly<Record<string, unknown>> = {}) => locals.geoip_secrets_versions;

describeWith(["terraform"], "GeoipUpdater with an input, in Terraform", () => {
  /** What becomes of the input: whether there is a sidecar, and what tells versions of the key apart. */
  const told = (given: unknown) => {
    const stack = bareStack();
    const { geoip } = declareInputs(stack, { geoip: { ...GEOIP_INPUTS.geoip, default: given } });
    const updater = new GeoipUpdater(stack, "Geoip", {
      geoip,
      namespace: namespaceIn(stack),
      place: PLACE,
    });
    const { locals, variable } = terraformOf(stack);
    const facts = [
      ...[updater.sidecar, updater.volume].map((part) => rendered(stack, part.forEach)),
      versionsIn(locals),
    ];
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
