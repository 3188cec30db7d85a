import { readFileSync } from "node:fs";

import { packageFile } from "../../../lib/core/package-file";
import { APPLY_AT_ONCE, type Inputs } from "../deployment/deployment";
import { inStep, StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { CLASSIC, deniedKeys, policiesOf, STRICT } from "../project/organization-policies";
import { valueAt, type ValueObject } from "../project/terraform-value";

const NETWORK = "projects/shared/global/networks/main";

/** Each set of constraints with the example that lives under it. */
const LANDING_ZONES = { "landing-zone": CLASSIC, hardened: STRICT } as const;

/**
 * The examples of a stack are applied from nothing in organizations that enforce these constraints, apart from those
 * for which the guide says that only an exemption helps.
 *
 * @param exempt constraints from which the project is exempt
 * @param beside inputs beside those of the example
 */
export const landingZones = (
  stack: string,
  exempt: readonly string[],
  beside: Inputs = { deletion_protection: false },
): Episode => ({
  name: "usual organization policies (landing zones)",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    cloud.others.add(`google_compute_network ${NETWORK}`);
    for (const [example, constraints] of Object.entries(LANDING_ZONES)) {
      cloud.policies.push(...policiesOf(constraints.filter((name) => !exempt.includes(name))));
      // Whose owner's network has its proxies.
      if (example === "hardened") cloud.others.add(`google_compute_subnetwork proxies of ${NETWORK}`);
      // The defaults are what they refuse.
      deployment.inputs = { project_id: inputs.project_id, ...beside };
      if (example !== "hardened") await deployment.refuse(APPLY_AT_ONCE, "onstraint");
      const path = packageFile(`stacks/examples/${example}/${stack}.tfvars.json`);
      const given = JSON.parse(readFileSync(path, "utf8")) as Inputs;
      await inStep(example, () => deployment.settle({ ...deployment.inputs, ...given }));
      await deployment.destroy();
    }
  },
});

/**
 * Keys of one's own from the first apply, which the agents may use before anything is encrypted. A protected deployment
 * refuses others, which would replace its database.
 *
 * @param runner what has another key later
 * @param agents how many use the keys
 */
export const ownKeys = (runner: "cluster" | "service", agents: number): Episode => ({
  name: "keys of your own",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    const { project_id } = inputs;
    const key = (name: string) => `projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/${name}`;
    const apply = (keys: Inputs) => deployment.settle({ project_id, kms_keys: keys });
    const begun = { default: key("idp"), storage: key("files") };
    cloud.policies.push(...deniedKeys(cloud));
    await apply({ ...begun, project_number: "123456789012" });
    const grants = cloud.ofType("google_kms_crypto_key_iam_member").length;
    const keyed = [...cloud.objects.values()].filter(({ values }) => JSON.stringify(values).includes(key("")));
    if (grants !== agents || keyed.length < agents + 5)
      throw new StepFailure("keys of your own", `${grants} agents may use the keys of ${keyed.length - grants} parts`);
    deployment.inputs = { project_id, kms_keys: { ...begun, default: key("other") } };
    const said = `kms_keys.database is "${key("other")}", but the protected deployment has`;
    await deployment.refuse(["plan", "-input=false"], said);
    const later = { ...begun, project_number: "123456789012", storage: key("more") };
    // That of a cluster stays, too.
    await apply(runner === "service" ? { ...later, service: key("other") } : later);
  },
});

/**
 * The control plane of a running deployment moves to its name, and back to its address, each opened first as the guide
 * says.
 */
export const CONTROL_PLANE: Episode = {
  name: "a control plane at its name",
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    const [cluster] = cloud.ofType("google_container_cluster");
    if (cluster === undefined) throw new StepFailure("control plane", "there is no cluster");
    const { private_cluster_config: asBefore, control_plane_endpoints_config: endpoints } = cluster.values;
    const name = valueAt(endpoints, "0.dns_endpoint_config.0") as ValueObject;
    const opened = {
      dns_endpoint_config: [{ ...name, allow_external_traffic: true }],
      ip_endpoints_config: [{ enabled: true }],
    };
    const openBoth = () => {
      const values = { private_cluster_config: asBefore, control_plane_endpoints_config: [opened] };
      Object.assign(cloud.objects.get(`${cluster.type} ${cluster.id}`)?.values ?? {}, values);
    };
    deployment.inputs = { ...inputs, control_plane_endpoint: "dns" };
    await deployment.refuse(["plan", "-input=false"], "i/o timeout");
    openBoth();
    await deployment.settle();
    const command = JSON.stringify(deployment.state.outputs?.connect_command);
    if (!command.includes(" --dns-endpoint")) throw new StepFailure("control plane", command);
    openBoth();
    await deployment.applyWith(inputs);
  },
};
