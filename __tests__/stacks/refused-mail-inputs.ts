import { type Refusal } from "./refusal";
import { type Inputs } from "./terraform-run";

const SERVER = { host: "smtp.example.com", from: "idp@example.com" };

const LOGIN = { username: "idp", password_secret: { secret_id: "smtp-password", version: 1 } };

const PORT_RULE =
  "they must fit, because servers encrypt from the first byte on port 465 and not on 587, and no mail would be sent; use tls with 465, or starttls with 587";

/** Mail servers that are accepted, for trying combinations and for plans. */
export const ACCEPTED_MAIL: readonly (Inputs | null)[] = [
  null,
  { ...SERVER, ...LOGIN },
  { ...SERVER, host: "10.0.0.25", port: 2525, encryption: "none", from: "Sign-in <idp@example.com>", timeout: 300 },
  {
    ...SERVER,
    port: 465,
    encryption: "tls",
    username: "123456",
    password_secret: { secret_id: "projects/other-project/secrets/smtp-password", version: "2" },
  },
];

/** What a mail server is refused for by itself, one input at a time. */
export const REFUSED_MAIL_ALONE: readonly Refusal[] = [
  [
    "a mail server with every kind of wrong member at once",
    {
      smtp: {
        host: "smtps://smtp.example.com:465",
        port: 25,
        username: " idp",
        from: "no-reply",
        encryption: "ssl",
        password_secret: { secret_id: "my secret", version: "latest" },
        timeout: 0,
      },
    },
    [
      'smtp.encryption is "ssl"; it must be starttls, tls or none; use starttls, or tls for a server on port 465.',
      'smtp.from is "no-reply"; it must be an e-mail address, with or without a name, because servers refuse mail without a valid sender; use for example idp@example.com, or Example <idp@example.com>.',
      'smtp.host is "smtps://smtp.example.com:465"; it must be a host name or an IPv4 address, without scheme or port; use for example smtp.example.com, and set the port separately.',
      'smtp.password_secret.secret_id is "my secret"; it must be the name of a secret, or projects/<project>/secrets/<name> for one of another project; look it up with gcloud secrets list.',
      'smtp.password_secret.version is "latest"; it must be the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; use the number that gcloud secrets versions list shows.',
      "smtp.port is 25; it must not be 25, because Google Cloud blocks that port; use 587, or 465 with tls.",
      "smtp.timeout is 0; it must be a whole number from 1 to 300, because a task of the worker is blocked that long; use 10.",
      'smtp.username is " idp"; it must be one line without spaces at its ends, because the server compares it exactly; leave it out for a server that requires none.',
    ],
  ],
  [
    "a mail server on no port, with a sender on no host, and half a secret",
    {
      smtp: {
        host: null,
        port: 65536,
        username: "idp",
        from: "idp@localhost",
        password_secret: { secret_id: "smtp-password", version: null },
      },
    },
    [
      'smtp.from is "idp@localhost"; it must be an e-mail address, with or without a name, because servers refuse mail without a valid sender; use for example idp@example.com, or Example <idp@example.com>.',
      "smtp.host is null; it must be a host name or an IPv4 address, without scheme or port; use for example smtp.example.com, and set the port separately.",
      "smtp.password_secret.version is null; it must be the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; use the number that gcloud secrets versions list shows.",
      "smtp.port is 65536; it must be a whole number from 1 to 65535, because there are no others; use 587.",
    ],
  ],
  ...(
    [
      [465, "starttls"],
      [587, "tls"],
      [465, "none"],
    ] as const
  ).map(([port, encryption]): Refusal => [
    `${encryption} on port ${port}`,
    { smtp: { ...SERVER, port, encryption } },
    [`smtp.port is ${port} and smtp.encryption is "${encryption}"; ${PORT_RULE}.`],
  ]),
  [
    "a user name without a password",
    { smtp: { ...SERVER, username: "idp" } },
    [
      'smtp.username is "idp" without smtp.password_secret; a user name needs a password, because the application signs in with both or not at all; set smtp.password_secret, or remove smtp.username.',
    ],
  ],
  [
    "a password without a user name, and without encryption",
    { smtp: { ...SERVER, encryption: "none", password_secret: LOGIN.password_secret } },
    [
      'smtp.encryption is "none" and smtp.password_secret is given; a password needs encryption, because it could be read in transit; use starttls or tls, or remove smtp.password_secret and the user name.',
      "smtp.password_secret is given without smtp.username; a password needs a user name, because the application signs in with both or not at all; set smtp.username, or remove smtp.password_secret.",
    ],
  ],
];

/** What a mail server is refused for beside other inputs. */
export const REFUSED_MAIL_TOGETHER: readonly Refusal[] = [
  [
    "settings of mail beside a mail server, under either prefix, plain or secret",
    {
      smtp: SERVER,
      environment_variables: { AUTHENTIK_EMAIL__HOST: "other.example.com", IDP_EMAIL__TEMPLATE_DIR: "/x" },
      secret_environment_variables: {
        IDP_EMAIL__PASSWORD: { secret_id: "smtp-password", version: 1 },
        IDP_EMAIL__USERNAME: { secret_id: "smtp-user", version: 1 },
      },
    },
    [
      "environment_variables has AUTHENTIK_EMAIL__HOST and smtp is given; only one of them can set it, because a variable has one value; remove it from environment_variables, or remove smtp.",
      "secret_environment_variables has IDP_EMAIL__PASSWORD, IDP_EMAIL__USERNAME and smtp is given; only one of them can set it, because a variable has one value; remove it from secret_environment_variables, or remove smtp.",
    ],
  ],
];
