import { type ITerraformDependable } from "cdktf";
import { type IConstruct } from "constructs";

import { type ReadableSecret } from "../core/generated-secret";
import { requireProps, type Rule } from "../core/rules";
import {
  BASE_URL_VARIABLE,
  BASELINE_ENVIRONMENT,
  BOOTSTRAP_PASSWORD,
  CONTAINER_PORT,
  DATABASE_PORT,
  DATABASE_VARIABLES,
  HEALTH_PATH,
  LIVENESS_PROBE,
  PROBE_MAX_SECONDS,
  PROBE_TIMEOUT_SECONDS,
  SECRET_KEY,
  SERVER_LISTENER,
  STARTUP_MAX_SECONDS,
  STARTUP_PROBE,
  TLS_PORT,
} from "./contract";
import { type ContainerSpec, type EnvironmentOverrides, type ProbeSpec, type ResourcesSpec } from "./container-spec";
import { ENVIRONMENT_RULES } from "./environment-rules";
import { type ContainerImage, type MediaStore, type SqlInstance } from "./parts";
import { type SecretSettings } from "./secret-settings";

export interface IdentityProviderContainerProps {
  /** Instance that holds the application's database. */
  readonly database: SqlInstance;

  /** Image to run. */
  readonly image: ContainerImage;

  /** The job that prepares the database; the container starts after it. */
  readonly initialization: { readonly ready: ITerraformDependable[] };

  /** Where uploads are kept. */
  readonly media: MediaStore;

  /** The application's secret key, and the initial password of its administrator. */
  readonly secrets: { readonly secretKey: ReadableSecret; readonly bootstrapPassword: ReadableSecret };

  /**
   * Variables that override the baseline, with `IDP_…` names. From lowest to highest precedence: what the platform
   * adds, the baseline, these, the database connection.
   *
   * @default - only the baseline
   */
  readonly environment?: EnvironmentOverrides;

  /**
   * Further variables whose values are read from Secret Manager.
   *
   * @default - none
   */
  readonly secretSettings?: readonly SecretSettings[];

  /**
   * Probe that holds back traffic until migrations are done. Period × failures must not exceed 600 s.
   *
   * @default - GET `/-/health/ready/`, 60 s delay, every 15 s, 40 failures
   */
  readonly startupProbe?: Partial<ProbeSpec>;

  /**
   * Probe that restarts a hanging instance.
   *
   * @default - GET `/-/health/live/`, 60 s delay, every 30 s, 3 failures
   */
  readonly livenessProbe?: Partial<ProbeSpec>;

  /**
   * CPU and memory; one instance holds server and worker.
   *
   * @default - 2 CPUs and 4Gi
   */
  readonly resources?: ResourcesSpec;
}

/**
 * The identity provider's container: server and worker in one, the same on every platform.
 *
 * @throws RulesBrokenError naming `scope` if variables or probes break a rule
 */
export function identityProviderContainer(scope: IConstruct, props: IdentityProviderContainerProps): ContainerSpec {
  requireProps(
    scope,
    props,
    {
      database: true,
      image: true,
      initialization: true,
      media: true,
      secrets: { secretKey: true, bootstrapPassword: true },
    },
    RULES,
  );
  const { database, secrets } = props;
  const { livenessProbe, startupProbe } = completeProbes(props);
  return {
    image: props.image,
    port: CONTAINER_PORT,
    tlsPort: TLS_PORT,
    trustedProxies,
    baseUrlVariable: BASE_URL_VARIABLE,
    database: { instance: database, hostVariable: DATABASE_VARIABLES.host },
    environment: {
      baseline: BASELINE_ENVIRONMENT,
      overrides: props.environment ?? {},
      required: {
        ...SERVER_LISTENER,
        [DATABASE_VARIABLES.port]: String(DATABASE_PORT),
        [DATABASE_VARIABLES.name]: database.databaseName,
        [DATABASE_VARIABLES.user]: database.userName,
      },
    },
    secretEnvironment: {
      [SECRET_KEY.variable]: secrets.secretKey,
      [BOOTSTRAP_PASSWORD.variable]: secrets.bootstrapPassword,
      [DATABASE_VARIABLES.password]: database.password,
    },
    secretSettings: props.secretSettings,
    startupProbe,
    livenessProbe,
    mounts: [props.media],
    resources: props.resources,
    dependsOn: props.initialization.ready,
  };
}

/** Peers whose forwarded headers the application trusts by default; setting the variable replaces the list. */
const OWN_DEFAULTS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fe80::/10", "::1/128"];

/**
 * The variable that makes the application trust the forwarded headers of load balancers.
 *
 * Releases from 2026.8 on ignore the headers of other peers and then take every request for plain HTTP. The constructs
 * that run a container add their platform's own load balancers; this is for another one in front of them.
 *
 * @param ranges source ranges of the load balancers
 */
