import { type ITerraformDependable, TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import {
  COMMON_RELATIONS,
  COMMON_WARNINGS,
  type CommonInputs,
  commonInputs,
  type CommonObjects,
  type VariantProps,
} from "./common-inputs";
import { guardPresence } from "./core/deployment-guard";
import { allOf, isNever, partIf, present, readyOf } from "./core/expr/conditions";
import { anyOf, call, type Expr, hcl, interpolated, literal } from "./core/expr/expr";
import { replace, toText, upper } from "./core/expr/functions";
import { named } from "./core/expr/locals";
import { tagsIn } from "./core/inputs/network-inputs";
import { type Relation } from "./core/inputs/relations";
import { settingsOf, type ValuesOf } from "./core/inputs/value";
import { type WarningItems, type WarningRelation } from "./core/inputs/warnings";
import { CONNECTION_NAME_FRAME_LENGTH, serviceName, workerPoolName } from "./core/names";
import { prose } from "./core/prose";
import { rightsOf } from "./existing-parts";
import { IdentityProvider, type MonitoredPlatform, variantOf } from "./identity-provider";
import { CHECK_UP_JOB, type CheckUp } from "./idp/check-up";
import { isPooled, poolVariables } from "./idp/connection-pool";
import { type ContainerSpec } from "./idp/container-spec";
import { POOLED_REQUESTS_PER_INSTANCE, REQUESTS_PER_INSTANCE, RESOURCES } from "./idp/contract";
import { DbInit } from "./idp/db-init";
import { type DatabaseDump, DUMP_JOB } from "./idp/dumps";
import { EVENT_RETENTION_JOB, type EventRetention } from "./idp/event-retention";
import { ifMail, TEST_MAIL_COMMAND, TEST_MAIL_READER } from "./idp/mail";
import { type ContainerImage } from "./idp/parts";
import { type RecoveryAccess } from "./idp/recovery-access";
import { addRecoveryScripts } from "./idp/recovery-scripts";
import { SIGN_IN_PROBE_JOB, type SignInProbe } from "./idp/sign-in-probe";
import { isSeparate, WORKER_DEFAULTS, workerContainer, workerCount, workerInputs, workerRelations } from "./idp/worker";
import { certificateWarning, DEFAULT_ADDRESS_RELATIONS, domainInputs } from "./platform/domain/domain";
import { DomainAddress, type LoadBalancerAddress } from "./platform/domain/domain-address";
import { type DomainSetup } from "./platform/domain/domain-setup";
import { Ipv6Address } from "./platform/domain/ipv6";
import { protectionInputs, requestLogRate } from "./platform/domain/protection";
import { type ServiceIdentity } from "./platform/identity/service-identity";
import { type ConnectionDemand, instanceInputs, instanceRelations, poolSizes } from "./platform/instances";
import { SERVERLESS_MAINTENANCE_RELATIONS } from "./platform/maintenance";
import { type AuditLog } from "./platform/monitoring/audit-log";
import { type Monitoring, type WatchedReplica } from "./platform/monitoring/monitoring";
import { monitoringInputs } from "./platform/monitoring/monitoring-settings";
import { type NetworkAttachment } from "./platform/network/network-attachment";
import { StandbyImage } from "./platform/registry/standby-image";
import { ServerlessJobs, starterPurpose } from "./platform/serverless/cloud-run-jobs";
import { connectionNameRule } from "./platform/serverless/connection-name";
import {
  INTERNAL_LOAD_BALANCER,
  INTERNAL_RELATIONS,
  InternalLoadBalancer,
  isInternal,
} from "./platform/serverless/internal-load-balancer";
import { accessOf, isOpen } from "./platform/serverless/public-access";
import {
  backendServiceName,
  endpointGroupName,
  ServerlessLoadBalancer,
  urlMapName,
} from "./platform/serverless/serverless-load-balancer";
import {
  ServerlessService,
  type ServerlessServiceProps,
  ServerlessWorkerPool,
} from "./platform/serverless/serverless-service";
import { EGRESS_RELATIONS, instanceSize, SERVICE, type ServiceInputs } from "./platform/serverless/service-options";
import { STANDBY, STANDBY_RELATIONS, standbyOf, type StandbyProps } from "./platform/serverless/standby-inputs";
import { StandbyService } from "./platform/serverless/standby-service";
import { StandbyDatabase } from "./platform/sql/standby-database";
import { countAtHome, type Standby } from "./platform/standby";

const WORKER = {
  ...instanceSize(WORKER_DEFAULTS.cpu),
  place: "a worker pool",
  countMeaning: "fixed number of separate workers",
} as const;

const INSTANCE = {
  ...instanceSize(RESOURCES.cpu),
  least: 0,
  leastMeaning: prose`
    With 0, a worker beside the server stops with the last instance, and mail,
    tasks and clean-ups wait for the next request.
  `,
  // The maximum applies to each revision, and instances of the old revision end with their last request.
  rollout: {
    words: "twice as many",
    more: (count: Expr<number>) => count,
    maximumOf: (all: Expr<number>) => all.dividedBy(2).floor(),
  },
  requestTimeout: { limit: "Time limit of a request", change: "A change rolls out new instances." },
} as const;

export type ServerlessInputs = CommonInputs & ServiceInputs & typeof INTERNAL_LOAD_BALANCER & typeof STANDBY;

/** Inputs of the variant on Cloud Run. */
export const SERVERLESS_INPUTS: ServerlessInputs = {
  ...commonInputs({
    runner: "service",
    alsoProtected: "",
    unchangeable: "project_id, region, tenant_id or application_name, or to take network away",
    changedLabels: "",
    network: {
      network: prose`
        with private services access: the database gets a private address on it and no public one.
        [[Without a network, it has a public address that only authorized proxy connections can use.]]
        A network cannot be removed later.
      `,
      subnetwork: prose`
        /26 or larger: instances take addresses from it. A change rolls out new instances. After a destroy,
        Cloud Run holds these addresses for one to two hours.
      `,
      tagged: "instances and jobs",
    },
  }),
  ...instanceInputs(INSTANCE),
  ...workerInputs(WORKER, {}),
  ...SERVICE,
  ...domainInputs("serverless", "Without a domain, clients use the address that Cloud Run assigns, under run.app."),
  ...INTERNAL_LOAD_BALANCER,
  ...STANDBY,
  ...protectionInputs("Removing it detaches it."),
  ...monitoringInputs("serverless"),
};

/** Requests that one instance answers at the same time. */
const requestsPerInstance = (v: ValuesOf<ServerlessInputs>) =>
  v.maxInstanceRequestConcurrency.coalesce(
    isPooled(v).choose<number>(POOLED_REQUESTS_PER_INSTANCE, REQUESTS_PER_INSTANCE),
  );

const DEMAND: ConnectionDemand<ServerlessInputs> = {
  requests: requestsPerInstance,
  // Workers of the old revision and of the new one.
  mostWorkers: (v) => workerCount(v).times(2),
  loweringRequests: ["maxInstanceRequestConcurrency"],
  loweringWorkers: (v) => [v.worker.at.count],
};

export const SERVERLESS_RELATIONS: readonly Relation<ServerlessInputs>[] = [
  ...COMMON_RELATIONS,
  ...instanceRelations(INSTANCE, DEMAND),
  ...workerRelations(WORKER),
  ...DEFAULT_ADDRESS_RELATIONS,
  ...INTERNAL_RELATIONS,
  ...STANDBY_RELATIONS,
  ...SERVERLESS_MAINTENANCE_RELATIONS,
  ...EGRESS_RELATIONS,
  connectionNameRule({
    of: "applicationName",
    what: "the database",
    madeOf: (v) => [v.projectId.name, v.region.name, v.tenantId.name, v.applicationName.name],
    length: (v) =>
      interpolated`${v.projectId}${v.region}${v.tenantId}${v.applicationName}`
        .length()
        .plus(CONNECTION_NAME_FRAME_LENGTH),
  }),
];

/** A client that calls the service without its own permission. */
interface Requester {
  readonly localId: string;
  /** The input that turns the client on. */
  readonly of: keyof ServerlessInputs;
  readonly isOn: (values: ValuesOf<ServerlessInputs>) => Expr<boolean>;
  /** State of the input, in words. */
  readonly is: string;
  readonly who: string;
}

function needsOpenService({ is, isOn, localId, of, who }: Requester): WarningRelation<ServerlessInputs> {
  return {
    localId,
    holds: (v) =>
      isOn(v)
        .not()
        .or(toText(v.publicAccess).isOneOf(["none", "false"]).not()),
    message: (v) =>
      prose`
        ${v[of].name} is ${is} and ${v.publicAccess.name} is ${v.publicAccess.shown};
        ${who} has no permission to call the service, so it always fails; leave ${v[of].name} out,
        or set ${v.publicAccess.name} to invoker-check-off
      `,
  };
}

/** Warnings about valid inputs that have no effect or do harm. */
export const SERVERLESS_WARNINGS: readonly (WarningRelation<ServerlessInputs> | WarningItems<ServerlessInputs>)[] = [
  ...COMMON_WARNINGS,
  certificateWarning("serverless"),
  needsOpenService({
    localId: "UptimeCheckHasAccess",
    of: "uptimeCheck",
    isOn: (v) => v.uptimeCheck.coalesce(false),
    is: "true",
    who: "the check",
  }),
  needsOpenService({
    localId: "SignInProbeHasAccess",
    of: "signInProbe",
    isOn: (v) => v.signInProbe.isSet(),
    is: "given",
    who: "the probe",
  }),
  {
    // Warns because a policy is useless if requests can bypass it. An internal load balancer and a missing domain need
    // no warning: a relation requires the closed address for the former, and another one refuses the policy for the
    // latter.
    localId: "RequestsPassThePolicy",
    holds: (v) =>
      anyOf(
        v.protection.isNull().and(v.existingSecurityPolicy.isNull()),
        v.domain.isNull(),
        v.closeDefaultAddress,
        isInternal(v),
      ),
    message: (v) =>
      prose`
        ${v.closeDefaultAddress.name} is false; a security policy protects only the domain,
        and requests to the address that Cloud Run assigns bypass it; set it to true once the domain works
      `,
  },
];

/** Names of the types of props that are objects. */
interface ServerlessObjects extends CommonObjects {
  readonly standby: StandbyProps;
}

export interface ServerlessIdentityProviderProps extends VariantProps<ServerlessInputs, ServerlessObjects> {}

/**
 * The identity provider on Cloud Run, from an empty project in one apply.
 *
 * The database and the minimum number of instances are always billed. The stack must configure the google provider. The
 * machine that runs Terraform needs `sh`, `curl` and `jq`.
 */
export class ServerlessIdentityProvider extends IdentityProvider {
  readonly initialization: DbInit;
  readonly restoreSettings: string;

  /** Address of the load balancer; undefined if synthesis knows that there is none. */
  readonly address: DomainAddress | undefined;
  readonly domainSetup: DomainSetup | undefined;

  /** Internal load balancer of the domain; undefined if synthesis knows that there is none. */
  readonly internalLoadBalancer: InternalLoadBalancer | undefined;
  readonly loadBalancerAddress: string;
  readonly dns: IdentityProvider["dns"];
  readonly worker: ServerlessWorkerPool | undefined;

  /** Cloud Run service of the server. */
  readonly service: ServerlessService;

  /** External load balancer of the domain; undefined if synthesis knows that there is none. */
  readonly loadBalancer: ServerlessLoadBalancer | undefined;

  /** Replica of the database in a second region that can take over; undefined without a second region. */
  readonly standbyDatabase: StandbyDatabase | undefined;

  /** The server in the second region; undefined without a second region. */
  readonly standbyService: StandbyService | undefined;

  /** The job that sends a test mail; undefined without a mail server. */
  readonly testMail: ReturnType<ServerlessJobs["onDemand"]> | undefined;
  readonly testMailCommand: string | undefined;
  readonly url: string;
  readonly dump: DatabaseDump | undefined;
  readonly checkUp: CheckUp | undefined;
  readonly signInProbe: SignInProbe | undefined;
  readonly auditLog: AuditLog | undefined;
  readonly eventRetention: EventRetention | undefined;
  readonly recoveryAccess: RecoveryAccess | undefined;
  readonly monitoring: Monitoring;
  readonly grantCommands: string;

  /** The network to which instances and jobs are attached. */
  private readonly attachment: NetworkAttachment | undefined;
  /** Rules of the internal load balancer, which wait for the service. */
  private readonly internalPorts: { readonly ready: ITerraformDependable[] } | undefined;

  /** @internal */
  declare protected readonly values: ValuesOf<ServerlessInputs>;

  constructor(scope: Construct, id: string, props: ServerlessIdentityProviderProps) {
    super(
      scope,
      id,
      props,
      variantOf({
        inputs: SERVERLESS_INPUTS,
        relations: SERVERLESS_RELATIONS,
        warnings: SERVERLESS_WARNINGS,
        deploymentFacts: [],
        apis: { always: ["run"], network: "compute", schedules: "cloudscheduler" },
        standbyOf,
      }),
    );
    const { context, values } = this;
    const egress = replace(upper(values.vpcEgress), "-", "_").text;
    this.attachment = this.network && { ...this.network, egress, tags: tagsIn(values.networkTags) };

    this.initialization = this.addInitialization();
    this.standbyDatabase = this.addStandbyDatabase();
    this.restoreSettings = addRecoveryScripts(this, this.recoverable(this.initialization), context, this.standbyWords);
    const external = this.addExternalDomain();
    this.address = external?.address;
    this.domainSetup = external?.domainSetup;
    this.internalLoadBalancer = this.addInternalLoadBalancer();
    const domainAddress = this.addressOfDomain(external);
    this.loadBalancerAddress = domainAddress?.ipAddress ?? literal(null).text;
    this.dns = this.dnsOfDomain();

    const pool = poolSizes(values, INSTANCE, DEMAND);
    const poolSize = named(this, "ConnectionPoolSize", pool.ofInstance);
    const container = this.container(this.initialization, poolVariables(values, poolSize));
    const ofWorker = workerContainer(container, values, poolVariables(values, pool.ofWorker));
    this.worker = this.addWorker(ofWorker, domainAddress);
    this.service = this.addService(container, domainAddress);
    this.standbyService = this.addStandbyService(container, ofWorker, domainAddress);
    this.loadBalancer = external && this.addLoadBalancer(external);
    this.internalPorts = this.internalLoadBalancer?.openPorts(this.service);
    this.testMail = this.addTestMail(container);
    this.testMailCommand = this.commandOfTestMail();
    this.url = this.urlOfServer();
    const operations = this.addOperations({
      container,
      url: this.url,
      serverReady: this.service.ready,
      addressReady: readyOf(this.loadBalancer, this.internalPorts),
    });
    this.dump = operations.dump;
    this.checkUp = operations.checkUp;
    this.eventRetention = operations.eventRetention;
    this.signInProbe = operations.signInProbe;
    this.recoveryAccess = operations.recoveryAccess;
    this.monitoring = this.addMonitoring(this.monitoredPlatform(), operations);
    this.auditLog = this.addAuditLog({
      platform: "serverless",
      purposes: [CHECK_UP_JOB, DUMP_JOB, EVENT_RETENTION_JOB, SIGN_IN_PROBE_JOB].map((job) => starterPurpose(job)),
    });
    const last = this.guardNetwork(this.lastParts());
    this.applyLandingZone();
    this.grantCommands = this.listGrantCommands();
    this.complete(this.initialization, last);
  }

  private monitoredPlatform(): MonitoredPlatform {
    return {
      platform: "serverless",
      address: {
        domain: this.address?.domain,
        isPublic: allOf(isOpen(this.access), this.isInternal.not()),
        url: this.url,
        urlMap: urlMapName(this.context),
      },
      standby: this.watchedReplica,
    };
  }

  /** Allowed callers of the service. */
  private get access() {
    return accessOf(this.values.publicAccess.given as boolean | string);
  }

  /** Whether the domain's load balancer is internal; only a network has one. */
  private get isInternal(): Expr<boolean> {
    return this.network === undefined ? literal(false) : isInternal(this.values);
  }

  /** Props that both load balancers of the domain share. */
  private get ofLoadBalancers() {
    const { apis, database, context, values } = this;
    return {
      context,
      requestLogSampleRate: requestLogRate(values).number,
      httpRedirect: values.domainOptions.at.httpRedirect.flag,
      // If another deployment has the names, the apply fails at the secrets, before anything is billed.
      dependsOn: [...apis.ready("compute"), ...database.password.ready],
    };
  }

  private addInitialization(): DbInit {
    const { apis, attachment: network, database, initializer, context, values } = this;
    const dependsOn = apis.ready("run", "secretmanager");
    return new DbInit(this, "DbInit", {
      ...rightsOf(values),
      database,
      runner: new ServerlessJobs({ context, network, identity: initializer, dependsOn }),
      // At the first apply, no backup is made, because this job creates the database.
      dependsOn: this.upgradeBackup.ready,
    });
  }

  /** The domain if a condition holds, otherwise null at plan. */
  private domainIf(id: string, domain: string, condition: Expr<boolean>): string {
    return condition.isLiteral
      ? domain
      : new TerraformLocal(this, id, condition.choose<unknown, null>(this.values.domain, null)).asString;
  }

  /**
   * Addresses, certificate and records of a domain with an external load balancer. Left out rather than given a count
   * of 0, because Terraform refuses a constant null even in a template for no instance.
   */
  private addExternalDomain(): ExternalDomain | undefined {
    const { database, isInternal, settings, values } = this;
    if (settings.domain === undefined || isNever(isInternal.not())) return undefined;
    const { dependsOn, context } = this.ofLoadBalancers;
    const domain = this.domainIf("ExternalDomain", settings.domain, isInternal.not());
    const ipv6 = new Ipv6Address(this, "Ipv6", { context, dependsOn, domain, enabled: values.domainOptions.at.ipv6 });
    const address = new DomainAddress(this, "Address", { context, dependsOn, domain, ipv6 });
    return { address, ipv6, domainSetup: this.addDomainSetup(domain, address, database.password.ready) };
  }

  private addInternalLoadBalancer(): InternalLoadBalancer | undefined {
    const { apis, attachment: network, isInternal, settings, values } = this;
    if (settings.domain === undefined || network === undefined || isNever(isInternal)) return undefined;
    return new InternalLoadBalancer(this, "InternalLoadBalancer", {
      ...this.ofLoadBalancers,
      apis,
      domain: this.domainIf("InternalDomain", settings.domain, isInternal),
      network,
      proxyRange: settingsOf<ServerlessInputs>(values).loadBalancerProxyRange,
      strictTransportSecurity: values.domainOptions.at.strictTransportSecurity,
      zone: settings.dnsZone,
    });
  }

  /** Domain and addresses of the load balancer in use; undefined without a domain. */
  private addressOfDomain(external: ExternalDomain | undefined): LoadBalancerAddress | undefined {
    const { domain } = this.settings;
    const internal = this.internalLoadBalancer;
    if (domain === undefined) return undefined;
    if (internal === undefined)
      return external && { domain, ipAddress: external.address.ipAddress, ipv6: external.ipv6 };
    const addresses = bothLists(external?.address.ipAddresses, internal.ipAddresses);
    return { domain, ipv6: external?.ipv6, ipAddress: hcl`one(${addresses})`.text };
  }

  private addWorker(
    container: ContainerSpec,
    address: LoadBalancerAddress | undefined,
  ): ServerlessWorkerPool | undefined {
    const { attachment: network, context, runtime, values } = this;
    return partIf(
      isSeparate(values),
      () =>
        new ServerlessWorkerPool(this, "Worker", {
          context,
          network,
          address,
          condition: isSeparate(values),
          container,
          identity: runtime,
          instanceCount: countAtHome(this.standby, workerCount(values)).number,
        }),
    );
  }

  private addService(container: ContainerSpec, address: LoadBalancerAddress | undefined): ServerlessService {
    const { standby, values, worker } = this;
    return new ServerlessService(this, "Service", {
      ...this.serviceOf(container, address),
      runningInstanceCount: standby && countAtHome(standby, values.minInstanceCount).number,
      // A separate worker must be running before the last worker beside a server stops.
      dependsOn: worker?.ready ?? [],
    });
  }

  /** Props that the services of both regions share. */
  private serviceOf(container: ContainerSpec, address: LoadBalancerAddress | undefined): ServerlessServiceProps {
    const { access, attachment: network, context, runtime, values } = this;
    return {
      closeDefaultAddress: values.closeDefaultAddress.flag,
      cpuAlwaysAllocated: values.cpuAlwaysAllocated.flag,
      maxInstanceRequestConcurrency: requestsPerInstance(values).number,
      publicAccess: access,
      context,
      network,
      address,
      identity: runtime,
      container,
      minInstanceCount: values.minInstanceCount.number,
      maxInstanceCount: values.maxInstanceCount.number,
      requestTimeoutSeconds: values.requestTimeoutSeconds.number,
    };
  }

  private addStandbyDatabase(): StandbyDatabase | undefined {
    const { database: primary, initializer, standby } = this;
    if (standby === undefined) return undefined;
    const replica = new StandbyDatabase(this, "StandbyDatabase", { primary, standby });
    // Account of the job that compares the replica with the primary, and of the restore during the return to the first
    // region.
    replica.grantConnect(initializer);
    return replica;
  }

  /** The replica for monitoring: as a replica while it follows the primary, as the database once it is promoted. */
  private get watchedReplica(): WatchedReplica | undefined {
    const { standby, standbyDatabase } = this;
    if (standby === undefined || standbyDatabase === undefined) return undefined;
    const { condition, isPromoted } = standby;
    return {
      instanceName: standbyDatabase.instanceName,
      follows: condition.and(isPromoted.not()),
      isInUse: condition.and(isPromoted),
    };
  }

  /** The image of the second region; an existing image is used in both regions. */
  private addStandbyImage(standby: Standby): ContainerImage {
    const { apis, context, image, registry, settings } = this;
    if (registry === undefined) return image;
    return new StandbyImage(this, "StandbyImage", {
      apis,
      context,
      image,
      registry,
      standby,
      buildLocation: settings.build?.location,
      buildPool: settings.build?.pool,
      existingImage: settings.existingContainerImage,
      imageMirror: settings.imageMirror,
    });
  }

  /** The server of the second region. @param ofWorker container of a separate worker */
  private addStandbyService(
    container: ContainerSpec,
    ofWorker: ContainerSpec,
    address: LoadBalancerAddress | undefined,
  ): StandbyService | undefined {
    const { standby, standbyDatabase: database, values } = this;
    if (standby === undefined || database === undefined) return undefined;
    const condition = isSeparate(values);
    const instanceCount = workerCount(values).number;
    return new StandbyService(this, "StandbyService", {
      database,
      image: this.addStandbyImage(standby),
      standby,
      service: this.serviceOf(container, address),
      subnetwork: values.standby.at.subnetwork.text,
      worker: partIf(condition, () => ({ condition, container: ofWorker, instanceCount })),
    });
  }

  /** Settings of `promote.sh` by name; empty texts at plan without a second region. */
  private get standbyWords(): Readonly<Record<string, string>> | undefined {
    const { context, standby, standbyDatabase, values } = this;
    if (standby === undefined || standbyDatabase === undefined) return undefined;
    const { deployment, projectId } = context;
    const groupIn = (region: string) =>
      `projects/${projectId}/regions/${region}/networkEndpointGroups/${endpointGroupName({ deployment, region })}`;
    const isWorker = isSeparate(values);
    const words = {
      STANDBY_REGION: standby.region,
      STANDBY_INSTANCE: standbyDatabase.instanceName,
      STANDBY_SERVICE: serviceName(deployment),
      STANDBY_MIN_INSTANCES: toText(values.minInstanceCount),
      STANDBY_WORKER_POOL: isWorker.choose(workerPoolName(deployment), ""),
      STANDBY_WORKERS: isWorker.choose(toText(workerCount(values)), ""),
      STANDBY_GROUP: groupIn(standby.region.text),
      BACKEND_SERVICE: backendServiceName(context),
      SERVICE: serviceName(deployment),
      HOME_GROUP: groupIn(context.region),
      // The script needs the URL as a setting, because the state with the outputs may be in the failed region.
      SERVICE_URL: interpolated`https://${values.domain}`,
    };
    return Object.fromEntries(
      Object.entries(words).map(([name, word]) => [name, standby.condition.choose<string>(word, "").text]),
    );
  }

  private addLoadBalancer({ address, domainSetup }: ExternalDomain): ServerlessLoadBalancer {
    const { service, values } = this;
    return new ServerlessLoadBalancer(this, "FrontDoor", {
      ...this.ofLoadBalancers,
      address,
      certificate: domainSetup.certificate,
      service,
      standby: this.standby,
      validation: values.certificateValidation.text,
      securityPolicyId: domainSetup.securityPolicy.policyId,
      strictTransportSecurity: values.domainOptions.at.strictTransportSecurity.text,
    });
  }

  /** The application's own command in a job, because Cloud Run offers no shell in a running container. */
  private addTestMail(container: ContainerSpec): ServerlessIdentityProvider["testMail"] {
    const { attachment: network, context, runtime, values } = this;
    return partIf(values.smtp.isSet(), () =>
      new ServerlessJobs({ context, network, identity: runtime }).onDemand(this, "TestMail", {
        condition: values.smtp.isSet(),
        // The command needs no uploads.
        container: { ...container, args: [TEST_MAIL_COMMAND, "--help"], mounts: [] },
        name: "test-mail",
        maxRetries: 0,
        // Time for the start of the application, half a minute, and for the worker and the mail server.
        timeoutSeconds: 600,
      }),
    );
  }

  private commandOfTestMail(): string | undefined {
    const { testMail, values } = this;
    return testMail && ifMail(values.smtp, `${testMail.runCommand} --args=${TEST_MAIL_COMMAND},${TEST_MAIL_READER}`);
  }

  private urlOfServer(): string {
    const { service, settings, values } = this;
    if (settings.domain === undefined) return service.url;
    return values.domain.isNull().choose(service.url, interpolated`https://${values.domain}`).text;
  }

  /** Jobs that Cloud Scheduler starts, with a separate identity. @internal */
  protected scheduledJobs(identity: ServiceIdentity): ServerlessJobs {
    const { apis, attachment: network, context } = this;
    const dependsOn = apis.ready("run", "secretmanager", "iam", "cloudscheduler");
    return new ServerlessJobs({ context, network, identity, starter: this.accountOf("scheduler"), dependsOn });
  }

  /** @internal */
  protected manualJobs(identity: ServiceIdentity): ServerlessJobs {
    const { apis, attachment: network, context } = this;
    return new ServerlessJobs({ context, network, identity, dependsOn: apis.ready("run", "secretmanager", "iam") });
  }

  /** The last resources to be created. */
  private lastParts(): ITerraformDependable[] {
    return readyOf(
      this.service,
      this.testMail,
      this.worker,
      this.standbyService,
      this.loadBalancer,
      this.domainSetup,
      this.internalPorts,
      this.monitoring,
      this.dump,
      this.checkUp,
      this.signInProbe,
      this.auditLog,
      this.eventRetention,
      this.recoveryAccess,
    );
  }

  /** Refuses removal of the network. @returns dependencies of the deletion guard */
  private guardNetwork(dependsOn: ITerraformDependable[]): ITerraformDependable[] {
    const network = { prop: "network", value: this.attachment?.network };
    return guardPresence(this, network, { dependsOn, protect: this.deletionProtection });
  }

  /** Records and next steps for the domain, of both load balancers. */
  private dnsOfDomain(): IdentityProvider["dns"] {
    const { domainSetup, internalLoadBalancer: internal } = this;
    return {
      records: bothLists(domainSetup?.records.list, internal?.records),
      nextSteps: bothLists(domainSetup?.nextSteps, internal?.nextSteps),
    };
  }
}

/** Parts of a domain that an external load balancer uses. */
interface ExternalDomain {
  readonly address: DomainAddress;
  readonly domainSetup: DomainSetup;
  readonly ipv6: Ipv6Address;
}

/** Joins the lists that are not undefined; undefined if there is none. */
function bothLists(...lists: readonly (string | undefined)[]): string | undefined {
  const [first, ...others] = present(...lists);
  if (first === undefined) return undefined;
  return others.length === 0 ? first : call("concat", [first, ...others]).text;
}
