import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type Condition } from "../core/expr/conditions";
import { allOf, anyOf } from "../core/expr/expr";
import { type Relation } from "../core/inputs/relations";
import { choice, number, object, type PropsOf, text } from "../core/inputs/rows";
import { matching, wholeNumber } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { prose } from "../core/prose";
import { type ReadableSecret } from "../core/secrets/stored-secret";
import { addScript } from "../core/stack-file";
import { SIGN_IN_PROBE_USER } from "./contract";
import { type ScheduledJobRunner } from "./job-runner";
import { type ContainerImage } from "./parts";
import { IS_PERIODIC, missingAfter, PERIODIC_SCHEDULE } from "./periodic-schedule";

const DEFAULT_MINUTES = 10;

/** Id of a client, without spaces. */
const CLIENT_ID = "^[A-Za-z0-9][!-~]{0,254}$";

/**
 * A redirect URI: HTTPS, without user information, and without a fragment, because browsers do not send fragments to
 * servers.
 */
const REDIRECT_URI = "^https://[^/?#\\s@]+(/[^?#\\s]*)?(\\?[^#\\s]*)?$";

/** Input of the probe. */
export const SIGN_IN_PROBE = {
  /**
   * Sign-in probe: a job that signs in on a schedule, as a generated user without permissions. Without the probe, only
   * a page is checked.
   */
  signInProbe: object(
    {
      /** Cron schedule of the sign-ins, every 10 minutes by default. */
      schedule: text({
        default: `*/${DEFAULT_MINUTES} * * * *`,
        description: "cron schedule, every 5, 10, 15, 20 or 30 minutes",
        must: matching(PERIODIC_SCHEDULE, IS_PERIODIC(DEFAULT_MINUTES)),
      }),
      /** Slug of the tested flow, `default-authentication-flow` by default. */
      flow: text({
        default: "default-authentication-flow",
        description: "slug of the flow to go through",
        must: matching(
          "^[A-Za-z0-9_-]{1,50}$",
          "be the slug of a flow, at most 50 letters, digits, hyphens and underscores; copy it from the flow",
        ),
      }),
      /** End of a successful run: a `session`, the default, or the request for a `second-factor`. */
      endsAt: choice(["session", "second-factor"], {
        fix: "use session, or second-factor where each user must have one",
        default: "session",
        description: prose`
          where it ends: session, or second-factor, for a flow that demands one;
          coming there is the success then, and a session without one is a failure
        `,
      }),
      /** Seconds after which a sign-in counts as slow, 1 to 60, 10 by default. */
      slowSeconds: number({
        default: 10,
        description: "seconds beyond which the whole sign-in counts as slow, 1 to 60",
        must: wholeNumber(1, 60, ", because an attempt ends after a minute; use 10"),
      }),
      /** Id of a public client; the probe also gets a token for this client by the authorization code flow. */
      clientId: text({
        default: null,
        description: prose`
          id of a public OAuth 2.0 client, for which it gets a token by the authorization code flow with PKCE;
          needs redirect_uri
        `,
        schema: { pattern: CLIENT_ID },
      }),
      /** Redirect URI of that client; the probe never calls it. */
      redirectUri: text({
        default: null,
        description: "where that client takes its users back, as the provider has it; it is never called",
        schema: { pattern: REDIRECT_URI },
      }),
    },
    {
      description: (members) =>
        prose`
          Sign-in probe: signs in on a schedule, as a user without any right, whom a blueprint creates.
          ${members} [[Null for none.]] Setting it later builds an image and rolls it out[[;
          null deletes the job and the password, not the user]].
        `,
    },
  ),
};

/** The sign-in probe. */
export interface SignInProbeProps extends PropsOf<(typeof SIGN_IN_PROBE)["signInProbe"]["members"]> {}