export function trustedProxies(ranges: readonly string[]): { readonly IDP_LISTEN__TRUSTED_PROXY_CIDRS: string } {
  return { IDP_LISTEN__TRUSTED_PROXY_CIDRS: [...OWN_DEFAULTS, ...ranges].join(",") };
}

/** The probes of a container as given by the caller. */
interface GivenProbes {
  readonly startupProbe?: Partial<ProbeSpec>;
  readonly livenessProbe?: Partial<ProbeSpec>;
}

interface Probes {
  readonly startupProbe: ProbeSpec;
  readonly livenessProbe: ProbeSpec;
}

function completeProbes({ livenessProbe, startupProbe }: GivenProbes): Probes {
  return {
    startupProbe: { timeoutSeconds: PROBE_TIMEOUT_SECONDS, ...STARTUP_PROBE, ...startupProbe },
    livenessProbe: { timeoutSeconds: PROBE_TIMEOUT_SECONDS, ...LIVENESS_PROBE, ...livenessProbe },
  };
}

const DEFAULT_PROBES = { startupProbe: STARTUP_PROBE, livenessProbe: LIVENESS_PROBE } as const;

/** Excludes paths that a server would resolve to another page. */
const HEALTH_PAGE = new RegExp(`^${HEALTH_PATH}([A-Za-z0-9_-]+/)+$`);

function isWholeNumber(value: number, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** Range that Cloud Run allows for a time of a probe. */
function platformRange(
  probe: keyof typeof DEFAULT_PROBES,
  time: "initialDelaySeconds" | "periodSeconds",
  least: number,
): Rule<Probes> {
  const most = PROBE_MAX_SECONDS[probe];
  return {
    holds: (judged) => isWholeNumber(judged[probe][time], least, most),
    message: (judged) =>
      `${probe}.${time} is ${judged[probe][time]}; it must be a whole number from ${least} to ${most}, because Cloud Run refuses others and both platforms get the same probes; use ${DEFAULT_PROBES[probe][time]}`,
  };
}

const COMPLETE_PROBE_RULES: readonly Rule<Probes>[] = [
  ...(["startupProbe", "livenessProbe"] as const).flatMap((probe): Rule<Probes>[] => [
    {
      holds: (judged) => HEALTH_PAGE.test(judged[probe].path),
      message: (judged) =>
        `${probe}.path is ${JSON.stringify(judged[probe].path)}; it must lie under ${HEALTH_PATH}, without detours and with a slash at the end, because other pages answer 401 or 403 to a prober without credentials and the instance would never be ready; use ${STARTUP_PROBE.path} or ${LIVENESS_PROBE.path}`,
    },
    platformRange(probe, "initialDelaySeconds", 0),
    platformRange(probe, "periodSeconds", 1),
    {
      holds: (judged) => isWholeNumber(judged[probe].timeoutSeconds, 1, judged[probe].periodSeconds),
      message: (judged) =>
        `${probe}.timeoutSeconds is ${judged[probe].timeoutSeconds}; it must be a whole number from 1 to periodSeconds, which is ${judged[probe].periodSeconds}, because the platform refuses probes that overlap; change one of the two`,
    },
    {
      holds: (judged) => isWholeNumber(judged[probe].failureThreshold, 1),
      message: (judged) =>
        `${probe}.failureThreshold is ${judged[probe].failureThreshold}; it must be a whole number from 1, because it counts failures until something is done; use ${DEFAULT_PROBES[probe].failureThreshold}`,
    },
  ]),
  {
    holds: ({ startupProbe }) => startupProbe.periodSeconds * startupProbe.failureThreshold <= STARTUP_MAX_SECONDS,
    message: ({ startupProbe }) =>
      `startupProbe allows ${startupProbe.periodSeconds} s × ${startupProbe.failureThreshold} = ${startupProbe.periodSeconds * startupProbe.failureThreshold} s; it must not exceed ${STARTUP_MAX_SECONDS} s, because Cloud Run refuses more and both platforms get the same probes; lower periodSeconds or failureThreshold`,
  },
];

/** Rules for the probes, for each construct that takes them; defaults are filled in first. */
export const PROBE_RULES = COMPLETE_PROBE_RULES.map(({ holds, message }): Rule<GivenProbes> => ({
  holds: (given) => holds(completeProbes(given)),
  message: (given) => message(completeProbes(given)),
}));

const RULES: readonly Rule<IdentityProviderContainerProps>[] = [
  ...ENVIRONMENT_RULES.map((rule) =>
    rule.ruleOn<IdentityProviderContainerProps>("environment", ({ environment }) => environment),
  ),
  ...PROBE_RULES,
];
