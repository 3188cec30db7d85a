import { ACCEPTED_BY_BOTH } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type Action } from "../deployment/steps";
import { type ChangeScenario } from "../engine/journey";
import { resolvedEnvironment } from "../project/google-workloads";
import { valueAt } from "../project/terraform-value";
import { all, withInputs } from "./every-stack";

/** Versions of the secrets that exist before the deployment. */
const OTHERS = { maxmind: [1, 2], session: [3], "smtp-password": [1, 2], "storage-key": [1, 2] } as const;

/** Payload of a secret that exists before the deployment. */
export const othersPayload = (secret: keyof typeof OTHERS, project: string, version: number): string =>
  `${secret}-of-${project}-${version}`;

/** The secrets that inputs name, in the projects that combinations name and in another one. */
export function prepareSecrets({ cloud }: Deployment): void {
  for (const project of [...ACCEPTED_BY_BOTH.project_id, "other-project"])
    for (const secret of Object.keys(OTHERS) as (keyof typeof OTHERS)[])
      for (const version of OTHERS[secret])
        cloud.addOthersSecret(project, secret, version, othersPayload(secret, project, version));
}

const payload = (project: string, version: number): string => othersPayload("storage-key", project, version);

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
export function environmentOf({ cloud }: Deployment): Readonly<Record<string, string>> {
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
 * Settings with secret values come, change and go.
 *
 * @param rollout what rolls out new instances
 * @param granted whether what runs reads the secrets itself
 */
export function settingsChanges(
  rollout: Readonly<Record<string, Action>>,
  { granted }: { readonly granted: boolean },
): readonly ChangeScenario[] {
  const granting = (action: Action) => (granted ? all(action, grants) : {});
  return [
    {
      name: "settings with secret values",
      change: withInputs(settings(1)),
      expected: { ...rollout, ...granting("create") },
      verify: requireVariables({
        IDP_STORAGE__S3__ACCESS_KEY: payload("my-project", 1),
        IDP_STORAGE__S3__SECRET_KEY: payload("other-project", 1),
      }),
    },
    {
      name: "another version of a secret setting",
      change: withInputs(settings(2)),
      expected: rollout,
      verify: requireVariables({
        IDP_STORAGE__S3__ACCESS_KEY: payload("my-project", 1),
        IDP_STORAGE__S3__SECRET_KEY: payload("other-project", 2),
      }),
    },
    {
      name: "no settings with secret values any more",
      change: withInputs({ secret_environment_variables: {} }),
      expected: { ...rollout, ...granting("delete") },
      verify: requireVariables({ IDP_STORAGE__S3__ACCESS_KEY: undefined, IDP_STORAGE__S3__SECRET_KEY: undefined }),
    },
  ];
}
