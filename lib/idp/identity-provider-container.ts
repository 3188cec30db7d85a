import { Token, type ITerraformDependable } from "cdktf";
import { type IConstruct } from "constructs";

import { expression, numberText } from "../core/expression";
import { type ReadableSecret } from "../core/generated-secret";
import { requireProps, type Rule } from "../core/rules";
import {
  BASE_URL_VARIABLE,
  BASELINE_ENVIRONMENT,
  BOOTSTRAP_PASSWORD,
  CONTAINER_PORT,
  DATABASE_PORT,
  DATABASE_VARIABLES,
  SECRET_KEY,
  SERVER_LISTENER,
  TLS_PORT,
  TRUSTED_PROXIES,
} from "./contract";
import { type ContainerSpec, type EnvironmentOverrides, type ResourcesSpec } from "./container-spec";
import { ENVIRONMENT_RULES } from "./environment-rules";
import { type MailSettings } from "./mail-settings";
import { LOG_LEVEL, LOG_LEVEL_VARIABLE } from "./parsed-values";
import { type ContainerImage, type MediaStore, type SqlInstance } from "./parts";
import { completeProbe, type GivenProbes, PROBE_RULES } from "./probe-rules";
import { type SecretSettings } from "./secret-settings";
import { instanceConnections } from "./worker-connections";
import {
  DEFAULT_WORKER_MODE,
  isSeparate,
  serverArguments,
  WORKER_FORM_RULES,
  WORKER_PROCESSES,
  WORKER_THREADS,
  type WorkerOptions,
} from "./worker-mode";

/** Parts that a server's container uses, and changes to the baseline. */
export interface IdentityProviderContainerProps extends GivenProbes, WorkerOptions {
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
   * Variables for the mail server.
   *
   * @default - none
   */
  readonly mail?: Pick<MailSettings, "environment">;

  /**
   * How much the application logs: `trace`, `debug`, `info`, `warning` or `error`. `environment` overrides it.
   *
   * @default "info"
   */
  readonly logLevel?: "trace" | "debug" | "info" | "warning" | "error" | (string & {});

  /**
   * CPU and memory; one instance holds server and worker, unless workers are separate.
   *
   * @default - 2 CPUs and 4Gi
   */
  readonly resources?: ResourcesSpec;
}

/**
 * The identity provider's container: server and worker in one, or the server alone, the same on every platform.
 *
 * @throws RulesBrokenError naming `scope` if variables or probes break a rule
 */
export function identityProviderContainer(scope: IConstruct, props: IdentityProviderContainerProps): ContainerSpec {
  requireProps(scope.node.path, props, ["database", "image", "initialization", "media", "secrets"], RULES);
  const { database, mail, secrets, workerMode = DEFAULT_WORKER_MODE } = props;
  return {
    image: props.image,
    args: serverArguments(workerMode),
    canIdle: isSeparate(workerMode),
    port: CONTAINER_PORT,
    tlsPort: TLS_PORT,
    trustedProxies,
    baseUrlVariable: BASE_URL_VARIABLE,
    database: { instance: database, hostVariable: DATABASE_VARIABLES.host, connections: instanceConnections(props) },
    environment: {
      baseline: {
        ...BASELINE_ENVIRONMENT,
        ...(props.logLevel !== undefined && { [LOG_LEVEL_VARIABLE]: props.logLevel }),
        ...mail?.environment.baseline,
        ...workerVariables(props, (value) => !Token.isUnresolved(value)),
      },
      optional: {
        ...mail?.environment.optional,
        ...workerVariables(props, (value) => Token.isUnresolved(value)),
      },
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
    startupProbe: completeProbe(props, "startupProbe"),
    livenessProbe: completeProbe(props, "livenessProbe"),
    mounts: [props.media],
    resources: props.resources,
    dependsOn: props.initialization.ready,
  };
}

/** Variables for the size of a worker, for given values only; otherwise the application's own defaults apply. */
function workerVariables(
  { workerProcesses, workerThreads }: WorkerOptions,
  isChosen: (value: number) => boolean,
): Record<string, string> {
  const sizes = [
    [WORKER_PROCESSES.variable, workerProcesses],
    [WORKER_THREADS.variable, workerThreads],
  ] as const;
  return Object.fromEntries(
    sizes.flatMap(([variable, value]) =>
      value !== undefined && isChosen(value) ? [[variable, numberText(value)] as const] : [],
    ),
  );
}

/** Peers whose forwarded headers the application trusts by default; setting the variable replaces the list. */
const OWN_DEFAULTS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fe80::/10", "::1/128"];

/**
 * The variable that makes the application trust the forwarded headers of load balancers.
 *
 * Releases from 2026.8 on ignore the headers of other peers and then take every request for plain HTTP. The constructs
 * that run a container add their platform's own load balancers to what the caller's variables name.
 *
 * @param ranges source ranges of the load balancers
 * @param overrides the caller's variables, which may name further proxies
 */
function trustedProxies(ranges: readonly string[], overrides: EnvironmentOverrides): Record<string, string> {
  const further = Token.isUnresolved(overrides)
    ? expression(`try(",\${${Token.asString(overrides)}["${TRUSTED_PROXIES}"]}", "")`)
    : Object.entries(overrides)
        .map(([name, ranges]) => (name === TRUSTED_PROXIES ? `,${ranges}` : ""))
        .join("");
  return { [TRUSTED_PROXIES]: `${[...OWN_DEFAULTS, ...ranges].join(",")}${further}` };
}

const RULES: readonly Rule<IdentityProviderContainerProps>[] = [
  ...ENVIRONMENT_RULES.map((rule) =>
    rule.ruleOn<IdentityProviderContainerProps>("environment", ({ environment }) => environment),
  ),
  LOG_LEVEL.ruleOn("logLevel", ({ logLevel }) => logLevel),
  ...PROBE_RULES,
  ...WORKER_FORM_RULES,
];
