import { Token } from "cdktf";
import { type Construct } from "constructs";

import { anyOf, isOn, isSet, not } from "./core/conditional";
import { settingName, expression } from "./core/expression";
import { guardPresence } from "./core/identity-guard";
import { type Warning, addWarnings } from "./core/warnings";
import { requireProps } from "./core/rules";
import { type ContainerSpec } from "./idp/container-spec";
import { type DatabaseDump } from "./idp/database-dump";
import { DbInit } from "./idp/db-init";
import { ifMail } from "./idp/mail-settings";
import { addRecoveryScripts } from "./idp/recovery-scripts";
import { TEST_MAIL_COMMAND, TEST_MAIL_JOB, TEST_MAIL_READER, TEST_MAIL_TIMEOUT_SECONDS } from "./idp/smtp";
import { IdentityProvider } from "./identity-provider";
import {
  SERVERLESS_IDENTITY_PROVIDER_RULES,
  type ServerlessIdentityProviderProps,
} from "./serverless-identity-provider-props";
import { DomainAddress } from "./platform/edge/domain-address";
import { type DomainSetup } from "./platform/edge/edge";
import { CERTIFICATE_VALIDATION_DEFAULTS } from "./platform/edge/edge-rules";
import { isProtected } from "./platform/edge/protection";
import { type Monitoring } from "./platform/monitoring/monitoring";
import { type NetworkAttachment } from "./platform/network/network-attachment";
import { OnDemandJob } from "./platform/serverless/on-demand-job";
import { ServerlessLoadBalancer, urlMapName } from "./platform/serverless/serverless-front-door";
import { ServerlessJobs } from "./platform/serverless/serverless-jobs";
import { ServerlessService } from "./platform/serverless/serverless-service";
import { ServerlessWorkerPool } from "./platform/serverless/serverless-worker-pool";
import { serviceOptions } from "./platform/serverless/service-options";
import { workerCountOf, hasSeparateWorker, separateWorkerContainer } from "./worker-props";

/**
 * The identity provider on Cloud Run, from an empty project in one apply.
 *
 * The database and the minimum number of instances are always billed. The stack must configure the google provider. The
 * machine that applies needs `sh`, `curl` and `jq`.
 */
export class ServerlessIdentityProvider extends IdentityProvider {
  readonly initialization: DbInit;

  /** Cloud Run service of the server. */
  readonly service: ServerlessService;

  readonly worker: ServerlessWorkerPool | undefined;

  /** Load balancer of the domain; undefined if there can be none. */
  readonly frontDoor: ServerlessLoadBalancer | undefined;

  /** The job that sends a test mail; undefined if there can be none. */
  readonly testMail: OnDemandJob | undefined;

  readonly testMailCommand: string | undefined;

  readonly edge: DomainSetup | undefined;

  readonly loadBalancerAddress: string | undefined;

  /** Address of the load balancer; undefined if there can be none. */
  readonly address: DomainAddress | undefined;

  readonly restoreSettings: string;

  readonly url: string;

  readonly monitoring: Monitoring;

  readonly dump: DatabaseDump | undefined;

