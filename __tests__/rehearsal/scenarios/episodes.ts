import { APPLY_AT_ONCE, type Deployment, type Inputs } from "../deployment/deployment";
import { requireActions, StepFailure } from "../deployment/steps";
import { inputCombinations } from "../engine/input-matrix";
import { type Episode } from "../engine/stack-rehearsal";

/**
 * What makes a protected deployment what it is does not change, neither alone nor with the end of its protection:
 * nothing is lost, and the former inputs change nothing.
 *
 * @param parts other values of inputs that are refused by name at plan
 * @param planned those of them that a plan takes if it also ends the protection, so that its apply is refused
 * @param given inputs that can be given, but not taken away: an apply refuses this before anything else
 */
export const anotherDeployment = (parts: Inputs, planned: Inputs, given?: Inputs): Episode => ({
  name: "another identity",
  play: async (deployment) => {
    const begun = deployment.inputs;
    const messages = Object.entries(parts).map(
      ([name, value]) => `${name} is "${String(value)}", but the protected deployment has`,
    );
    await requireRefused(deployment, { ...begun, ...parts }, ["plan", "-input=false"], messages);
    const unprotected = { ...begun, ...planned, deletion_protection: false };
    await requireRefused(deployment, unprotected, APPLY_AT_ONCE, ["change the rest in a second apply"]);
    await requireUnchanged(deployment, begun);

    if (given === undefined) return;
    const [name = ""] = Object.keys(given);
    await deployment.applyWith({ ...begun, ...given });
    await requireRefused(deployment, begun, APPLY_AT_ONCE, [`${name} cannot be taken away`]);
    await requireUnchanged(deployment, { ...begun, ...given });
  },
});

/** Fails unless the command is refused with these messages, and everything is still there. */
async function requireRefused(
  deployment: Deployment,
  inputs: Inputs,
  command: readonly string[],
  messages: readonly string[],
): Promise<void> {
  deployment.inputs = inputs;
  await deployment.refuseWholly(command, ...messages);
}

/** What Terraform may update while the guard refuses the apply, because only their deletion waits for it. */
const BESIDE_THE_GUARD = /^google_(container_cluster|secret_manager_secret|sql_database_instance|storage_bucket)\./;

/** Fails if an apply would do more than set back outputs and protections, which a refused one may have changed. */
async function requireUnchanged(deployment: Deployment, inputs: Inputs): Promise<void> {
  deployment.inputs = inputs;
  const actions = [...(await deployment.applyAtOnce())];
  const others = actions.filter(([address, action]) => action !== "update" || !BESIDE_THE_GUARD.test(address));
  requireActions("apply with the former inputs", new Map(others), {});
}

/**
 * A deployment moves to another region, which replaces its buckets under their names: one apply makes all of it.
 *
 * @param unprotected inputs that first switch off the protection of the data
 */
export const anotherRegion = (unprotected?: Inputs): Episode => ({
  name: "another region",
  play: async (deployment) => {
    const { cloud } = deployment;
    const before = cloud.objects.size;
    if (unprotected !== undefined) await deployment.applyWith({ ...deployment.inputs, ...unprotected });
    await deployment.applyWith({ ...deployment.inputs, region: "europe-west1" });
    const after = cloud.objects.size;
    if (after !== before) throw new Error(`there were ${before} resources, and ${after} are left`);
  },
});

/** What holds data that no apply can make again. */
const DATA = [
  "google_secret_manager_secret",
  "google_secret_manager_secret_version",
  "google_sql_database_instance",
  "google_storage_bucket",
];

/** Notices of an identity provider, and the way to its domain. */
const BESIDE = [
  "google_dns_record_set",
  "google_monitoring_alert_policy",
  "google_monitoring_dashboard",
  "google_monitoring_notification_channel",
  "google_monitoring_uptime_check_config",
];

/**
 * Somebody deletes what runs, what notices and the way in; the next apply makes all of it again and leaves alone what
 * holds data.
 *
 * @param types what else is deleted
 */
export const deletedParts = (types: readonly string[]): Episode => ({
  name: "parts that somebody has deleted",
  play: async (deployment) => {
    const { cloud } = deployment;
    const keys = [...types, ...BESIDE].flatMap((type) => {
      const found = cloud.ofType(type).map(({ id }) => `${type} ${id}`);
      if (found.length === 0) throw new Error(`there is no ${type} to delete`);
      return found;
    });
    for (const key of keys) cloud.forget(key);

    const actions = await deployment.applyAtOnce();
    const touched = [...actions.keys()].filter((address) => DATA.includes(address.split(".")[0] ?? ""));
    if (touched.length > 0) throw new StepFailure("apply", `${touched.join(", ")} has changed`);
    const missing = keys.filter((key) => !cloud.objects.has(key));
    if (missing.length > 0) throw new StepFailure("apply", `${missing.join(", ")} is still missing`);
  },
});

/**
 * Features of a running deployment are switched off, several at once and with an update of what all of them run on: as
 * plans in which any two features meet in every combination of on and off, then all of them by an apply, and on again.
 *
 * @param features inputs with which the deployment begins, by feature
 * @param update inputs that change what the features run on
 */
export function severalInputs(features: Readonly<Record<string, Inputs>>, update: Inputs): Episode {
  const unset = (inputs: Inputs): Inputs => Object.fromEntries(Object.keys(inputs).map((name) => [name, undefined]));
  const switches = Object.entries(features).map(([name, inputs]) => [name, [{}, unset(inputs)]] as const);
  const off = inputCombinations(Object.fromEntries(switches));
  const allOff = unset(Object.assign({}, ...Object.values(features)) as Inputs);

  return {
    name: "several inputs at once",
    play: async (deployment) => {
      const begun = deployment.inputs;
      for (const inputs of off) {
        deployment.inputs = { ...begun, ...inputs, ...update };
        await deployment.plan("-refresh=false");
        deployment.requireNoLeaks("plan");
      }
      for (const inputs of [{ ...begun, ...allOff, ...update }, begun]) {
        await deployment.applyWith(inputs);
      }
    },
  };
}