export const SIGN_IN_PROBE_RELATIONS: readonly Relation<typeof SIGN_IN_PROBE>[] = [
  {
    host: "signInProbe",
    holds: ({ signInProbe: probe }) => {
      const { clientId, endsAt, redirectUri } = probe.at;
      const isClient = clientId.isSetAnd((id) => id.matches(CLIENT_ID));
      const isTakenBack = redirectUri.isSetAnd((uri) => uri.matches(REDIRECT_URI));
      const hasNone = clientId.isNull().and(redirectUri.isNull());
      return anyOf(probe.isNull(), hasNone, allOf(isClient, isTakenBack, endsAt.eq("session")));
    },
    message: ({ signInProbe: { at } }) =>
      prose`
        ${at.clientId.name} is ${at.clientId.shown}, ${at.redirectUri.name} ${at.redirectUri.shown} and
        ${at.endsAt.name} ${at.endsAt.shown}; a client needs an id without spaces, a redirect URI that begins with
        https:// and has no fragment, and the end at a session, because its code is sent there, and nobody gets one
        before; copy both from its provider, or remove both
      `,
  },
];

/** Name of the job, also in alerts. It is short, because it becomes part of an account name. */
export const SIGN_IN_PROBE_JOB = "sign-in";

interface SignInProbeParts {
  readonly condition: Condition;
  /** Image of the application, which contains Python for the script. */
  readonly image: ContainerImage;
  readonly inputs: ValuesOf<typeof SIGN_IN_PROBE>;
  readonly password: ReadableSecret;
  /** Platform that runs the job, under a service account that may only read password and script. */
  readonly runner: ScheduledJobRunner;
  /** Address to which clients connect. */
  readonly url: string;
  /** Dependencies that serve the URL. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * Signs in on a schedule, from outside of the server, as a user without any permission.
 *
 * An uptime check only proves that a page loads; the probe proves that users can sign in, and measures the time. The
 * job prints one line of JSON, which the alerts read. Runs of the job are billed.
 */
export class SignInProbe extends Construct {
  /** Whether the job exists. @internal */
  readonly condition: Condition;
  readonly jobName: string;

  /** Time without a run that triggers an alert, for PromQL: three periods. */
  readonly missingAfter: string;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, props: SignInProbeParts) {
    super(scope, id);
    const { condition, dependsOn, image, inputs, password, runner, url } = props;
    const { clientId, endsAt, flow, redirectUri, schedule, slowSeconds } = inputs.signInProbe.at;
    const job = runner.schedule(this, "Job", {
      name: SIGN_IN_PROBE_JOB,
      script: addScript(this, "lib/idp/scripts/sign-in-probe.py"),
      scriptName: "sign-in-probe.py",
      // Runs Python isolated from the variables and files of the application.
      interpreter: ["python3", "-IS"],
      container: {
        image,
        environment: {
          baseline: {},
          overrides: {},
          required: {
            IDP_URL: url,
            SIGN_IN_PROBE_USERNAME: SIGN_IN_PROBE_USER,
            SIGN_IN_PROBE_FLOW: flow.text,
            SIGN_IN_PROBE_ENDS_AT: endsAt.text,
            SIGN_IN_PROBE_SLOW_SECONDS: slowSeconds.text,
            SIGN_IN_PROBE_CLIENT_ID: clientId.ifNull("").text,
            SIGN_IN_PROBE_REDIRECT_URI: redirectUri.ifNull("").text,
          },
        },
        secretEnvironment: { SIGN_IN_PROBE_PASSWORD: password },
        dependsOn,
      },
      // Two attempts of a minute each, the pause between them, and a minute to spare.
      timeoutSeconds: 240,
      // No retry, because the next scheduled run comes soon.
      maxRetries: 0,
      schedule: schedule.text,
      timeZone: "Etc/UTC",
      condition,
    });
    this.condition = condition;
    this.jobName = job.jobName;
    this.missingAfter = missingAfter(schedule, DEFAULT_MINUTES);
    this.ready = job.ready;
  }
}
