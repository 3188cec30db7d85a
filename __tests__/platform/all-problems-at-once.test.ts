import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { ServerlessIdentityProvider } from "../../lib";
import { bareStack } from "../support/synthesis";
import { brokenRules } from "../support/broken-rules";

const CHANNEL = "projects/demo-project/notificationChannels/1";

/** Every prop of both variants with a refused value. */
const WRONG = {
  alertEmails: ["nobody"],
  alerts: { disk: {} },
  applicationName: "Idp",
  applicationVersion: "2024.1.1",
  backupLocation: "europe",
  backupRetentionCount: 0,
  bootstrapPassword: "hunter2-hunter2",
  bootstrapPasswordVersion: 0,
  containerCpu: 3.1,
  databaseAvailability: "GLOBAL",
  databaseFinalBackupDays: 400,
  databaseTier: "huge",
  dumpRetentionDays: 0,
  dumpSchedule: "daily",
  dumpStorageClass: "ARCHIVE",
  environmentVariables: { IDP_SECRET_KEY: "key" },
  existingContainerImage: "idp:latest",
  labels: { Cost: "shared" },
  livenessProbe: { path: "/" },
  maxInstanceCount: 0,
  minInstanceCount: 0.5,
  network: { network: "main", subnetwork: "main" },
  notificationChannels: ["4711"],
  projectId: "1",
  region: "us-central1-a",
  secretReaders: ["nobody"],
  startupProbe: { periodSeconds: 0 },
  tenantId: "Acme",
  transactionLogDays: 8,
  workerCount: 0,
  workerCpu: 3.1,
  workerMemory: "2G",
  workerMode: "separat",
  workerProcesses: 0,
  workerThreads: 0.5,
};

/** Names at the beginning of the problems of a construct itself, not of its parts. */
const namesIn = (work: () => unknown): string[] => {
  try {
    work();
  } catch (error) {
    const [first = "", ...problems] = (error as Error).message.split("\n");
    expect(first).toMatch(/^test\/IdentityProvider: \d+ problems$/);
    return [...new Set(problems.map((problem) => /^ {2}- (\w+)/.exec(problem)?.[1] ?? problem))];
  }
  throw new Error("nothing is refused");
};

