import { type Construct } from "constructs";

import { type DeploymentInputs, REGION } from "../../core/deployment-context";
import { isNever } from "../../core/expr/conditions";
import { anyOf, type Expr, exprOf, interpolated } from "../../core/expr/expr";
import { difference } from "../../core/expr/functions";
import { named } from "../../core/expr/locals";
import { needs } from "../../core/inputs/needs";
import { type NetworkInputs } from "../../core/inputs/network-inputs";
import { type Relation } from "../../core/inputs/relations";
import { flag, number, object, orResource, type PropsOf, text } from "../../core/inputs/rows";
import { matching, wholeNumber } from "../../core/inputs/rules";
import { type ValuesOf } from "../../core/inputs/value";
import { STANDBY_CONNECTION_NAME_FRAME_LENGTH } from "../../core/names";
import { prose } from "../../core/prose";
import { type DATABASE_RIGHTS } from "../../idp/db-init";
import { isPair } from "../../idp/dual-region";
import { type DomainInputs } from "../domain/domain";
import { type landingZoneInputs } from "../landing-zone";
import { type EXISTING_DATABASE } from "../sql/existing-database";
import { type Standby } from "../standby";
import { connectionNameRule } from "./connection-name";
import { type INTERNAL_LOAD_BALANCER } from "./internal-load-balancer";

const SUBNETWORK = "^projects/[^/]+/regions/[^/]+/subnetworks/[^/]+$";

/** Input of a second region that can take over. */
export const STANDBY = {
  /**
   * A second region that can take over, with a replica of the database and a server without instances; none by default.
   */
  standby: object(
    {
      /** Region that can take over; must differ from the region of the deployment. */
      region: text({ description: "region that can take over, another one than region", must: REGION }),
      /** Whether the region has taken over; set it as `scripts/promote.sh` says at its end. False by default. */
      promoted: flag({
        default: false,
        description: "whether it has taken over; scripts/promote.sh says when to set it to true",
      }),
      /**
       * Number of the replica; raise it by one for a new replica, after the return to the first region. 1 by default.
       */
      number: number({
        default: 1,
        description: "number of the replica; raise it by one for another one, after the way home",
        must: wholeNumber(
          1,
          99,
          ", because Google reserves the name of a deleted replica for a week; use the next one",
        ),
      }),
      /** Subnetwork of `network` in that region: its full name or its resource. Required with `network`. */
      subnetwork: orResource(
        "id",
        ["google_compute_subnetwork"],
        text({
          default: null,
          description: "subnetwork of network in that region, in full, where network is given",
          must: matching(SUBNETWORK, "be projects/<project>/regions/<region>/subnetworks/<name>; write it in full"),
        }),
      ),
      /**
       * Keeps uploads and dumps in both regions, the default. Use false for a deployment with existing buckets, because
       * they would be replaced.
       */
      dualRegionBuckets: flag({
        default: true,
        description: "keeps uploads and dumps in both regions; false for a deployment that has its buckets already",
      }),
      /**
       * Copies a new upload to the region within 15 minutes, by turbo replication, which costs more; false by default.
       */
      turboReplication: flag({
        default: false,
        description: "copies each upload within 15 minutes, by turbo replication, which is billed for each GB",
      }),
    },
    {
      description: (members) =>
        prose`
          Warm standby: a second region with a replica of the database, seconds behind, and a service without
          instances, to which scripts/promote.sh moves the domain. ${members} [[Null for none.]]
          Set it in the first apply: if it is set later, secrets stay where they are, and buckets are replaced unless
          dual_region_buckets is false, see guides/warm-standby.md. Never change number while promoted is true.
          Removing it, or changing its region, needs deletion_protection = false first.
        `,
    },
  ),
};

/** A second region that can take over. */
export interface StandbyProps extends PropsOf<(typeof STANDBY)["standby"]["members"]> {}

type Inputs = typeof STANDBY &
  typeof DATABASE_RIGHTS &
  typeof INTERNAL_LOAD_BALANCER &
  typeof EXISTING_DATABASE &
  DeploymentInputs &
  DomainInputs &
  NetworkInputs &
  Pick<ReturnType<typeof landingZoneInputs>, "kmsKeys">;

const region = (v: ValuesOf<typeof STANDBY>) => v.standby.at.region;

/** A region that is never null; empty without a standby. */
const regionOf = (v: ValuesOf<typeof STANDBY>) => region(v).ifNull("");
const hasDualRegionBuckets = (v: ValuesOf<typeof STANDBY>) => v.standby.at.dualRegionBuckets as Expr as Expr<boolean>;

const hasTurboReplication = (v: ValuesOf<typeof STANDBY>) => v.standby.at.turboReplication as Expr as Expr<boolean>;

