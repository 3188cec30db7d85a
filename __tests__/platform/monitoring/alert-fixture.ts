import {
  isMetric,
  type Alert,
  type AlertNames,
  type LogCondition,
  type MetricCondition,
  type Platform,
} from "../../../lib/platform/monitoring/alert";
import { ALERTS } from "../../../lib/platform/monitoring/alerts";

/** Names as a deployment of the defaults has them. */
export const NAMES: AlertNames = {
  called: String,
  projectId: "my-project",
  host: "login.example.com",
  urlMap: "idp-demo-1a2b3c-https",
  database: "sql-demo-1a2b3c-idp",
  maxConnections: "100",
  maxInstances: "3",
  workload: "idp-demo-1a2b3c",
  worker: "idp-demo-1a2b3c-w",
  workers: "2",
  securityPolicy: "idp-demo-1a2b3c-protection",
  deployment: "idp-demo-1a2b3c",
  job: "idp-demo-1a2b3c-db-init",
  dumpJob: "idp-demo-1a2b3c-dump",
  firstDumpJob: "idp-demo-1a2b3c-dump-1",
  dumpBucket: "bkt-idpdemo-1a2b3c-dumps",
  namespace: "identity-provider",
  secretPrefix: "secret-demo-1a2b3c-idp-",
  secretReaders: '"idp-run-0a1b2c@my-project.iam.gserviceaccount.com" OR "deployer@example.com"',
};

/** A condition of an alert on one platform. */
interface Case<Condition> {
  readonly alert: Alert;
  readonly condition: Condition;

  /** Id of the alert and the platform, for the name of a test. */
  readonly name: string;
  readonly platform: Platform;
}

const PLATFORMS: readonly Platform[] = ["kubernetes", "serverless"];

const CASES = ALERTS.flatMap((alert) =>
  PLATFORMS.flatMap((platform) => {
    const condition = alert.on[platform];
    return condition === undefined ? [] : [{ alert, condition, name: `${alert.id} on ${platform}`, platform }];
  }),
);

export const METRIC_CASES = CASES.filter((each): each is Case<MetricCondition> => isMetric(each.condition));
export const LOG_CASES = CASES.filter((each): each is Case<LogCondition> => !isMetric(each.condition));

/** The expression of an alert as a policy has it. */
export function ruleOf({ query, raisedWhen, threshold }: MetricCondition): string {
  return `${query(NAMES)} ${raisedWhen} ${threshold}`;
}
