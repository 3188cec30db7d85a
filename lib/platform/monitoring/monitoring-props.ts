import { type DeploymentContext } from "../../core/place";
import { type ProjectApis } from "../../core/project-apis";
import { type WorkloadIdentity } from "../../core/identity";
import { type NamedSetting, type Platform } from "./alert";
import { type MonitoringSettings } from "./monitoring-settings";

/** A scheduled dump of the database. */
export interface MonitoredDump {
  /** Cloud Run job, or cron job in the namespace. */
  readonly jobName: string;

  /** Bucket that it writes into. */
  readonly bucketName: string;

  /** Whether there is one, as a string: `true`, `false` or a boolean expression. */
  readonly condition: string;

  /** Whether it runs every day; otherwise the age of the last dump is not checked. */
  readonly isDaily: string;
}

export interface MonitoringProps extends MonitoringSettings {
  /** APIs of the project: `logging`, `monitoring` and `secretmanager`. */
  readonly apis: ProjectApis;

  /** Determines the names of everything that is monitored. */
  readonly place: DeploymentContext;

  /** Determines metrics and logs. */
  readonly platform: Platform;

  /** Address that clients connect to: `https://<host>`. */
  readonly url: string;

  /** Connections that the database accepts. */
  readonly maxConnections: string;

  /** Minimum number of instances; if it equals the maximum, there is no alert `at-maximum`. */
  readonly minInstanceCount: number;

  /** Maximum number of instances, for the alert `at-maximum`. */
  readonly maxInstanceCount: number;

  /** Accounts of the deployment, which may read its secrets. */
  readonly identities: readonly WorkloadIdentity[];

  /** What a setting of the deployment is called in the first steps of alerts. Default: the name of its prop. */
  readonly called?: (setting: NamedSetting) => string;

  /** Domain of the load balancer; one that is null at plan means none. Default: none. */
  readonly domain?: string;

  /** Dump whose failure and age are monitored. Default: none. */
  readonly dump?: MonitoredDump;

  /**
   * Whether the address accepts unauthenticated requests, as a string: `true`, `false` or a boolean expression.
   * Default: "true".
   */
  readonly isPublic?: string;

  /** Namespace in the cluster; needed on Kubernetes. Default: none. */
  readonly namespace?: string;

  /**
   * Whether the load balancer has a security policy of the deployment's own, as a string: `true`, `false` or a boolean
   * expression. Default: "false".
   */
  readonly protection?: string;

  /** Number of separate workers that always run. Default: 1. */
  readonly workerCount?: string;

  /** Where the worker runs: `in-container`, `all-in-one` or `separate`. Default: "in-container". */
  readonly workerMode?: "in-container" | "all-in-one" | "separate" | (string & {});

  /** Regular expression for the name of the load balancer's URL map; needed with a domain. Default: none. */
  readonly urlMap?: string;
}
