import { LOGS_OF, logCommand, type AlertNames, type Platform } from "../../lib/platform/monitoring/alert";
import { ALERTS, alertsOn } from "../../lib/platform/monitoring/alerts";

/** Names in the commands of the pages: those of a deployment of tenant `demo`, with 1a2b3c for the project. */
const NAMES = {
  called: (setting: string) => setting.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  projectId: "my-project",
  host: "login.example.com",
  database: "sql-demo-1a2b3c-idp",
  maxConnections: "100",
  maxInstances: "3",
  workers: "1",
  dumpBucket: "",
  namespace: "identity-provider",
  secretPrefix: "",
  securityPolicy: "idp-demo-1a2b3c-protection",
  deployment: "idp-demo-1a2b3c",
  secretReaders: "",
};

export const PAGE_NAMES: Readonly<Record<Platform, AlertNames>> = {
  serverless: {
    ...NAMES,
    urlMap: "idp-demo-1a2b3c-https",
    workload: "idp-demo-1a2b3c",
    worker: "idp-demo-1a2b3c-w",
    job: "idp-demo-1a2b3c-db-init",
    dumpJob: "idp-demo-1a2b3c-dump",
    firstDumpJob: "idp-demo-1a2b3c-dump-1",
  },
  kubernetes: {
    ...NAMES,
    urlMap: "k8s2-um-[0-9a-z]+-identity-provider.*",
    workload: "idp",
    worker: "idp-worker",
    job: "idp-db-init",
    dumpJob: "idp-dump",
    firstDumpJob: "idp-dump-1",
  },
};

const CALLED: Readonly<Record<Platform, string>> = { kubernetes: "GKE", serverless: "Cloud Run" };
const PLATFORMS: readonly Platform[] = ["serverless", "kubernetes"];

/** What an alert needs, in the words of the inputs. */
const NEEDS = {
  audit: "`audit_secret_access`",
  dailyDump: "daily dumps, `dump_schedule`",
  domain: "`domain`",
  dump: "`dump_schedule`",
  protection: "`protection`",
  separateWorker: '`worker_mode = "separate"`',
  workerInContainer: '`worker_mode = "in-container"`',
  room: "`max_instance_count` above `min_instance_count`",
  uptimeCheck: "the uptime check",
} as const;

/** A row for each alert; two where it is raised by another condition on the other platform. */
export function alertCells(): string[][] {
  return ALERTS.flatMap(({ id, needs = [], severity, title }) => {
    const places = new Map<string, string[]>();
    for (const platform of PLATFORMS) {
      const alert = alertsOn(platform).find((each) => each.id === id);
      if (alert === undefined) continue;
      const condition = shownCondition(alert);
      places.set(condition, [...(places.get(condition) ?? []), CALLED[platform]]);
    }
    return [...places].map(([condition, where]) => [
      `\`${id}\``,
      title,
      condition,
      severity,
      where.length === 2 ? "both" : where.join(),
      needs.map((need) => NEEDS[need]).join(", "),
    ]);
  });
}

function shownCondition({ limit, query }: ReturnType<typeof alertsOn>[number]): string {
  if (query === undefined || limit === undefined) return "an entry of the log";
  const { durationSeconds, measures, raisedWhen, threshold } = limit;
  const duration = durationSeconds === 0 ? "" : `, ${durationSeconds} s`;
  return `${raisedWhen.replace("<", "\\<")} ${threshold} (${measures})${duration}`;
}

export const LOG_COMMANDS = PLATFORMS.flatMap((platform) => {
  const names = PAGE_NAMES[platform];
  const filters: Readonly<Record<string, string>> = {
    "server and worker": LOGS_OF.workload(names, platform),
    "separate workers": LOGS_OF.separateWorker(names, platform),
    "what the entrypoint says of the worker beside the server": LOGS_OF.worker(names, platform),
    "the job that prepares the database": LOGS_OF.job(names, platform, names.job),
    "the job that dumps the database": LOGS_OF.dumps(names, platform),
    ...(platform === "kubernetes" ? { "what the cluster says of the pods": LOGS_OF.events(names, "Pod", "idp") } : {}),
    "the load balancer of a domain": LOGS_OF.loadBalancer(names),
    ...(platform === "serverless" ? {} : { "the database, on either": LOGS_OF.database(names) }),
  };
  return Object.entries(filters).map(([part, filter]) => ({
    command: logCommand(filter, names),
    part: part.endsWith("either") ? part : `${part}, on ${CALLED[platform]}`,
    platform,
  }));
});

/** The commands, each with the mark of the stack that it is of. */
export function logCommands(): string {
  return LOG_COMMANDS.map(({ command, part, platform }) => {
    const text = `${capitalized(part)}:\n\n\`\`\`sh\n${command}\n\`\`\``;
    return part.endsWith("either") ? text : `<!-- only: idp-${platform} -->\n${text}\n<!-- end only -->`;
  }).join("\n\n");
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