describe("All that is wrong with an identity provider is said at once, in the words of the caller", () => {
  it("on Cloud Run", () => {
    const names = namesIn(() => new ServerlessIdentityProvider(bareStack(), "IdentityProvider", WRONG));
    expect(names.sort()).toEqual(Object.keys(WRONG).sort());
  });

  it("on Kubernetes", () => {
    const wrong = {
      ...WRONG,
      authorizedNetworks: { office: "anywhere" },
      domain: "localhost",
      namespace: "default",
      workerMaxCount: 0,
    };
    const names = namesIn(() => new KubernetesIdentityProvider(bareStack(), "IdentityProvider", wrong));
    expect(names.sort()).toEqual(Object.keys(wrong).sort());
  });

  it("of limits that depend on each other", () => {
    const work = () =>
      new ServerlessIdentityProvider(bareStack(), "IdentityProvider", {
        projectId: "p".repeat(30),
        tenantId: "t".repeat(20),
        applicationName: "application-name",
        containerCpu: 1,
        containerMemory: "8Gi",
        maxInstanceCount: 5,
      });
    expect(work).toThrow(
      brokenRules("test/IdentityProvider", [
        "the connection name of the database, from projectId, region, tenantId and applicationName, has 91 characters; it must have at most 83, because the path of its socket has at most 107; shorten the application name or the tenant id by 8",
        'containerMemory is "8Gi" with containerCpu 1; it must be a whole number with Mi or Gi that fits the CPU: 1 CPU 512Mi to 4Gi, 2 CPU 512Mi to 8Gi, 4 CPU 2048Mi to 16Gi, 8 CPU 4096Mi to 32Gi; change one of the two',
        "maxInstanceCount is 5; with 5 more during a rollout that needs 600 database connections and 10 are reserved for administration, but the database accepts 384, and a request without a connection fails; lower it, or choose a databaseTier with more memory",
      ]),
    );
  });

  it.each([
    [
      "in the places of separate workers where there are none",
      { workerCount: 2, workerCpu: 2, workerMemory: "4Gi", workerMode: "all-in-one", applicationVersion: "2026.2.0" },
      [
        'workerCount is 2 with workerMode "all-in-one"; it needs "separate", because otherwise every instance of the server has a worker in it; set workerMode to "separate", or leave it out',
        'workerCpu is 2 with workerMode "all-in-one"; it needs "separate", because otherwise every instance of the server has a worker in it; set workerMode to "separate", or leave it out',
        'workerMemory is "4Gi" with workerMode "all-in-one"; it needs "separate", because otherwise every instance of the server has a worker in it; set workerMode to "separate", or leave it out',
        'workerMode is "all-in-one" with applicationVersion "2026.2.0"; it needs release 2026.5 or newer, because older ones cannot supervise server and worker themselves; use in-container or for example "2026.5.4"',
      ],
    ],
    [
      "of values that mean nothing, or a mistake",
      {
        alertEmails: ["a@example.com", "a@example.com"],
        alerts: { "database-cpu": { threshold: 90 } },
        applicationVersion: "2026.13.1",
        blueprints: ["branding", "branding"],
        dumpAtApply: true,
        notificationChannels: [CHANNEL, CHANNEL],
        requestLogSampleRate: 0.5,
        smtp: { host: "smtp.example.com", from: "idp@example.com", encryption: "tls" },
      },
      [
        'applicationVersion is "2026.13.1"; it must be "latest" or an exact release from 2025.10 on, year.month.patch, because older ones need Redis, and rolling tags change without notice; use for example "2026.5.4"',
        'blueprints is ["branding","branding"]; it must contain each only once, because one of the two was probably meant to be another; correct or remove it',
        "dumpAtApply is true and dumpSchedule is not given; there must be a schedule, because nothing is dumped without one; set dumpSchedule, or set dumpAtApply to false",
        'smtp.port is 587 and smtp.encryption is "tls"; they must fit, because servers encrypt from the first byte on port 465 and not on 587, and no mail would be sent; use tls with 465, or starttls with 587',
        "requestLogSampleRate is 0.5 without domain; it must be 0, because only the load balancer of a domain logs requests; set the domain, or remove requestLogSampleRate",
        'alertEmails is ["a@example.com","a@example.com"]; it must contain each only once, because one of the two was probably meant to be another; correct or remove it',
        'notificationChannels is ["projects/demo-project/notificationChannels/1","projects/demo-project/notificationChannels/1"]; it must contain each only once, because one of the two was probably meant to be another; correct or remove it',
        "alerts has database-cpu.threshold = 90; the threshold of this alert is a share, so it must be a number from 0 to 1, because no share exceeds 1 and the alert would never be raised, or always; write 90 % as 0.9",
      ],
    ],
    [
      "of dumps on a day that never comes",
      { dumpSchedule: "30 4 31 2 *" },
      [
        'dumpSchedule is "30 4 31 2 *"; it must be on a day that one of its months has, because nothing would ever be dumped; correct the day or the month',
      ],
    ],
    [
      "of connections that separate workers take",
      { workerCount: 7, workerMode: "separate" },
      [
        "maxInstanceCount is 3; with 3 more during a rollout that needs 452 database connections, 140 of them for separate workers, and 10 are reserved for administration, but the database accepts 384, and a request without a connection fails; lower it, or choose a databaseTier with more memory",
      ],
    ],
    [
      "of connections that many threads beside the server take",
      { workerProcesses: 2, workerThreads: 7 },
      [
        "maxInstanceCount is 3; with 3 more during a rollout that needs 456 database connections and 10 are reserved for administration, but the database accepts 384, and a request without a connection fails; lower it, or choose a databaseTier with more memory",
      ],
    ],
  ])("%s", (_, props, problems) => {
    const work = () =>
      new ServerlessIdentityProvider(bareStack(), "IdentityProvider", {
        projectId: "demo-project",
        tenantId: "demo",
        ...props,
      });
    expect(work).toThrow(brokenRules("test/IdentityProvider", problems));
  });

  it("of separate workers of a rollout in a cluster", () => {
    const work = () =>
      new KubernetesIdentityProvider(bareStack(), "IdentityProvider", {
        projectId: "demo-project",
        tenantId: "demo",
        workerCount: 3,
        workerMaxCount: 2,
        workerMode: "separate",
      });
    expect(work).toThrow(
      brokenRules("test/IdentityProvider", [
        "workerCount is 3; it must not exceed workerMaxCount, which is 2; lower one or raise the other",
      ]),
    );
    const many = () =>
      new KubernetesIdentityProvider(bareStack(), "IdentityProvider", {
        projectId: "demo-project",
        tenantId: "demo",
        workerCount: 20,
        workerMode: "separate",
      });
    expect(many).toThrow(
      "maxInstanceCount is 3; with 1 more during a rollout that needs 428 database connections, 220 of them for separate workers, and 10",
    );
  });
});