  constructor(scope: Construct, id: string, props: ServerlessIdentityProviderProps) {
    requireProps(`${scope.node.path}/${id}`, props, ["projectId", "tenantId"], SERVERLESS_IDENTITY_PROVIDER_RULES);
    super(scope, id, props, {
      apis: ["run"],
      apisOfSchedules: SCHEDULE_APIS,
      apisOnDemand: ["compute"],
      certificateValidation: CERTIFICATE_VALIDATION_DEFAULTS.serverless,
      identity: [],
    });
    const { apis, initializer, place, runtime } = this;
    const { deletionProtection = true, domain, network } = props;

    this.initialization = new DbInit(this, "DbInit", {
      database: this.database,
      runner: new ServerlessJobs({
        place,
        network,
        identity: initializer,
        dependsOn: apis.ready("run", "secretmanager"),
      }),
      // At the first apply, the backup finds no database; the job is about to create it.
      dependsOn: this.upgradeBackup.ready,
    });
    this.restoreSettings = addRecoveryScripts(this, { region: place.region });

    if (domain !== undefined) {
      this.address = new DomainAddress(this, "Address", { place, domain, dependsOn: apis.ready("compute") });
      this.loadBalancerAddress = expression(this.address.ipAddress);
      this.edge = this.edgeOf(domain, this.address.ipAddress);
    }

    const container = this.container(this.initialization);
    const separateWorker = hasSeparateWorker(props);
    if (separateWorker !== "false") {
      this.worker = new ServerlessWorkerPool(this, "Worker", {
        place,
        network,
        address: this.address,
        condition: separateWorker,
        container: separateWorkerContainer(container, props),
        identity: runtime,
        instanceCount: workerCountOf(props),
      });
    }
    this.service = new ServerlessService(this, "Service", {
      ...serviceOptions(props),
      place,
      network,
      address: this.address,
      identity: runtime,
      container,
      minInstanceCount: props.minInstanceCount,
      maxInstanceCount: props.maxInstanceCount,
      requestTimeoutSeconds: props.requestTimeoutSeconds,
      // A separate worker must be running before the last worker beside a server stops.
      dependsOn: this.worker?.ready,
    });
    addWarnings(this, "DefaultAddressIsClosed", [this.openAddressRisk(props)]);
    if (this.address !== undefined && this.edge !== undefined) {
      this.frontDoor = new ServerlessLoadBalancer(this, "FrontDoor", {
        address: this.address,
        certificate: this.edge.certificate,
        place,
        service: this.service,
        validation: this.certificateValidation,
        securityPolicyId: this.edge.securityPolicy.policyId,
        requestLogSampleRate: props.requestLogSampleRate,
        dependsOn: apis.ready("compute"),
      });
    }
    this.testMail = this.testMailJob(container, network);
    this.testMailCommand =
      this.testMail &&
      ifMail(this.mail, `${this.testMail.executeCommand} --args=${TEST_MAIL_COMMAND},${TEST_MAIL_READER}`);
    this.url = urlOf(domain, this.service.url);
    this.dump = this.dumpOf(
      (identity) =>
        new ServerlessJobs({
          place,
          network,
          identity,
          dependsOn: apis.ready("run", "secretmanager", "iam", ...SCHEDULE_APIS),
        }),
      this.service.ready,
    );
    this.monitoring = this.monitoringOf(
      {
        isPublic: isOn(props.publicAccess ?? true),
        platform: "serverless",
        url: this.url,
        urlMap: urlMapName(place),
      },
      this.dump,
    );

    const ready = [
      ...this.service.ready,
      ...(this.testMail?.ready ?? []),
      ...(this.worker?.ready ?? []),
      ...(this.frontDoor?.ready ?? []),
      ...(this.edge?.ready ?? []),
      ...this.monitoring.ready,
      ...(this.dump?.ready ?? []),
    ];
    const networkGuard = guardPresence(
      this,
      { prop: "network", value: network?.network },
      { dependsOn: ready, protect: deletionProtection },
    );
    this.guard([...ready, networkGuard]);
  }

  /**
   * The application's own command in a job with the application's container, because Cloud Run offers no shell in a
   * running one.
   */
  private testMailJob(container: ContainerSpec, network: NetworkAttachment | undefined): OnDemandJob | undefined {
    if (this.mail.isOn === "false") return undefined;
    return new OnDemandJob(this, "TestMail", {
      condition: this.mail.isOn,
      // The command needs no uploads.
      container: { ...container, args: [TEST_MAIL_COMMAND, "--help"], mounts: [] },
      identity: this.runtime,
      name: TEST_MAIL_JOB,
      network,
      place: this.place,
      timeoutSeconds: TEST_MAIL_TIMEOUT_SECONDS,
    });
  }

  /** A policy is useless if requests can bypass it. */
  private openAddressRisk(props: ServerlessIdentityProviderProps): Warning {
    const { closeDefaultAddress = false, existingSecurityPolicy, protection } = props;
    const hasPolicy = anyOf(isProtected(protection), isSet(existingSecurityPolicy));
    const condition = anyOf(not(hasPolicy), isOn(closeDefaultAddress));
    return {
      value: condition,
      ok: condition === "true",
      condition,
      message: `${settingName(this, closeDefaultAddress, "closeDefaultAddress")} is false; a security policy protects only the domain, and requests to the address that Cloud Run assigns bypass it; set it to true once the domain works`,
    };
  }
}

const SCHEDULE_APIS = ["cloudscheduler"] as const;

/** URL of the domain if there is one, otherwise that of the service. */
function urlOf(domain: string | undefined, serviceUrl: string): string {
  if (!Token.isUnresolved(domain)) return domain === undefined ? serviceUrl : `https://${domain}`;
  return expression(`(${domain} == null ? ${serviceUrl} : "https://\${${domain}}")`);
}
