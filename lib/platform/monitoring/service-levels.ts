import { MonitoringCustomService } from "@cdktf/provider-google/lib/monitoring-custom-service";
import { MonitoringSlo } from "@cdktf/provider-google/lib/monitoring-slo";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { attributeOf } from "../../core/expr/attributes";
import { addOptionalBlock } from "../../core/expr/blocks";
import { allOf, type Condition, countIf, not, partIf, present } from "../../core/expr/conditions";
import { type Expr, literal, reference } from "../../core/expr/expr";
import { number, object, type PropsOf } from "../../core/inputs/rows";
import { isWhole } from "../../core/inputs/rules";
import { type ValuesOf } from "../../core/inputs/value";
import { serviceName } from "../../core/names";
import { prose } from "../../core/prose";
import { type PartProps } from "../parts";
import { type AlertFacts, type Platform } from "./alert";
import { checkFilter, latencyFilter, measuresRequests, requestFilters } from "./service-level-metrics";

/** Days over which the objectives hold, and their error budgets last. */
const OBJECTIVE_DAYS = 30;

/** Default objectives, those of the example in Keycloak's guides. */
const DEFAULTS = { available: 0.999, latency: 0.95, latencyMs: 250 } as const;

/** Cloud Monitoring accepts no higher goal. With a lower one for availability, an outage would raise no alert. */
const AVAILABLE = { minimum: 0.95, maximum: 0.9999 } as const;
const LATENCY = { minimum: 0.5, maximum: 0.9999 } as const;

const MAX_LATENCY_MS = 60_000;

/** Inputs of service levels. */
export const SERVICE_LEVELS = {
  /**
   * Service-level objectives over 30 days, and alerts when an error budget burns fast; `{}` turns them on with
   * defaults.
   */
  slo: object(
    {
      /** Share of requests that must not end in an error of the server, 0.999 by default. */
      available: number({
        default: DEFAULTS.available,
        description: "share of requests that must not end in an error of the server, from 0.95",
        schema: AVAILABLE,
      }),
      /** Share of requests that must be answered within `latencyMs`, 0.95 by default. */
      latency: number({
        default: DEFAULTS.latency,
        description: "share of requests that must be answered within latency_ms",
        schema: LATENCY,
      }),
      /** Milliseconds within which these requests must be answered, 250 by default. */
      latencyMs: number({
        default: DEFAULTS.latencyMs,
        description: "milliseconds within which they must be answered",
        schema: { minimum: 1, maximum: MAX_LATENCY_MS, multipleOf: 1 },
      }),
    },
    {
      description: (members) =>
        prose`
          Service-level objectives over ${OBJECTIVE_DAYS} days; {} is enough. ${members} [[Null for none.]]
          With receivers of alerts, four alerts say when an error budget burns fast.
          guides/service-levels.md says what counts. Changing it later is safe.
        `,
      must: {
        condition: (slo: Expr<Readonly<Record<string, number>>>) => {
          const member = (name: string) => slo.member<number>(name);
          const isGoal = (name: string, { maximum, minimum }: typeof AVAILABLE | typeof LATENCY) =>
            member(name).ge(minimum).and(member(name).le(maximum));
          return allOf(
            isGoal("available", AVAILABLE),
            isGoal("latency", LATENCY),
            isWhole(member("latency_ms"), 1, MAX_LATENCY_MS),
          );
        },
        must: prose`
          have goals up to ${AVAILABLE.maximum}, of availability from ${AVAILABLE.minimum} and of latency from
          ${LATENCY.minimum}, because they are shares (99.9 % is 0.999),
          and whole milliseconds from 1 to ${MAX_LATENCY_MS}; correct them
        `,
      },
    },
  ),
};

/** The objectives as props. */
export interface ServiceLevelProps extends PropsOf<typeof SERVICE_LEVELS.slo.members> {}

/** The objectives of a deployment, as expressions. */
export interface Objectives {
  /** Whether there are any. */
  readonly condition: Condition;
  readonly available: Expr<number>;
  readonly latency: Expr<number>;
  readonly latencyMs: Expr<number>;
}

/** The given objectives, or unused defaults. */
export function objectivesOf({ slo }: ValuesOf<typeof SERVICE_LEVELS>): Objectives {
  return {
    condition: slo.isSet(),
    available: slo.at.available.coalesce(DEFAULTS.available),
    latency: slo.at.latency.coalesce(DEFAULTS.latency),
    latencyMs: slo.at.latencyMs.coalesce(DEFAULTS.latencyMs),
  };
}

/** Placeholders in queries of deployments without objectives. */
export const NO_OBJECTIVES: Objectives = {
  condition: false,
  available: literal(DEFAULTS.available),
  latency: literal(DEFAULTS.latency),
  latencyMs: literal(DEFAULTS.latencyMs),
};

interface ServiceLevelsProps extends PartProps {
  readonly platform: Platform;
  readonly facts: AlertFacts;
  readonly objectives: Objectives;
}

/**
 * Service-level objectives in Cloud Monitoring, with the remaining error budgets on its page and on the dashboard. The
 * alerts are rows of the table of alerts.
 */
export class ServiceLevels extends Construct {
  readonly service: MonitoringCustomService;

  /** Requests without an error of the server; on GKE without a domain, five minutes in which a check succeeded. */
  readonly availability: MonitoringSlo;

  /** Requests that are answered in time; undefined if there is no metric for the duration. */
  readonly latency: MonitoringSlo | undefined;

  /** The objectives as lists of resources, for the dashboard. @internal */
  readonly budgets: readonly Expr<readonly object[]>[];
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(scope: Construct, id: string, { context, dependsOn, facts, objectives, platform }: ServiceLevelsProps) {
    super(scope, id);
    const name = serviceName(context.deployment);
    const { condition } = objectives;
    const countsRequests = measuresRequests(facts, platform);
    const ofBoth = { project: context.projectId, rollingPeriodDays: OBJECTIVE_DAYS, userLabels: context.labels };

    this.service = new MonitoringCustomService(this, "Service", {
      project: context.projectId,
      serviceId: name,
      displayName: name,
      userLabels: context.labels,
      count: countIf(condition),
      dependsOn,
    });
    const service = attributeOf(this.service, "service_id").text;
    this.availability = new MonitoringSlo(this, "Availability", {
      ...ofBoth,
      service,
      sloId: "availability",
      displayName: "Requests without an error of the server",
      goal: objectives.available.number,
      count: countIf(condition),
    });
    addOptionalBlock(this.availability, "", "request_based_sli", {
      when: countsRequests,
      content: { good_total_ratio: requestFilters(facts, platform) },
    });
    addOptionalBlock(this.availability, "", "windows_based_sli", {
      when: not(countsRequests),
      content: { window_period: "300s", good_bad_metric_filter: checkFilter(facts) },
    });
    const isTimed = allOf(condition, countsRequests);
    this.latency = partIf(
      isTimed,
      () =>
        new MonitoringSlo(this, "Latency", {
          ...ofBoth,
          service,
          sloId: "latency",
          displayName: "Requests that are answered in time",
          goal: objectives.latency.number,
          requestBasedSli: {
            distributionCut: {
              distributionFilter: latencyFilter(facts, platform),
              range: { max: objectives.latencyMs.number },
            },
          },
          count: countIf(isTimed),
        }),
    );
    const slos = present(this.availability, this.latency);
    this.budgets = slos.map(({ fqn }) => reference(`${fqn}[*]`, { knownAt: "apply", mayBeNull: false }));
    this.ready = [this.service, ...slos];
  }
}
