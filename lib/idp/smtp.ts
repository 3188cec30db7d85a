import { type IResolvable } from "cdktf";

import { type SecretReference } from "./secret-references";

/** The mail server that takes the application's mail, for example for the recovery of passwords. */
export interface Smtp {
  /**
   * Whether there is one.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;

  /** Sender of all mail, `idp@example.com` or `Example <idp@example.com>`; the server must accept it. */
  readonly from: string;

  /** Host name or IPv4 address of the server. */
  readonly host: string;

  /**
   * How the connection is encrypted: `starttls`; `tls`, from the first byte, as servers on port 465 expect; or `none`,
   * which allows no password.
   *
   * @default "starttls"
   */
  readonly encryption?: "starttls" | "tls" | "none" | (string & {});

  /**
   * Version of an existing secret with the password. The identity that the application runs as is granted access; on
   * GKE, whoever applies must be allowed to read it.
   *
   * @default - none; the server requires no password
   */
  readonly passwordSecret?: PasswordSecret;

  /**
   * Port of the server; 25 is blocked.
   *
   * @default 587
   */
  readonly port?: number;

  /**
   * Seconds after which an attempt to reach the server fails, 1 to 300. The application tries again later.
   *
   * @default 10
   */
  readonly timeout?: number;

  /**
   * User name at the server, always with a password.
   *
   * @default - none
   */
  readonly username?: string;
}

/** A password that may be absent at plan. */
export interface PasswordSecret extends SecretReference {
  /**
   * Whether there is one.
   *
   * @default true
   */
  readonly enabled?: boolean | IResolvable;
}

/** Words for the encryption of the connection. */
export const STARTTLS = "starttls";
export const IMPLICIT_TLS = "tls";
export const NO_ENCRYPTION = "none";

/** Defaults of a mail server: the port for mail submission, and the application's own time limit. */
export const SMTP_DEFAULTS = { encryption: STARTTLS, port: 587, timeout: 10 } as const;

/** Port between mail servers, to which Google Cloud blocks all connections. */
export const BLOCKED_PORT = 25;

/** The application's settings of the mail server. */
export const MAIL_VARIABLES = {
  encryptsAtOnce: "IDP_EMAIL__USE_SSL",
  from: "IDP_EMAIL__FROM",
  host: "IDP_EMAIL__HOST",
  password: "IDP_EMAIL__PASSWORD",
  port: "IDP_EMAIL__PORT",
  startsTls: "IDP_EMAIL__USE_TLS",
  timeout: "IDP_EMAIL__TIMEOUT",
  username: "IDP_EMAIL__USERNAME",
} as const;

/** The application's own command that sends a test mail; the recipient's address follows. */
export const TEST_MAIL_COMMAND = "test_email";

/** Short name of the job that runs it, on a platform without a shell in running containers. */
export const TEST_MAIL_JOB = "test-mail";

/** Time limit of that job: the application starts in half a minute, then waits for the worker and the mail server. */
export const TEST_MAIL_TIMEOUT_SECONDS = 600;

/** Placeholder for that address in a command. */
export const TEST_MAIL_READER = "RECIPIENT";
