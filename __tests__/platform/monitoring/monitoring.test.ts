import { alertsOn } from "../../../lib/platform/monitoring/alerts";
import { CHARTS_PER_ROW } from "../../../lib/platform/monitoring/dashboard";
import { Monitoring, type MonitoringProps } from "../../../lib/platform/monitoring/monitoring";
import { SERVICE_LEVELS } from "../../../lib/platform/monitoring/service-levels";
import { shippedStacks } from "../../stacks/shipped-stacks";
import { evaluatedTogether } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { apisIn, CONTEXT, STAND_IN_SERVER, standInIdentity } from "../../support/stand-in-parts";
import { bareStack, type Block, resourceOf, type Terraform, terraformOf } from "../../support/synthesis";

type Group = "address" | "instances" | "jobs";
type Changes = Partial<Omit<MonitoringProps, Group>> & {
  readonly [Name in Group]?: Partial<MonitoringProps[Name]>;
};

function monitored(changes: Changes = {}): { monitoring: Monitoring; terraform: Terraform } {
  const stack = bareStack();
  const monitoring = new Monitoring(stack, "Monitoring", {
    ...STAND_IN_SERVER,
    context: CONTEXT,
    apis: apisIn(stack, "logging", "monitoring", "secretmanager"),
    identities: [standInIdentity()],
    ...changes,
    address: { ...STAND_IN_SERVER.address, ...changes.address },
    instances: { ...STAND_IN_SERVER.instances, ...changes.instances },
    jobs: { ...STAND_IN_SERVER.jobs, ...changes.jobs },
  });
  return { monitoring, terraform: terraformOf(stack) };
}

const POLICY = "google_monitoring_alert_policy";

const resource = (terraform: Terraform, type: string): Block =>
  resourceOf(terraform, type, Object.keys(terraform.resource?.[type] ?? {})[0] ?? "");

interface Policies {
  readonly policies: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  /** Existing channels of each alert, and the alerts that are repeated. */
  readonly channels: Readonly<Record<string, readonly string[]>>;
  readonly repeated: readonly string[];
  readonly dashboard: {
    readonly mosaicLayout: { readonly columns: number; readonly tiles: readonly Tile[] };
  };
}

interface Tile {
  readonly xPos?: number;
  readonly yPos?: number;
  readonly widget: { readonly title: string; readonly xyChart: { readonly thresholds?: unknown } };
}

const CHANNEL = "projects/p/notificationChannels/1";
const PAGER = "projects/p/notificationChannels/2";
const CHANNELS = { notificationChannels: { enabled: true, all: [CHANNEL] } };
const EMAILS = { alertEmails: ["on-call@example.com"] };
const DOMAIN = { domain: "login.example.com", urlMap: "a" };
const DUMP = { jobName: "idp-dump", bucketName: "dumps", condition: true, isDaily: true };
const WORKERS = { ...EMAILS, namespace: "idp" };
const workers = <Mode extends string>(workerMode: Mode) => ({ workerCount: "2", workerMode });

/** What Terraform evaluates, all at once. */
const EVALUATED = {
  nobody: {},
  emails: EMAILS,
  channels: CHANNELS,
  pager: { notificationChannels: { enabled: true, critical: [PAGER] } },
  pagerAndChannel: { notificationChannels: { enabled: true, all: [CHANNEL], critical: [PAGER] } },
  domain: { ...EMAILS, address: DOMAIN },
  protectedDomain: { ...EMAILS, address: { ...DOMAIN, protection: true } },
  protection: { ...EMAILS, address: { protection: true } },
  audit: { ...EMAILS, secretReadLog: { enabled: true } },
  dump: { ...EMAILS, jobs: { dump: DUMP } },
  // Nobody knows when the next one is due.
  rareDump: { ...EMAILS, jobs: { dump: { ...DUMP, isDaily: false } } },
  alwaysAtMaximum: { ...EMAILS, instances: { minCount: 3 } },
  "in-container on serverless": { ...WORKERS, platform: "serverless", instances: workers("in-container") },
  "all-in-one on serverless": { ...WORKERS, platform: "serverless", instances: workers("all-in-one") },
  "separate on serverless": { ...WORKERS, platform: "serverless", instances: workers("separate") },
  "separate on kubernetes": { ...WORKERS, platform: "kubernetes", instances: workers("separate") },
  tuned: {
    ...EMAILS,
    alerts: { "database-cpu": { threshold: 0.5 }, memory: { enabled: false }, uptime: { durationSeconds: 600 } },
  },
  tunedForNobody: { alerts: { "database-cpu": { threshold: 0.5 } } },
} as const satisfies Record<string, Changes>;