export const STANDBY_RELATIONS: readonly Relation<Inputs>[] = [
  needs("standby", {
    with: ["domain"],
    withWords: { loadBalancer: "external" },
    because: "its load balancer moves the users",
  }),
  needs("standby", {
    with: ["databaseRights.conditionalAccess"],
    because: "only the right to connect keeps two databases from taking writes",
  }),
  needs("standby", { without: ["existingDatabase"], because: "only an own database has a replica" }),
  needs("standby", { without: ["kmsKeys"], because: "a key encrypts in one region" }),
  {
    host: "standby",
    holds: (v) => v.standby.isNullOr(() => regionOf(v).ne(v.region)),
    message: (v) =>
      prose`
        ${region(v).name} is ${region(v).shown}, as ${v.region.name} is; it must be another region,
        because it takes over when that one is lost; choose another region
      `,
  },
  {
    host: "standby",
    holds: (v) => v.standby.isNull().or(v.secretLocations.isNullOr((locations) => hasBothRegions(v, locations))),
    message: (v) =>
      prose`
        ${v.secretLocations.name} is ${v.secretLocations.shown}; it must contain ${v.region.shown} and
        ${region(v).shown}, because a lost region takes along what is in it alone; add both, or leave it out
      `,
  },
  {
    host: "standby",
    holds: (v) => anyOf(v.standby.isNull(), v.network.isSet(), v.standby.at.subnetwork.isNull()),
    message: (v) =>
      prose`
        ${v.standby.at.subnetwork.name} is given and ${v.network.name} is not;
        it must be left out, because it is a subnetwork of ${v.network.name}; remove it
      `,
  },
  {
    host: "standby",
    holds: (v) => {
      const pattern = interpolated`^projects/[^/]+/regions/${regionOf(v)}/subnetworks/[^/]+$`;
      const isInThatRegion = (v.standby.at.subnetwork as Expr<string>).matches(pattern);
      return anyOf(v.standby.isNull(), v.network.isNull(), isInThatRegion);
    },
    message: (v) =>
      prose`
        ${v.standby.at.subnetwork.name} is ${v.standby.at.subnetwork.shown}; with ${v.network.name},
        it must be a subnetwork in ${region(v).shown}, because the service there reaches the replica by its private
        address; give one of that region
      `,
  },
  {
    host: "standby",
    holds: (v) =>
      v.standby.isNullOr(() => {
        const staysInOneRegion = hasDualRegionBuckets(v).not();
        // Another rule refuses the same region twice.
        const isOne = regionOf(v).eq(v.region as Expr as Expr<string>);
        return anyOf(staysInOneRegion, isOne, isPair(v.region as Expr as Expr<string>, regionOf(v)));
      }),
    message: (v) =>
      prose`
        ${v.standby.at.dualRegionBuckets.name} is true with ${v.region.name} ${v.region.shown} and
        ${region(v).name} ${region(v).shown}; both must be of the United States, of Europe,
        or another pair that Cloud Storage keeps one bucket in; choose another region, or set it to false
      `,
  },
  {
    host: "standby",
    holds: (v) => v.standby.isNullOr(() => anyOf(hasTurboReplication(v).not(), hasDualRegionBuckets(v))),
    message: (v) =>
      prose`
        ${v.standby.at.turboReplication.name} is true and ${v.standby.at.dualRegionBuckets.name} is false;
        the latter must be true, because only a bucket in both regions copies between them; set one of them otherwise
      `,
  },
  connectionNameRule({
    of: "standby",
    what: "the replica",
    madeOf: (v) => [v.projectId.name, region(v).name, v.tenantId.name, v.applicationName.name],
    length: (v) =>
      interpolated`${v.projectId}${regionOf(v)}${v.tenantId}${v.applicationName}${v.standby.at.number}`
        .length()
        .plus(STANDBY_CONNECTION_NAME_FRAME_LENGTH),
    unless: (v) => v.standby.isNull(),
  }),
];

function hasBothRegions(v: ValuesOf<Inputs>, locations: Expr<readonly string[]>): Expr<boolean> {
  const both = exprOf([v.region, regionOf(v)]) as Expr as Expr<readonly string[]>;
  return difference(both, locations).length().eq(0);
}

/** The second region, in locals of the scope; undefined if synthesis knows that there is none. */
export function standbyOf(scope: Construct, v: ValuesOf<typeof STANDBY>): Standby | undefined {
  const condition = v.standby.isSet();
  if (isNever(condition)) return undefined;
  const { number, promoted } = v.standby.at;
  return {
    condition,
    region: named(scope, "StandbyRegion", regionOf(v)),
    isPromoted: named(scope, "StandbyIsPromoted", promoted as Expr as Expr<boolean>),
    number,
    hasDualRegionBuckets: condition.and(hasDualRegionBuckets(v)),
    hasTurboReplication: condition.and(hasTurboReplication(v)),
  };
}
