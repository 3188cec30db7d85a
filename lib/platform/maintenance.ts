import { type ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { type SqlDatabaseInstance } from "@cdktf/provider-google/lib/sql-database-instance";

import { addOptionalBlock, optionalBlocks } from "../core/expr/blocks";
import { anyOf, call, type Expr, exprOf, hcl, interpolated } from "../core/expr/expr";
import { type Relation } from "../core/inputs/relations";
import { choice, count, object, type Optional, type PropsOf, text } from "../core/inputs/rows";
import { isWhole } from "../core/inputs/rules";
import { type SettingsOf } from "../core/inputs/value";
import { prose } from "../core/prose";
import { type EXISTING_CLUSTER } from "./kubernetes/existing-cluster";

/** Sunday 03:00 UTC, after the backup. */
const DEFAULT_WINDOW = { day: 7, hour: 3, track: "stable" } as const;

const TRACKS = ["canary", "stable", "week5"] as const;

/**
 * GKE requires 48 hours within any 32 days, and therefore at least 12 hours a week. The remaining hours of the window
 * ensure that every period of 32 days has 48.
 */
const CLUSTER_WINDOW_HOURS = 16;

/** Parts of input descriptions about the cluster. */
type ClusterWords = Readonly<Record<"anyTime" | "denied" | "window", string>>;

const WORDS: Readonly<Record<"cluster" | "service", ClusterWords>> = {
  cluster: {
    window: `, and the cluster, for ${CLUSTER_WINDOW_HOURS} hours, because GKE demands 48 in any 32 days`,
    anyTime: ", and for the cluster at any time",
    denied: prose`
      , and nodes and minor versions of the cluster are not upgraded; it needs maintenance_window,
      and is removed before that
    `,
  },
  service: { window: "", anyTime: "", denied: "" },
};

/** Inputs for Google's maintenance of the database and, on GKE, of the cluster. */
export function maintenanceInputs(runner: keyof typeof WORDS) {
  const cluster = WORDS[runner];
  return {
    /**
     * Maintenance window of the database, by default Sunday at 03:00 UTC, and on GKE of the cluster, by default any
     * time.
     */
    maintenanceWindow: object(
      {
        /** Day of the week in UTC, 1 for Monday to 7 for Sunday. */
        day: count(DEFAULT_WINDOW.day, "day of the week in UTC, 1 for Monday to 7 for Sunday", 1, 7),
        /** Hour in UTC at which the window begins, 0 to 23. */
        hour: count(DEFAULT_WINDOW.hour, "hour in UTC at which it begins, 0 to 23", 0, 23),
        /** Time of updates of the database: early (`canary`), later (`stable`), or weeks later (`week5`). */
        track: choice(TRACKS, {
          default: DEFAULT_WINDOW.track,
          description: "when the database gets an update: canary for early, stable, or week5 for weeks later",
        }),
      },
      {
        description: (members) =>
          prose`
            When Google may maintain the database, for an hour${cluster.window}.
            ${members} [[Null for Sunday at 03:00 UTC${cluster.anyTime}.]] Changing it later is safe.
          `,
      },
    ),
    /**
     * Days without maintenance of the database, and on GKE without upgrades of nodes and of the cluster's minor
     * version.
     */
    denyMaintenancePeriod: object(
      {
        /** First day, such as 2026-12-01. */
        startDate: text({ description: "first day, such as 2026-12-01" }),
        /** Day on which the period ends, at 00:00 UTC, at most 90 days later. */
        endDate: text({ description: "day on which it ends, at 00:00 UTC, at most 90 later" }),
      },
      {
        description: (members) =>
          `Days on which the database is not maintained${cluster.denied}. ${members} Changing it later is safe.`,
      },
    ),
  };
}

type Inputs = ReturnType<typeof maintenanceInputs>;

/** Maintenance window. */
export interface MaintenanceWindow extends PropsOf<Inputs["maintenanceWindow"]["members"]> {}

/** Days without maintenance by Google. */
export interface DenyMaintenancePeriod extends PropsOf<Inputs["denyMaintenancePeriod"]["members"]> {}

type SettingsOfInput<Name extends keyof Inputs> = Partial<NonNullable<SettingsOf<Inputs>[Name]>>;

/** Maintenance window and period without maintenance, as a setting of a part. */
export interface WindowSettings extends SettingsOfInput<"maintenanceWindow"> {}
export interface DeniedSettings extends SettingsOfInput<"denyMaintenancePeriod"> {}

interface MaintenanceObjects {
  readonly denyMaintenancePeriod: DeniedSettings;
  readonly maintenanceWindow: WindowSettings;
}

/** Maintenance settings; a member that is not enabled counts as absent. */
export type Maintenance = { readonly [Name in keyof Inputs]?: MaintenanceObjects[Name] };

const MAX_DENIED_DAYS = 90;

const midnight = (date: Expr<string>) => interpolated`${date}T00:00:00Z`;
const compared = (time: Expr<string>, other: Expr<string>) => call<number>("timecmp", [time, other]);

export const MAINTENANCE_RELATIONS: readonly Relation<Inputs>[] = [
  {
    host: "maintenanceWindow",
    holds: ({ maintenanceWindow: window, maintenanceWindow: { at } }) => {
      const isWindow = isWhole(at.day, 1, 7).and(isWhole(at.hour, 0, 23), at.track.isOneOf(TRACKS));
      return window.isNull().or(isWindow);
    },
    message: ({ maintenanceWindow: { at } }) =>
      prose`
        ${at.day.name} is ${at.day.shown}, ${at.hour.name} ${at.hour.shown} and ${at.track.name}
        ${at.track.shown}; they must be whole numbers from 1 for Monday to 7, and from 0 to 23,
        and one of ${TRACKS.join(", ")}; use 7, 3 and stable for Sunday at 03:00 UTC
      `,
  },
  {
    host: "denyMaintenancePeriod",
    holds: ({ denyMaintenancePeriod: period, denyMaintenancePeriod: { at } }) =>
      period.isNullOr(() => {
        const [start, end] = [midnight(at.startDate), midnight(at.endDate)] as const;
        const longest = call<string>("timeadd", [start, `${MAX_DENIED_DAYS * 24}h`]);
        return compared(start, end).lt(0).and(compared(end, longest).le(0));
      }),
    message: ({ denyMaintenancePeriod: { at } }) =>
      prose`
        ${at.startDate.name} is ${at.startDate.shown} and ${at.endDate.name} ${at.endDate.shown};
        the second must be 1 to ${MAX_DENIED_DAYS} days after the first,
        because Cloud SQL does without maintenance no longer; use dates such as 2026-12-01 that are closer
        together
      `,
  },
];

/** Requires a window, because a period without one would leave the cluster with a policy that cannot be removed. */
export const CLUSTER_MAINTENANCE_RELATIONS: readonly Relation<
  Inputs & Pick<typeof EXISTING_CLUSTER, "existingCluster">
>[] = [
  {
    host: "denyMaintenancePeriod",
    holds: (v) => v.denyMaintenancePeriod.isNull().or(v.maintenanceWindow.isSet(), v.existingCluster.isSet()),
    message: ({ denyMaintenancePeriod: period, maintenanceWindow: window }) =>
      prose`
        ${period.name} is given without ${window.name}; it needs one,
        because a cluster has exceptions only from a window; set ${window.name}, for example to {}
      `,
  },
];

/** Maintenance window in the settings of a database. */
export function databaseWindow({ maintenanceWindow = DEFAULT_WINDOW }: Maintenance) {
  const { day, hour, track: updateTrack } = { ...DEFAULT_WINDOW, ...maintenanceWindow };
  return { day, hour, updateTrack };
}

export function addDeniedPeriod(instance: SqlDatabaseInstance, { denyMaintenancePeriod: denied }: Maintenance): void {
  if (denied === undefined) return;
  addOptionalBlock(instance, "settings", "deny_maintenance_period", {
    when: denied.enabled ?? true,
    content: { start_date: denied.startDate, end_date: denied.endDate, time: "00:00:00" },
  });
}

/** A Monday, from which the days of the week are counted. */
const SOME_MONDAY = "2026-01-05T00:00:00Z";

const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

export function addMaintenancePolicy(cluster: ContainerCluster, settings: Maintenance): void {
  const { denyMaintenancePeriod: denied, maintenanceWindow: window } = settings;
  if (window === undefined) return;
  const { day, hour } = { ...DEFAULT_WINDOW, ...window };
  const days = exprOf(day).minus(1);
  const start = days.times(24).plus(hour);
  const at = (hours: number) => hcl`timeadd(${SOME_MONDAY}, ${interpolated`${start.plus(hours)}h`})`.text;
  const recurring = {
    start_time: at(0),
    end_time: at(CLUSTER_WINDOW_HOURS),
    recurrence: `FREQ=WEEKLY;BYDAY=${hcl`element(${DAYS}, ${days})`.text}`,
  };
  const exclusion = denied && {
    when: denied.enabled ?? true,
    content: {
      exclusion_name: "denied",
      start_time: `${denied.startDate}T00:00:00Z`,
      end_time: `${denied.endDate}T00:00:00Z`,
      // Still allows patches of the control plane, because they do not affect pods.
      exclusion_options: [{ scope: "NO_MINOR_OR_NODE_UPGRADES" }],
    },
  };
  const exclusions = exclusion === undefined ? {} : optionalBlocks({ maintenance_exclusion: exclusion });
  addOptionalBlock(cluster, "", "maintenance_policy", {
    when: window.enabled ?? true,
    content: { recurring_window: [recurring], ...exclusions },
  });
}

/** Inputs of other features on which a relation depends. */
type OtherInputs = Readonly<{ existingDatabase: Optional<object>; ownParts: Optional<string> }>;

/** On Cloud Run, only the database is maintained. */
export const SERVERLESS_MAINTENANCE_RELATIONS: readonly Relation<Inputs & OtherInputs>[] = [
  {
    host: "maintenanceWindow",
    holds: (v) => {
      const isLeftOut = v.maintenanceWindow.isNull().and(v.denyMaintenancePeriod.isNull());
      return anyOf(v.existingDatabase.isNull(), v.ownParts.ne("deleted"), isLeftOut);
    },
    message: (v) =>
      prose`
        ${v.existingDatabase.name} is given together with ${v.maintenanceWindow.name} or
        ${v.denyMaintenancePeriod.name}; these must be left out, because the owner of the instance decides on its
        maintenance; remove them
      `,
  },
];