type Case = keyof typeof EVALUATED;

let values: Readonly<Record<Case, Block>> | undefined;

/** What Terraform makes of a configuration: the alerts that have a policy, and the dashboard. */
function madeOf(name: Case): Policies {
  const cases = Object.entries(EVALUATED) as [Case, Changes][];
  values ??= evaluatedTogether(
    ["channels", "dashboard", "policies", "repeated"],
    Object.fromEntries(cases.map(([key, props]) => [key, expressionsOf(props)])) as Record<Case, Terraform>,
  );
  const { channels, dashboard, policies, repeated } = values[name];
  return {
    channels: channels as Policies["channels"],
    repeated: repeated as Policies["repeated"],
    policies: policies as Policies["policies"],
    dashboard: JSON.parse(dashboard as string) as Policies["dashboard"],
  };
}

function expressionsOf(changes: Changes): Terraform {
  const { terraform } = monitored(changes);
  const policy = resource(terraform, POLICY);
  const inner = (value: unknown) => String(value).replace(/^\$\{(.*)\}$/, "$1");
  const ofEach = (text: unknown) => inner(text).replaceAll("each.value", "alert");
  const strategy = policy.alert_strategy as { dynamic: { notification_channel_strategy: Block } };
  const repeat = strategy.dynamic.notification_channel_strategy;
  return {
    ...terraform,
    locals: {
      ...terraform.locals,
      policies: policy.for_each,
      channels: `\${{ for id, alert in ${inner(policy.for_each)} : id => ${ofEach(policy.notification_channels).replace(/\[for channel in [^\]]*\]/, "[]")} }}`,
      repeated: `\${[for id, alert in ${inner(policy.for_each)} : id if length(${ofEach(repeat.for_each)}) > 0]}`,
      dashboard: resource(terraform, "google_monitoring_dashboard").dashboard_json,
    },
  };
}

