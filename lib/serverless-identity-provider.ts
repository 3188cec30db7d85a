import { TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { allOf, isNever, partIf, present } from "./core/conditional";
import { anyOf, type Expr, interpolated, literal } from "./core/expr";
import { replace, toText, upper } from "./core/expr-functions";
import { expression, named } from "./core/expression";
import { guardPresence } from "./core/identity-guard";
import { settingsOf, type Relation, type ValuesOf } from "./core/inputs";
import { CONNECTION_NAME_FRAME_LENGTH, CONNECTION_NAME_MAX_LENGTH, SOCKET_PATH_MAX_LENGTH } from "./core/names";
import { POOLED_REQUESTS_PER_INSTANCE, REQUESTS_PER_INSTANCE, RESOURCES } from "./idp/contract";
import { isPooled, poolVariables } from "./idp/connection-pool";
import { DbInit } from "./idp/db-init";
import { ifMail, TEST_MAIL_COMMAND, TEST_MAIL_READER } from "./idp/mail";
import { addRecoveryScripts } from "./idp/recovery-scripts";
import { isSeparate, WORKER_DEFAULTS, workerContainer, workerCount, workerInputs, workerRelations } from "./idp/worker";
import { COMMON_RELATIONS, commonInputs, type CommonInputs, type VariantProps } from "./common-inputs";
import { rightsOf } from "./existing-parts";
import { IdentityProvider } from "./identity-provider";
import { certificateWarning, DEFAULT_ADDRESS_RELATIONS, domainInputs } from "./platform/edge/domain";
import { DomainAddress, type LoadBalancerAddress } from "./platform/edge/domain-address";
import { type DomainSetup } from "./platform/edge/edge";
import { IPV6, IPV6_WARNINGS, Ipv6Address } from "./platform/edge/ipv6";
import { protectionInputs, requestLogRate } from "./platform/edge/protection";
import { type ConnectionDemand, instanceInputs, instanceRelations, poolSizes } from "./platform/instances";
import { monitoringInputs } from "./platform/monitoring/monitoring-settings";
import { tagsIn } from "./core/full-names";
import { ServerlessJobs } from "./platform/serverless/cloud-run-jobs";
import { type ServiceIdentity } from "./platform/identity/service-identity";
import { accessOf, isOpen } from "./platform/serverless/public-access";
import {
  INTERNAL_LOAD_BALANCER,
  INTERNAL_RELATIONS,
  InternalLoadBalancer,
  isInternal,
} from "./platform/serverless/internal-load-balancer";
import { ServerlessLoadBalancer, urlMapName } from "./platform/serverless/serverless-front-door";
import { ServerlessService, ServerlessWorkerPool } from "./platform/serverless/serverless-service";
import { instanceSize, SERVICE, type ServiceInputs } from "./platform/serverless/service-options";

const WORKER = {
  ...instanceSize(WORKER_DEFAULTS.cpu),
  place: "a worker pool",
  countMeaning: "Fixed number of separate workers.",
} as const;

const INSTANCE = {
  ...instanceSize(RESOURCES.cpu),
  least: 0,
  leastMeaning: [
    "With 0, a worker beside the server stops with the last instance, and mail,",
    "tasks and clean-ups wait for the next request.",
  ].join(" "),
  // The maximum is one of each revision, and instances of the old one end with their last request.
  rollout: { words: "twice as many", more: (count: Expr<number>) => count },
  requestTimeout: { limit: "Time limit of a request", change: "A change rolls out new instances." },
} as const;

export type ServerlessInputs = CommonInputs & ServiceInputs & typeof INTERNAL_LOAD_BALANCER & typeof IPV6;

/** Inputs of the variant on Cloud Run. */
export const SERVERLESS_INPUTS: ServerlessInputs = {
  ...commonInputs({
    runner: "service",
    alsoProtected: "",
    identity: "project_id, region, tenant_id or application_name, or to take network away",
    changedLabels: "",
    network: {
      network: [
        "with private services access: the database gets a private address on it and no public one.",
        "Without a network, it has a public address that only authorized proxy connections can use.",
        "A network cannot be removed later.",
      ].join(" "),
      subnetwork: [
        "/26 or larger: instances take addresses from it. A change rolls out new instances. After a destroy,",
        "Cloud Run holds these addresses for one to two hours.",
      ].join(" "),
      tagged: "instances and jobs",
    },
  }),
  ...instanceInputs(INSTANCE),
  ...workerInputs(WORKER),
  ...SERVICE,
  ...domainInputs("serverless", "Without a domain, clients use the address that Cloud Run assigns, under run.app."),
  ...IPV6,
  ...INTERNAL_LOAD_BALANCER,
  ...protectionInputs("Removing it detaches it."),
  ...monitoringInputs("serverless"),
};

const connectionNameLength = (v: ValuesOf<ServerlessInputs>) =>
  interpolated`${v.projectId}${v.region}${v.tenantId}${v.applicationName}`.length().plus(CONNECTION_NAME_FRAME_LENGTH);

/** Requests that one instance answers at the same time. */
const requestsPerInstance = (v: ValuesOf<ServerlessInputs>) =>
  v.maxInstanceRequestConcurrency.coalesce(
    isPooled(v).choose<number>(POOLED_REQUESTS_PER_INSTANCE, REQUESTS_PER_INSTANCE),
  );

const DEMAND: ConnectionDemand<ServerlessInputs> = {
  requests: requestsPerInstance,
  // Those of the old revision and of the new one.
  mostWorkers: (v) => workerCount(v).times(2),
  loweringRequests: ["maxInstanceRequestConcurrency"],
  loweringWorkers: ["workerCount"],
};

export const SERVERLESS_RELATIONS: readonly Relation<ServerlessInputs>[] = [
  ...COMMON_RELATIONS,
  ...instanceRelations(INSTANCE, DEMAND),
  ...workerRelations(WORKER),
  ...DEFAULT_ADDRESS_RELATIONS,
  ...INTERNAL_RELATIONS,
  {
    of: "maintenanceWindow",
    holds: (v) => {
      const isLeftOut = v.maintenanceWindow.isNull().and(v.denyMaintenancePeriod.isNull());
      return anyOf(v.existingDatabase.isNull(), v.ownParts.ne("deleted"), isLeftOut);
    },
    says: (v) =>
      [
        `${v.existingDatabase.name} is given together with ${v.maintenanceWindow.name} or`,
        `${v.denyMaintenancePeriod.name}; these must be left out, because the owner of the instance decides on its`,
        "maintenance; remove them",
      ].join(" "),
  },
  {
    of: "vpcEgress",
    holds: (v) => {
      const needsNone = v.vpcEgress.eq("private-ranges-only").and(v.networkTags.length().eq(0));
      return needsNone.or(v.vpcEgress.isOneOf(["all-traffic", "private-ranges-only"]).and(v.network.isSet()));
    },
    says: (v) =>
      [
        `${v.vpcEgress.name} is ${v.vpcEgress.shown} and ${v.networkTags.name} is ${v.networkTags.shown};`,
        `the first must be private-ranges-only, or all-traffic with ${v.network.name}, which tags need too,`,
        "because nothing goes through a network that is not given; give one, or leave both out",
      ].join(" "),
  },
  {
    // Cloud Run mounts the socket in a folder of that name.
    of: "applicationName",
    holds: (v) => connectionNameLength(v).le(CONNECTION_NAME_MAX_LENGTH),
    says: (v) => {
      const length = connectionNameLength(v);
      return [
        `the connection name of the database, from ${v.projectId.name}, ${v.region.name}, ${v.tenantId.name}`,
        `and ${v.applicationName.name}, has ${length.text} characters;`,
        `it must have at most ${CONNECTION_NAME_MAX_LENGTH},`,
        `because the path of its socket has at most ${SOCKET_PATH_MAX_LENGTH};`,
        `shorten the application name or the tenant id by ${length.minus(CONNECTION_NAME_MAX_LENGTH).text}`,
      ].join(" ");
    },
  },
];

const WARNINGS: readonly Omit<Relation<ServerlessInputs>, "of">[] = [
  ...IPV6_WARNINGS,
  certificateWarning("serverless"),
  {
    holds: (v) =>
      v.uptimeCheck
        .coalesce(false)
        .not()
        .or(toText(v.publicAccess).isOneOf(["none", "false"]).not()),
    says: (v) =>
      [
        `${v.uptimeCheck.name} is true and ${v.publicAccess.name} is ${v.publicAccess.shown};`,
        `the check has no permission to call the service, so it always fails; leave ${v.uptimeCheck.name} out,`,
        `or set ${v.publicAccess.name} to invoker-check-off`,
      ].join(" "),
  },
  {
    // A policy is useless if requests can bypass it.
    holds: (v) => anyOf(v.protection.isNull().and(v.existingSecurityPolicy.isNull()), v.closeDefaultAddress),
    says: (v) =>
      [
        `${v.closeDefaultAddress.name} is false; a security policy protects only the domain,`,
        "and requests to the address that Cloud Run assigns bypass it; set it to true once the domain works",
      ].join(" "),
  },
];

export interface ServerlessIdentityProviderProps extends VariantProps<ServerlessInputs> {}

/**
 * The identity provider on Cloud Run, from an empty project in one apply.
 *
 * The database and the minimum number of instances are always billed. The stack must configure the google provider. The
 * machine that applies needs `sh`, `curl` and `jq`.
 */
export class ServerlessIdentityProvider extends IdentityProvider<ServerlessInputs> {
  /** Cloud Run service of the server. */
  readonly service: ServerlessService;
  declare readonly worker: ServerlessWorkerPool | undefined;

  /** Load balancer of the domain; undefined if there can be none. */
  readonly frontDoor: ServerlessLoadBalancer | undefined;

  /** Internal load balancer of the domain; undefined if there can be none. */
  readonly internalLoadBalancer: InternalLoadBalancer | undefined;

  /** The job that sends a test mail; undefined without a mail server. */
  readonly testMail: ReturnType<ServerlessJobs["onDemand"]> | undefined;

  /** Address of the load balancer; undefined if there can be none. */
  readonly address: DomainAddress | undefined;

  constructor(scope: Construct, id: string, props: ServerlessIdentityProviderProps) {
    super(scope, id, props, {
      inputs: SERVERLESS_INPUTS,
      relations: SERVERLESS_RELATIONS,
      warnings: WARNINGS,
      identity: [],
      apis: { always: ["run"], network: "compute", schedules: "cloudscheduler" },
    });
    const { apis, database, initializer, media, place, runtime, settings, values } = this;
    const { domain } = settings;
    const egress = replace(upper(values.vpcEgress), "-", "_").text;
    const network = this.network && { ...this.network, egress, tags: tagsIn(values.networkTags) };

    const access = accessOf(values.publicAccess.given as boolean | string);
    const jobsReady = apis.ready("run", "secretmanager");
    const initialization = new DbInit(this, "DbInit", {
      ...rightsOf(values),
      database,
      runner: new ServerlessJobs({ place, network, identity: initializer, dependsOn: jobsReady }),
      // At the first apply, the backup finds no database; the job is about to create it.
      dependsOn: this.upgradeBackup.ready,
    });
    const restoreSettings = addRecoveryScripts(this, { database, initialization, media, place }, place);

    // Left out rather than given count 0, because Terraform refuses a constant null even in a template for no instance.
    let edge: DomainSetup | undefined;
    let address: LoadBalancerAddress | undefined;
    const requestLogSampleRate = requestLogRate(values).number;
    const { strictTransportSecurity } = values;
    const httpRedirect = values.httpRedirect.flag;
    // Only a network has an internal one.
    const internal = network === undefined ? literal(false) : isInternal(values);
    if (domain !== undefined) {
      // If another deployment has the names, the apply fails at the secrets, before anything is billed.
      const common = { place, dependsOn: [...apis.ready("compute"), ...database.password.ready] };
      const domainIf = (id: string, condition: Expr<boolean>) =>
        condition.isLiteral
          ? domain
          : new TerraformLocal(this, id, condition.choose<unknown, null>(values.domain, null)).asString;
      if (!isNever(internal.not())) {
        const external = domainIf("ExternalDomain", internal.not());
        const ipv6 = new Ipv6Address(this, "Ipv6", { ...common, domain: external, enabled: values.ipv6 });
        this.address = new DomainAddress(this, "Address", { ...common, domain: external, ipv6 });
        edge = this.addEdge(external, this.address, database.password.ready);
        address = { domain, ipAddress: this.address.ipAddress, ipv6 };
      }
      if (network !== undefined && !isNever(internal)) {
        this.internalLoadBalancer = new InternalLoadBalancer(this, "InternalLoadBalancer", {
          ...common,
          apis,
          domain: domainIf("InternalDomain", internal),
          httpRedirect,
          network,
          proxyRange: settingsOf<ServerlessInputs>(values).loadBalancerProxyRange,
          requestLogSampleRate,
          strictTransportSecurity,
          zone: settings.dnsZone,
        });
        const all = present(this.address?.ipAddresses, this.internalLoadBalancer.ipAddresses);
        const addresses = all.length === 1 ? all.join("") : `concat(${all.join(", ")})`;
        address = { domain, ipv6: undefined, ...address, ipAddress: `one(${addresses})` };
      }
    }
    const loadBalancerAddress = expression(address?.ipAddress ?? "null");

    const pool = poolSizes(values, INSTANCE, DEMAND);
    const poolSize = named(this, "ConnectionPoolSize", pool.ofInstance);
    const container = this.container(initialization, poolVariables(values, poolSize));
    const worker = partIf(
      isSeparate(values),
      () =>
        new ServerlessWorkerPool(this, "Worker", {
          place,
          network,
          address,
          condition: isSeparate(values).text,
          container: workerContainer(container, values, poolVariables(values, pool.ofWorker)),
          identity: runtime,
          instanceCount: workerCount(values).number,
        }),
    );
    this.service = new ServerlessService(this, "Service", {
      closeDefaultAddress: values.closeDefaultAddress.flag,
      cpuAlwaysAllocated: values.cpuAlwaysAllocated.flag,
      maxInstanceRequestConcurrency: requestsPerInstance(values).number,
      publicAccess: access,
      startupCpuBoost: values.startupCpuBoost.flag,
      place,
      network,
      address,
      identity: runtime,
      container,
      minInstanceCount: values.minInstanceCount.number,
      maxInstanceCount: values.maxInstanceCount.number,
      requestTimeoutSeconds: values.requestTimeoutSeconds.number,
      // A separate worker must be running before the last worker beside a server stops.
      dependsOn: worker?.ready ?? [],
    });
    if (this.address !== undefined && edge !== undefined) {
      this.frontDoor = new ServerlessLoadBalancer(this, "FrontDoor", {
        address: this.address,
        certificate: edge.certificate,
        place,
        service: this.service,
        validation: values.certificateValidation.text,
        securityPolicyId: edge.securityPolicy.policyId,
        requestLogSampleRate,
        httpRedirect,
        strictTransportSecurity: strictTransportSecurity.text,
        dependsOn: [...apis.ready("compute"), ...database.password.ready],
      });
    }
    this.internalLoadBalancer?.serve(this.service);
    // The application's own command in a job, because Cloud Run offers no shell in a running container.
    this.testMail = partIf(values.smtp.isSet(), () =>
      new ServerlessJobs({ place, network, identity: runtime }).onDemand(this, "TestMail", {
        condition: values.smtp.isSet().text,
        // The command needs no uploads.
        container: { ...container, args: [TEST_MAIL_COMMAND, "--help"], mounts: [] },
        name: "test-mail",
        maxRetries: 0,
        // The application starts in half a minute, then waits for the worker and the mail server.
        timeoutSeconds: 600,
      }),
    );
    const testMailArguments = `--args=${TEST_MAIL_COMMAND},${TEST_MAIL_READER}`;
    const testMailCommand = this.testMail && ifMail(values.smtp, `${this.testMail.runCommand} ${testMailArguments}`);
    const url =
      domain === undefined
        ? this.service.url
        : values.domain.isNull().choose(this.service.url, interpolated`https://${values.domain}`).text;
    const dumpsReady = [...jobsReady, ...apis.ready("iam", "cloudscheduler")];
    const scheduled = { place, network, starter: this.accountOf("scheduler"), dependsOn: dumpsReady };
    const jobsOf = (identity: ServiceIdentity) => new ServerlessJobs({ ...scheduled, identity });
    const dump = this.addDump(jobsOf, this.service.ready);
    const checkUp = this.addCheckUp(jobsOf, this.service.ready);
    const isPublic = allOf(isOpen(access), internal.not());
    const ofDomain = { domain: this.address?.domain, urlMap: urlMapName(place) };
    const monitoring = this.addMonitoring({ ...ofDomain, isPublic, platform: "serverless", url }, dump, checkUp);

    const ready = [
      ...this.service.ready,
      ...(this.testMail?.ready ?? []),
      ...(worker?.ready ?? []),
      ...(this.frontDoor?.ready ?? []),
      ...(edge?.ready ?? []),
      ...(this.internalLoadBalancer?.ready ?? []),
      ...monitoring.ready,
      ...(dump?.ready ?? []),
      ...(checkUp?.ready ?? []),
    ];
    const mustStay = { prop: "network", value: network?.network };
    const networkGuard = guardPresence(this, mustStay, { dependsOn: ready, protect: this.protect });
    const both = (...lists: readonly (string | undefined)[]) => {
      const [first, ...others] = present(...lists);
      return first === undefined || others.length === 0
        ? first && expression(first)
        : expression(`concat(${[first, ...others].join(", ")})`);
    };
    const dns = {
      records: both(edge?.records.list, this.internalLoadBalancer?.records),
      nextSteps: both(edge?.nextSteps, this.internalLoadBalancer?.nextSteps),
    };
    const parts = { dns, checkUp, dump, edge, initialization, loadBalancerAddress, monitoring, restoreSettings };
    this.complete({ ...parts, testMailCommand, url, worker }, networkGuard);
  }
}
