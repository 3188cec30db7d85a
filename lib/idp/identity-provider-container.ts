import { type ITerraformDependable, Token } from "cdktf";
import { type Construct } from "constructs";

import { exprOf, namedText } from "../core/expr/expr";
import { expression } from "../core/expr/terraform-text";
import { valuesFrom } from "../core/inputs/inputs";
import { type KnownPropsOf, propProblems } from "../core/inputs/known-props";
import { type PropsOf } from "../core/inputs/rows";
import { type ValuesOf } from "../core/inputs/value";
import { warnUnless } from "../core/inputs/warnings";
import { type ReadableSecret } from "../core/secrets/stored-secret";
import { type ContainerSpec, type EnvironmentOverrides, type ResourcesSpec } from "./container-spec";
import {
  BASE_URL_VARIABLE,
  BASELINE_ENVIRONMENT,
  BOOTSTRAP_PASSWORD,
  CONTAINER_PORT,
  DATABASE_PORT,
  DATABASE_VARIABLES,
  RESOURCES,
  SECRET_KEY,
  SERVER_LISTENER,
  TLS_PORT,
  TRUSTED_PROXIES,
} from "./contract";
import { ENVIRONMENT, ENVIRONMENT_RELATIONS, type EnvironmentInputs } from "./environment";
import { LOG_LEVEL_VARIABLE } from "./environment-rules";
import { UNREAD_WARNING } from "./environment-warnings";
import { MAIL, MAIL_RELATIONS, mailSettings, type SmtpProps } from "./mail";
import { type ContainerImage, type MediaStore, type SqlInstance } from "./parts";
import { PROBE_RELATIONS, probeOf, type ProbeProps, PROBES } from "./probes";
import { type SecretSettings } from "./secret-settings";
import {
  isSeparate,
  serverArguments,
  WORKER_FORM,
  WORKER_FORM_RELATIONS,
  type WorkerForm,
  type WorkerSize,
  workerVariables,
} from "./worker";

/** Parts that a server's container uses. */
interface ContainerParts {
  /** Instance that holds the application's database. */
  readonly database: SqlInstance;

  /** Image to run. */
  readonly image: ContainerImage;

  /** The job that prepares the database; the container starts after it. */
  readonly initialization: { readonly ready: ITerraformDependable[] };

  /** Folder for uploads. */
  readonly media: MediaStore;

  /** The application's secret key, and the initial password of its administrator. */
  readonly secrets: { readonly secretKey: ReadableSecret; readonly bootstrapPassword: ReadableSecret };

  /** Variables of a connection pool in the container, null at plan without a pool; none by default. */
  readonly connectionPool?: Readonly<Record<string, string>>;

  /** Further variables with values from Secret Manager; none by default. */
  readonly secretSettings?: readonly SecretSettings[];

  /**
   * CPU and memory; one instance holds server and worker, unless workers are separate.
   *
   * @default - 2 CPUs and 4Gi
   */
  readonly resources?: ResourcesSpec;
}

type ContainerInputs = EnvironmentInputs & typeof MAIL & typeof PROBES & WorkerForm;
const CONTAINER: ContainerInputs = { ...ENVIRONMENT, ...MAIL, ...PROBES, ...WORKER_FORM };

/** Names of the types of settings that are objects. */
interface ContainerObjects {
  readonly livenessProbe: ProbeProps;
  readonly smtp: SmtpProps;
  readonly startupProbe: ProbeProps;
  readonly worker: WorkerSize;
}

/** Parts and settings of a server's container; `secretSettings` includes the password of a mail server. */
export interface IdentityProviderContainerProps
  extends ContainerParts, Omit<PropsOf<ContainerInputs, ContainerObjects>, "secretEnvironmentVariables"> {}

const PARTS: KnownPropsOf<ContainerParts> = {
  connectionPool: "optional",
  database: "required",
  image: "required",
  initialization: "required",
  media: "required",
  resources: "optional",
  secrets: "required",
  secretSettings: "optional",
};

const INPUT_NAMES = Object.keys(CONTAINER).filter((name) => name !== "secretEnvironmentVariables");
const PROPS = { ...PARTS, ...Object.fromEntries(INPUT_NAMES.map((name) => [name, "optional" as const])) };

/**
 * The identity provider's container: server and worker in one, or the server alone, the same on every platform.
 *
 * @throws RulesBrokenError naming `scope` if settings or probes break a rule
 */
export function identityProviderContainer(scope: Construct, props: IdentityProviderContainerProps): ContainerSpec {
  const relations = [...ENVIRONMENT_RELATIONS, ...MAIL_RELATIONS, ...PROBE_RELATIONS, ...WORKER_FORM_RELATIONS];
  const values = valuesFrom<ContainerInputs>(scope, CONTAINER, props, relations, propProblems(props, PROPS));
  warnUnless(scope, "VariablesHaveEffect", [UNREAD_WARNING], values);
  return containerOf(props, values);
}

/** The server's container, for settings that have been checked before. */
export function containerOf(parts: ContainerParts, v: ValuesOf<ContainerInputs>): ContainerSpec {
  const { database, secrets } = parts;
  const { memory } = parts.resources ?? RESOURCES;
  return {
    image: parts.image,
    args: serverArguments(v),
    canIdle: isSeparate(v),
    port: CONTAINER_PORT,
    tlsPort: TLS_PORT,
    trustedProxies,
    baseUrlVariable: BASE_URL_VARIABLE,
    database: { instance: database, hostVariable: DATABASE_VARIABLES.host },
    environment: {
      baseline: { ...BASELINE_ENVIRONMENT, [LOG_LEVEL_VARIABLE]: v.logLevel.text },
      optional: { ...mailSettings(v.smtp), ...workerVariables(v, "beside", exprOf(memory)), ...parts.connectionPool },
      overrides: v.environmentVariables.map,
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
    secretSettings: parts.secretSettings,
    startupProbe: probeOf(v, "startupProbe"),
    livenessProbe: probeOf(v, "livenessProbe"),
    mounts: [parts.media],
    resources: parts.resources,
    dependsOn: parts.initialization.ready,
  };
}

/** The application trusts forwarded headers of these peers by default; setting the variable replaces the list. */
const OWN_DEFAULTS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fe80::/10", "::1/128"];

/**
 * The variable that makes the application trust the forwarded headers of load balancers.
 *
 * Releases from 2026.8 on ignore the headers of other peers, and then take every request for plain HTTP. Each platform
 * adds its own load balancers to the proxies in the caller's variables.
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
  return { [TRUSTED_PROXIES]: `${[...OWN_DEFAULTS, ...ranges].join(",")}${namedText("further_proxies", further)}` };
}
