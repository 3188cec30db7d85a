import { type Inputs } from "./terraform-run";

/** Inputs, and the whole text of what is said about them. */
type Refusal = readonly [behaviour: string, inputs: Inputs, texts: readonly string[]];

/** What both variants refuse of what operators tune, by a rule that looks at one input. */
export const REFUSED_OPERATIONS_ALONE: readonly Refusal[] = [
  [
    "settings with names of secrets, but no names that only look so and no references",
    {
      environment_variables: {
        IDP_EMAIL__PASSWORD: "unsaid",
        IDP_STORAGE__S3__SECRET_KEY: "unsaid",
        IDP_TENANTS__API_KEY: "env://API_KEY",
        IDP_POSTGRESQL__SSLKEY: "/certs/client.key",
        IDP_DEFAULT_TOKEN_LENGTH: "60",
        oidc_client_secret: "file:///run/secret?unsaid",
      },
    },
    [
      'environment_variables has "IDP_EMAIL__PASSWORD", "IDP_STORAGE__S3__SECRET_KEY", "oidc_client_secret"; such a name usually holds a secret, and variables are in plain text in the state; put the value into Secret Manager and refer to it in secret_environment_variables (the prop secretEnvironmentVariables), or give a file:// or env:// reference.',
    ],
  ],
];
