import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ALERTS } from "../../lib/platform/monitoring/alerts";
import { NAMES } from "../platform/monitoring/alert-fixture";
import { isSelected, type LogEntry } from "../support/log-filter";
import { describeWith } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { LOG_COMMANDS, PAGE_NAMES } from "../tools/monitoring-parts";

const { database, job, namespace, projectId, worker, workload } = PAGE_NAMES.serverless;
const IN_CLUSTER = PAGE_NAMES.kubernetes;

const entry = (type: string, labels: Readonly<Record<string, string>>, further: Partial<LogEntry> = {}): LogEntry => ({
  resource: { type, labels },
  ...further,
});

/** An entry of each part, by the words of the page. */
const WRITTEN: Readonly<Record<string, LogEntry>> = {
  "server and worker, on Cloud Run": entry("cloud_run_revision", { service_name: workload }),
  "separate workers, on Cloud Run": entry("cloud_run_worker_pool", { worker_pool_name: worker }),
  "what the entrypoint says of the worker beside the server, on Cloud Run": entry(
    "cloud_run_revision",
    { service_name: workload },
    { textPayload: "cloud-entrypoint: worker ended with exit code 1" },
  ),
  "the job that prepares the database, on Cloud Run": entry("cloud_run_job", { job_name: job }),
  "the load balancer of a domain, on Cloud Run": entry("http_load_balancer", { url_map_name: `${workload}-https` }),
  "server and worker, on GKE": entry("k8s_container", { namespace_name: namespace, container_name: "server" }),
  "separate workers, on GKE": entry("k8s_container", { namespace_name: namespace, container_name: "worker" }),
  "what the entrypoint says of the worker beside the server, on GKE": entry(
    "k8s_container",
    { namespace_name: namespace, container_name: "server" },
    { textPayload: "cloud-entrypoint: worker ended with exit code 1" },
  ),
  "the job that dumps the database, on Cloud Run": entry("cloud_run_job", { job_name: PAGE_NAMES.serverless.dumpJob }),
  "the job that dumps the database, on GKE": entry("k8s_container", {
    namespace_name: namespace,
    container_name: "dump",
    pod_name: `${IN_CLUSTER.dumpJob}-29403240-x7k2p`,
  }),
  "the job that prepares the database, on GKE": entry("k8s_container", {
    namespace_name: namespace,
    container_name: "db-init",
    pod_name: `${IN_CLUSTER.job}-x7k2p`,
  }),
  "what the cluster says of the pods, on GKE": {
    logName: `projects/${projectId}/logs/events`,
    jsonPayload: { involvedObject: { kind: "Pod", name: "idp-5d9f", namespace } },
  },
  "the load balancer of a domain, on GKE": entry("http_load_balancer", {
    url_map_name: `k8s2-um-0a1b2c3d-${namespace}-idp-9z8y7x6w`,
  }),
  "the database, on either": entry("cloudsql_database", { database_id: `${projectId}:${database}` }),
};

const PROGRAMS = ["curl", "gcloud", "kubectl"];

/** Runs a command with stand-ins that note what they are called with, and returns the calls. */
function callsOf(command: string): string[][] {
  const folder = temporaryFolder();
  const note = join(folder, "calls");
  for (const program of PROGRAMS) {
    const path = join(folder, program);
    writeFileSync(path, `#!/bin/sh\nfor word in "${program}" "$@" "#"; do printf '%s\\0' "$word"; done >>"${note}"\n`);
    chmodSync(path, 0o755);
  }
  const { status, stderr } = spawnSync("sh", ["-eu", "-c", command], {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const calls = readFileSync(note, "utf8").split("\0#\0").slice(0, -1);
  return calls.map((call) => call.split("\0"));
}

/** What is wrong with a call, as far as that can be said without the cloud. */
function problemOf([program = "", ...words]: readonly string[]): string | undefined {
  const line = [program, ...words].join(" ");
  if (program === "gcloud" && words[0] === "logging") {
    const [, verb, filter = "", ...options] = words;
    isSelected(filter, {});
    const isKnown = verb === "read" && /^--project=\S+ --freshness=\d+[hd]$/.test(options.join(" "));
    return isKnown ? undefined : line;
  }
  return KNOWN_CALLS.some((known) => known.test(line)) ? undefined : line;
}

const KNOWN_CALLS = [
  /^gcloud sql backups (create|list) --instance=\S+ --project=\S+$/,
  /^gcloud sql instances describe \S+ --project=\S+ --format=value\((state|settings\.(tier|dataDiskSizeGb))\)$/,
  /^gcloud (certificate-manager certificates|compute ssl-certificates) list --project=\S+$/,
  /^kubectl --namespace \S+ top pods --containers$/,
  /^kubectl --namespace \S+ describe pods$/,
  /^curl -sSi https:\/\/\S+\/-\/health\/ready\/$/,
];

describe("Where to look", () => {
  it("is said of every part", () => {
    expect(LOG_COMMANDS.map(({ part }) => part).sort()).toEqual(Object.keys(WRITTEN).sort());
  });
});

describeWith(["bash"], "The commands that show the log", () => {
  it.each(LOG_COMMANDS)("show the entries of $part, and no others", ({ command, part }) => {
    const [call = []] = callsOf(command);
    expect(problemOf(call)).toBeUndefined();
    const shown = Object.entries(WRITTEN).filter(([, each]) => isSelected(call[3] ?? "", each));
    const names = shown.map(([name]) => name);
    expect(names).toContain(part);
    // What the entrypoint says is written by the server's container, and a separate worker is a worker.
    expect(
      names.filter((name) => name !== part).every((name) => /^(what the entrypoint says|separate)/.test(name)),
    ).toBe(true);
  });
});

describeWith(["bash"], "The first steps of an alert", () => {
  const steps = ALERTS.flatMap(({ firstSteps, id, on }) =>
    (["kubernetes", "serverless"] as const)
      .filter((platform) => on[platform] !== undefined)
      .map((platform) => ({ name: `${id} on ${platform}`, text: firstSteps(NAMES, platform) })),
  );
  const commands = steps.flatMap(({ name, text }) =>
    [...text.matchAll(/`((?:curl|gcloud|kubectl) [^`]+)`/g)].map(([, command = ""]) => ({ command, name })),
  );

  it("have a command each", () => {
    const named = commands.map(({ name }) => name);
    expect(steps.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
  });

  it("contain commands that do what they say", () => {
    const wrong = commands.flatMap(({ command, name }) =>
      callsOf(command).flatMap((call) => {
        const problem = problemOf(call);
        return problem === undefined ? [] : [`${name}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("are short enough for a notification, and contain no placeholder", () => {
    for (const { text } of steps) {
      expect(text.length).toBeLessThan(2000);
      expect(text).not.toMatch(/undefined|''|""/);
    }
  });
});
