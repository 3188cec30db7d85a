import { type Refusal } from "./refusal";
import { type Inputs } from "./terraform-run";

/** Secret settings that are accepted, for trying combinations and for plans. */
export const ACCEPTED_SECRET_SETTINGS: readonly Inputs[] = [
  {},
  {
    IDP_STORAGE__S3__ACCESS_KEY: { secret_id: "storage-key", version: 1 },
    IDP_STORAGE__S3__SECRET_KEY: { secret_id: "projects/other-project/secrets/storage-key", version: "2" },
  },
];

const SMTP = { secret_id: "smtp", version: 1 };

/** What secret settings are refused for by themselves. */
export const REFUSED_SETTINGS_ALONE: readonly Refusal[] = [
  [
    "every kind of wrong secret setting at once",
    {
      secret_environment_variables: {
        "IDP-A": SMTP,
        IDP_B: { secret_id: "my secret", version: "latest" },
        IDP_C: { secret_id: "projects/0123/secrets/smtp", version: 0 },
        IDP_D: { secret_id: "projects/other-project/secrets/smtp/versions/3", version: 1.5 },
        IDP_E: { secret_id: null, version: 1 },
        IDP_F: { secret_id: "smtp", version: null },
        IDP_SECRET_KEY: SMTP,
        AUTHENTIK_BOOTSTRAP_PASSWORD: SMTP,
        DB_PASSWORD: SMTP,
        PORT: SMTP,
      },
    },
    [
      'secret_environment_variables has "AUTHENTIK_BOOTSTRAP_PASSWORD", "DB_PASSWORD", "IDP_SECRET_KEY", "PORT"; the deployment sets these itself, because database, secret key, first password and ports are its own; leave them out, and set the first password as the bootstrap password.',
      'secret_environment_variables has "IDP-A"; a name must be letters, digits and underscores and must not start with a digit, because shells drop others; rename it.',
      'secret_environment_variables has "IDP_E", "IDP_F"; each must have the name of a secret and the number of a version; set both.',
      'secret_environment_variables has IDP_B.secret_id = "my secret", IDP_C.secret_id = "projects/0123/secrets/smtp", IDP_D.secret_id = "projects/other-project/secrets/smtp/versions/3"; it must be the name of a secret, or projects/<project>/secrets/<name> for one of another project; look it up with gcloud secrets list.',
      'secret_environment_variables has IDP_B.version = "latest", IDP_C.version = "0", IDP_D.version = "1.5"; it must be the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; use the number that gcloud secrets versions list shows.',
    ],
  ],
];

/** What secret settings are refused for beside other inputs. */
export const REFUSED_SETTINGS_TOGETHER: readonly Refusal[] = [
  [
    "settings that are both secret and plain",
    {
      environment_variables: { IDP_A: "x", IDP_LOG_LEVEL: "debug", IDP_Z: "x" },
      secret_environment_variables: { IDP_A: SMTP, IDP_B: SMTP, IDP_Z: SMTP },
    },
    [
      "secret_environment_variables and environment_variables both have IDP_A, IDP_Z; a variable has only one value; remove it from environment_variables.",
    ],
  ],
  [
    "a given token beside a generated one",
    {
      bootstrap_token: true,
      environment_variables: { AUTHENTIK_BOOTSTRAP_TOKEN: "file:///run/token" },
      secret_environment_variables: { IDP_BOOTSTRAP_TOKEN: SMTP },
    },
    [
      "environment_variables has AUTHENTIK_BOOTSTRAP_TOKEN and bootstrap_token is true; only one of them can set it, because a variable has one value; remove it from environment_variables, or set bootstrap_token to false.",
      "secret_environment_variables has IDP_BOOTSTRAP_TOKEN and bootstrap_token is true; only one of them can set it, because a variable has one value; remove it from secret_environment_variables, or set bootstrap_token to false.",
    ],
  ],
];
