import { spawnSync } from "node:child_process";

import { errorsCommand, type Platform } from "../../../lib/platform/monitoring/alert";
import { FACTS } from "./alert-fixture";
import { isSelected, type LogEntry } from "./log-filter";

const { database, dumpJob, job, namespace, projectId, worker, workload } = FACTS;
const DATABASE = { database_id: `${projectId}:${database}` };

/** Arguments that `gcloud` gets, as a shell divides them. */
function argumentsOf(platform: Platform): string[] {
  const script = `gcloud() { printf '%s\\n' "$@"; }; ${errorsCommand(FACTS, platform, DATABASE.database_id)}`;
  const { stdout, stderr } = spawnSync("sh", ["-eu", "-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

const entry = (type: string, labels: Readonly<Record<string, string>>, rest: object): LogEntry => ({
  resource: { type, labels },
  ...rest,
});

const PARTS: Readonly<Record<Platform, readonly (readonly [string, Readonly<Record<string, string>>])[]>> = {
  serverless: [
    ["cloud_run_revision", { service_name: workload }],
    ["cloud_run_worker_pool", { worker_pool_name: worker }],
    ["cloud_run_job", { job_name: job }],
    ["cloud_scheduler_job", { job_id: dumpJob }],
    ["cloudsql_database", DATABASE],
  ],
  kubernetes: [
    ["k8s_container", { namespace_name: namespace, container_name: "server" }],
    ["k8s_container", { namespace_name: namespace, container_name: "worker" }],
    ["k8s_pod", { namespace_name: namespace, pod_name: `${job}-x7k2p` }],
    ["cloudsql_database", DATABASE],
  ],
};

describe.each(["kubernetes", "serverless"] as const)("The command that prints the last errors on %s", (platform) => {
  it("reads the logs of the project, the newest first, with a limit", () => {
    expect(argumentsOf(platform)).toEqual([
      "logging",
      "read",
      expect.anything(),
      `--project=${projectId}`,
      "--freshness=1h",
      "--limit=30",
      "--format=table(timestamp, resource.type, textPayload, jsonPayload.event)",
    ]);
  });

  it.each(PARTS[platform])("finds the errors of a %s, and nothing else", (type, labels) => {
    const [, , filter = ""] = argumentsOf(platform);
    const others = Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, `another-${label}`]));
    const selects = (each: LogEntry) => isSelected(filter, each);
    expect(selects(entry(type, labels, { severity: "ERROR" }))).toBe(true);
    expect(selects(entry(type, labels, { severity: "CRITICAL" }))).toBe(true);
    for (const level of ["error", "critical"])
      expect(selects(entry(type, labels, { severity: "DEFAULT", jsonPayload: { level } }))).toBe(true);
    expect(selects(entry(type, labels, { severity: "WARNING", jsonPayload: { level: "info" } }))).toBe(false);
    expect(selects(entry(type, others, { severity: "ERROR" }))).toBe(false);
  });
});
