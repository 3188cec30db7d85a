import { WORKER_MODES } from "../../../lib/idp/worker";
import { ACCEPTED_BY_BOTH, geoipWith } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type Action, type Expected } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";
import { resolvedEnvironment } from "../project/google-workloads";
import { valueAt } from "../project/terraform-value";
import { all, withInputs } from "./every-stack";
import { DASHBOARD } from "./monitoring";

/** Versions of the secrets that exist before the deployment. */
const OTHERS = { maxmind: [1, 2], session: [3], "smtp-password": [1, 2], "storage-key": [1, 2] } as const;

/** Payload of a secret that exists before the deployment. */
const othersPayload = (secret: keyof typeof OTHERS, project: string, version: number): string =>
  `${secret}-of-${project}-${version}`;

/** The secrets that inputs name, in the projects that combinations name and in another one. */
export function prepareSecrets({ cloud }: Deployment): void {
  for (const project of [...ACCEPTED_BY_BOTH.project_id, "other-project"])
    for (const secret of Object.keys(OTHERS) as (keyof typeof OTHERS)[])
      for (const version of OTHERS[secret])
        cloud.addOthersSecret(project, secret, version, othersPayload(secret, project, version));
}

const grants = ["my-project", "other-project"].map(
  (project) =>
    `google_secret_manager_secret_iam_member.existing_secrets_runtime["projects/${project}/secrets/storage-key"]`,
);

const settings = (foreignVersion: number) => ({
  secret_environment_variables: {
    IDP_STORAGE__S3__ACCESS_KEY: { secret_id: "storage-key", version: 1 },
    IDP_STORAGE__S3__SECRET_KEY: { secret_id: "projects/other-project/secrets/storage-key", version: foreignVersion },
  },
});

/** Inputs with settings that have secret values. */
export const WITH_SETTINGS: Inputs = settings(1);

/** The environment of what runs, on either platform. */
function environmentOf({ cloud }: Deployment): Readonly<Record<string, string>> {
  const [service] = cloud.ofType("google_cloud_run_v2_service");
  const [pods] = cloud.podEnvironments.values();
  if (service === undefined) return pods?.environment ?? {};
  return resolvedEnvironment(cloud, { project: "my-project", template: valueAt(service.values, "template.0") });
}

/** Fails unless the container sees these values. */
export function requireVariables(expected: Readonly<Record<string, string | undefined>>): ChangeScenario["verify"] {
  return (deployment) => {
    const environment = environmentOf(deployment);
    const wrong = Object.keys(expected).filter((name) => environment[name] !== expected[name]);
    if (wrong.length > 0) throw new Error(`the container sees other values of ${wrong.join(", ")}`);
  };
}

/**
 * Settings with secret values come and change.
 *
 * @param rollout what rolls out new instances
 * @param granted whether what runs reads the secrets itself
 */
export function settingsChanges(
  rollout: Readonly<Record<string, Action>>,
  { granted }: { readonly granted: boolean },
): readonly ChangeScenario[] {
  const told = (foreignVersion: number) =>
    requireVariables({
      IDP_STORAGE__S3__ACCESS_KEY: othersPayload("storage-key", "my-project", 1),
      IDP_STORAGE__S3__SECRET_KEY: othersPayload("storage-key", "other-project", foreignVersion),
    });
  return [
    {
      name: "settings with secret values",
      change: withInputs(settings(1)),
      expected: { ...rollout, ...(granted ? all("create", grants) : {}) },
      verify: told(1),
    },
    {
      name: "another version of a secret setting",
      change: withInputs(settings(2)),
      expected: rollout,
      verify: told(2),
    },
  ];
}

const smtp = (given: Inputs, version: number) => ({
  smtp: {
    host: "smtp.example.com",
    from: "Sign-in <idp@example.com>",
    username: "idp",
    password_secret: { secret_id: "smtp-password", version },
    ...given,
  },
});

/** Asks for all that there can be for mail. */
export const WITH_MAIL = smtp({}, 1);

/** What each step of a mail server does beside rolling it out. */
interface MailActions {
  readonly rollout: Readonly<Record<string, Action>>;
  /** What comes with the mail server. */
  readonly parts: readonly string[];
  /** What of it changes with the server's settings. */
  readonly changing: readonly string[];
}

/** A mail server comes and changes. */
export function mailChanges({ changing, parts, rollout }: MailActions): readonly ChangeScenario[] {
  const told = (version: number) =>
    requireVariables({ IDP_EMAIL__PASSWORD: othersPayload("smtp-password", "my-project", version) });
  return [
    {
      name: "a mail server",
      change: withInputs(WITH_MAIL),
      expected: { ...rollout, ...all("create", parts) },
      verify: told(1),
    },
    {
      name: "another port, encryption and password of the mail server",
      change: withInputs(smtp({ port: 465, encryption: "tls", timeout: 60 }, 2)),
      expected: { ...rollout, ...all("update", changing) },
      verify: told(2),
    },
  ];
}

const KEY_COPY = "kubernetes_secret_v1.workload_geoip_secrets[0]";

/** Inputs with databases of addresses. */
export const WITH_GEOIP = { geoip: geoipWith(1) };

/**
 * Databases of addresses come, and their key changes.
 *
 * @param deployment address of what rolls out new pods
 */
export const geoipChanges = (deployment: string): readonly ChangeScenario[] => [
  {
    name: "databases of addresses",
    change: withInputs(WITH_GEOIP),
    expected: { [deployment]: "update", [KEY_COPY]: "create" },
  },
  {
    name: "another version of their licence key",
    change: withInputs({ geoip: geoipWith(2) }),
    expected: { [deployment]: "update", [KEY_COPY]: "replace" },
  },
];

const { allInOne, inContainer, separate } = WORKER_MODES;

/** Inputs for separate workers. */
export const WITH_SEPARATE_WORKER = { worker_mode: separate } as const;

/** From the default through each mode, back to the default; the dashboard has charts about a separate worker. */
export function workerModeChanges(rollout: Expected, separateWorker: readonly string[]): readonly ChangeScenario[] {
  const change = (name: string, mode: string, expected: Expected): ChangeScenario => ({
    name,
    change: withInputs({ worker_mode: mode }),
    expected: { ...rollout, ...expected },
  });
  return [
    change("all in one process", allInOne, {}),
    change("a separate worker", separate, { [DASHBOARD]: "update", ...all("create", separateWorker) }),
    change("a worker beside the server", inContainer, { [DASHBOARD]: "update", ...all("delete", separateWorker) }),
  ];
}
