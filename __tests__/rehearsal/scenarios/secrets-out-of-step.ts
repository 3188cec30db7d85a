import { APPLY_AT_ONCE, type Deployment } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { requireSoundness } from "../engine/journey";
import { type Episode } from "../engine/stack-rehearsal";
import { type FaultKind } from "../project/cloud";
import { ACCEPTED_KEY } from "./existing-parts";
import { SECRET_KEY_VERSION } from "./identity-provider-rehearsal";

const ADMINISTRATOR = "database_administrator_password";
const APPLICATION = "database_password";
const SECRET_KEY = "secrets_secret_key";

const replaced = (secret: string) => `-replace=google_secret_manager_secret_version.${secret}_version[0]`;

/**
 * Another value, which one request of an apply refuses, or takes without an answer: the password in use is not lost.
 */
async function refuseOnce(deployment: Deployment, type: string, kind: FaultKind, ...further: string[]): Promise<void> {
  const { cloud } = deployment;
  cloud.failNext(type, kind);
  await deployment.refuse([...APPLY_AT_ONCE, ...further], "injected failure");
  const stored = new Set(cloud.livePayloads.values());
  for (const password of [...cloud.administratorPasswords.values(), ...cloud.databaseRoles.values()])
    if (!stored.has(password)) throw new StepFailure("refused apply", "the only copy of a password in use is gone");
}

/** The apply after a refused one makes up for it. */
const refused = (consumers: Readonly<Record<string, string>>): Episode => ({
  name: `other passwords, refused by ${Object.keys(consumers).join(", ")}`,
  play: async (deployment) => {
    for (const [type, secret] of Object.entries(consumers)) {
      await refuseOnce(deployment, type, "refused", replaced(secret));
      // Twice, because the first apply leaves what the second one repeats.
      if (type === "google_sql_user") await refuseOnce(deployment, type, "broken");
      await deployment.applyAtOnce();
      requireSoundness(deployment, `apply after ${type}`);
    }
  },
});

/**
 * Secrets that somebody deletes, however often their value was replaced before, come back, and everything uses them.
 */
const DELETED: Episode = {
  name: "passwords deleted, one of them after two rotations",
  play: async (deployment) => {
    for (let rotation = 0; rotation < 2; rotation += 1) await deployment.applyAtOnce(replaced(APPLICATION));
    deleteSecret(deployment, APPLICATION);
    await deployment.applyAtOnce();
    requireSoundness(deployment, "apply after the deletion");
    deleteSecret(deployment, ADMINISTRATOR);
    await deployment.applyAtOnce();
  },
};

function deleteSecret({ cloud, stateKeys }: Deployment, secret: string): void {
  cloud.forget(stateKeys.get(`google_secret_manager_secret.${secret}[0]`) ?? "");
}

/** The secret key never becomes another without being asked for. */
export const KEY_IS_GONE: Episode = {
  name: "secret key deleted",
  play: async (deployment) => {
    const { cloud } = deployment;
    const environments = () => JSON.stringify([...cloud.podEnvironments.values()]);
    const before = environments();
    const copies = cloud.ofType("kubernetes_secret_v1").map(({ id }) => id);
    deleteSecret(deployment, SECRET_KEY);
    await deployment.refuse(APPLY_AT_ONCE, "so nothing uses it yet");
    if (environments() !== before) throw new StepFailure("apply", "something uses another secret key");
    // What runs must be able to start again with the former key.
    const lost = copies.filter((id) => cloud.find("kubernetes_secret_v1", id) === undefined);
    if (lost.length > 0) throw new StepFailure("apply", `copies of secrets are gone: ${lost.join(", ")}`);
    await deployment.refuse(["plan", "-input=false"], ACCEPTED_KEY);
    await deployment.applyAtOnce(ACCEPTED_KEY);
  },
};

/** A disabled version stops every plan with the command that enables it, but no destroy. */
export const DISABLED: Episode = {
  name: "versions disabled",
  play: async (deployment) => {
    const { cloud, stateKeys } = deployment;
    await deployment.applyWith({ ...deployment.inputs, deletion_protection: false });
    const names = [ADMINISTRATOR, APPLICATION, "secrets_bootstrap_token"];
    const addresses = [
      SECRET_KEY_VERSION,
      ...names.map((name) => `google_secret_manager_secret_version.${name}_version[0]`),
    ];
    for (const key of addresses.map((address) => stateKeys.get(address) ?? "")) {
      const version = cloud.objects.get(key);
      if (version === undefined) throw new StepFailure("disable", `there is no ${key}`);
      cloud.objects.set(key, { ...version, values: { ...version.values, enabled: false } });
    }
    await deployment.refuse(["plan", "-input=false"], "gcloud secrets versions enable 1 --secret=");
    await deployment.succeed("destroy", "-auto-approve", "-input=false");
    if (deployment.stateAddresses().length > 0) throw new StepFailure("destroy", "something is left");
    await deployment.applyAtOnce();
  },
};

/** Replaces the password of the database by its number, after which one login is left. */
async function rotate(deployment: Deployment, version: number): Promise<void> {
  const { cloud, inputs } = deployment;
  await deployment.applyWith({ ...inputs, database_passwords: { version: version } });
  requireSoundness(deployment, `password version ${version}`);
  const roles = [...cloud.databaseRoles.keys()];
  const isSecond = roles.every((role) => role.endsWith("_b"));
  if (roles.length !== 1 || isSecond !== (version % 2 === 0))
    throw new StepFailure("rotation", `after version ${version} there are the logins ${roles.join(", ")}`);
}

/** The password is replaced alone, and beside another release; a number that is not the next one is refused. */
export const ROTATIONS: Episode = {
  name: "rotations",
  play: async (deployment) => {
    const refuseAfter = async (former: number, skipped: number) => {
      const { inputs } = deployment;
      deployment.inputs = { ...inputs, database_passwords: { version: skipped } };
      await deployment.refuse(["plan", "-input=false"], `set it one higher or lower than ${former}`);
      deployment.inputs = inputs;
    };
    await refuseAfter(1, 4);
    await rotate(deployment, 2);
    await refuseAfter(2, 15);
    deployment.inputs = { ...deployment.inputs, application_version: "2026.5.8" };
    await rotate(deployment, 3);
  },
};

/** The rollout of another password fails, the next apply goes on, and the one after that goes back. */
export const rotationThatFails = (workload: string): Episode => ({
  name: "a rotation that fails",
  play: async (deployment) => {
    await rotate(deployment, 2);
    deployment.cloud.failNext(workload, "refused");
    deployment.inputs = { ...deployment.inputs, database_passwords: { version: 3 } };
    await deployment.refuse(APPLY_AT_ONCE, "injected failure");
    await rotate(deployment, 3);
    await rotate(deployment, 2);
  },
});

/**
 * What keeps passwords where they are used equal to what is stored.
 *
 * @param consumers types that get a value, or start with it, in the course of an apply
 */
export const secretsOutOfStep = (consumers: Readonly<Record<string, string>>): readonly Episode[] => [
  refused(consumers),
  DELETED,
];