describeWith(["terraform"], "Monitoring, in Terraform", () => {
  it("has every alert that makes sense with an address or a channel", () => {
    const expected = alertsOn("serverless").filter(({ needs = [] }) =>
      needs.every((need) =>
        ["ownBackups", "ownDatabase", "scaling", "uptimeCheck", "workerInContainer"].includes(need),
      ),
    );
    const ids = expected.map(({ id }) => id);
    expect(Object.keys(madeOf("emails").policies)).toEqual(ids);
    expect(Object.keys(madeOf("channels").policies)).toEqual(ids);
    expect(Object.keys(madeOf("pager").policies)).toEqual(ids);
    expect(madeOf("nobody").policies).toEqual({});
  });

  it("sends an alert to the channels of its severity too, and repeats one about a metric that is critical", () => {
    const { channels, policies, repeated } = madeOf("pagerAndChannel");
    const critical = Object.keys(policies).filter((id) => policies[id]?.severity === "CRITICAL");
    expect(critical).toEqual(["database-down", "uptime"]);
    expect(repeated).toEqual(critical);
    const expected = Object.keys(policies).map((id) => [id, critical.includes(id) ? [CHANNEL, PAGER] : [CHANNEL]]);
    expect(channels).toEqual(Object.fromEntries(expected));
  });

  it("has an alert only with what it needs", () => {
    const few = Object.keys(madeOf("emails").policies);
    const further = (name: Case) => Object.keys(madeOf(name).policies).filter((id) => !few.includes(id));
    expect(further("domain")).toEqual(["certificate-expiry", "certificate-renewal", "load-balancer-errors"]);
    expect(further("protectedDomain")).toContain("blocked-requests");
    expect(further("protection")).toEqual([]);
    expect(further("audit")).toEqual(["secret-read"]);
    expect(further("dump")).toEqual(["dump-failed", "dump-not-restorable", "dump-too-old"]);
    expect(further("rareDump")).toEqual(["dump-failed", "dump-not-restorable"]);
    const { "at-maximum": none } = madeOf("alwaysAtMaximum").policies;
    expect(none).toBeUndefined();
  });

  it.each([
    ["in-container", "serverless", ["worker-down"]],
    ["all-in-one", "serverless", []],
    ["separate", "serverless", ["worker-cpu", "worker-memory", "worker-missing"]],
    ["separate", "kubernetes", ["worker-cpu", "worker-memory", "worker-missing"]],
  ] as const)("watches the worker where it runs: %s on %s", (workerMode, platform, expected) => {
    const { policies } = madeOf(`${workerMode} on ${platform}` as Case);
    expect(Object.keys(policies).filter((id) => id.startsWith("worker-"))).toEqual(expected);
    const { "container-ended": ended, "worker-missing": missing } = policies;
    if (missing !== undefined) expect(missing.query).toMatch(/ or vector\(0\)\) \/ 2$/);
    if (platform === "serverless") expect(ended?.filter).toContain('worker_pool_name="idp-demo-abc123-w"');
  });

  it("changes one alert, and no other", () => {
    const { policies } = madeOf("tuned");
    expect(policies["database-cpu"]).toMatchObject({ threshold: 0.5, duration_seconds: 900 });
    expect(policies.uptime).toMatchObject({ threshold: 0.4, duration_seconds: 600 });
    expect(policies).not.toHaveProperty("memory");
  });

  it.each(["idp-serverless", "idp-kubernetes"] as const)("knows every secret that %s makes", (name) => {
    const { policies } = madeOf("audit");
    const { resource: resources = {} } = shippedStacks()[name];
    const ids = Object.values(resources.google_secret_manager_secret ?? {}).map(({ secret_id: id }) => String(id));
    const filter = String(policies["secret-read"]?.filter);
    const [, pattern = "none"] = /resourceName=~"([^"]+)"/.exec(filter) ?? [];

    expect(ids.length).toBeGreaterThan(4);
    for (const id of ids) {
      const suffix = id.replace(/^.*\$\{var\.application_name\}-/, "");
      expect(`projects/1/secrets/secret-demo-abc123-idp-${suffix}/versions/1`).toMatch(new RegExp(pattern));
    }
  });

  it("shows each metric on the dashboard, side by side, with the line of its alert and without a zero", () => {
    const { columns, tiles } = madeOf("tunedForNobody").dashboard.mosaicLayout;
    const { policies } = madeOf("emails");
    const metrics = Object.keys(policies).filter((id) => policies[id]?.query !== undefined);
    expect(tiles.map(({ widget }) => widget.title.split(":")[0])).toEqual(metrics);
    const [second, below] = [tiles[1], tiles[CHARTS_PER_ROW]];
    expect([second?.xPos, second?.yPos, below?.xPos, below?.yPos]).toEqual([columns / 3, undefined, undefined, 12]);
    const cpu = tiles[metrics.indexOf("database-cpu")]?.widget.xyChart;
    expect(cpu?.thresholds).toEqual([{ value: 0.5 }]);
    // A threshold of zero is dropped by the service, and so would be the empty list.
    expect(tiles[metrics.indexOf("job-failed")]?.widget.xyChart).not.toHaveProperty("thresholds");
  });
});

it("An outage raises every alert about availability with the lowest goal that is accepted", () => {
  const { minimum } = SERVICE_LEVELS.slo.members.available.schema as { readonly minimum: number };
  const rates = alertsOn("serverless").flatMap(({ id, limit }) =>
    id.startsWith("slo-availability") ? [limit?.threshold ?? Infinity] : [],
  );
  expect(rates).toHaveLength(2);
  expect(Math.max(...rates)).toBeLessThan(1 / (1 - minimum));
});
