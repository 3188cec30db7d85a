import { type Construct } from "constructs";

import { matching, whole } from "../../core/checks";
import { isNever } from "../../core/conditional";
import { type DeploymentInputs, REGION } from "../../core/deployment-context";
import { exprOf, interpolated, type Expr } from "../../core/expr";
import { difference } from "../../core/expr-functions";
import { named } from "../../core/expression";
import { flag, number, object, orResource, type PropsOf, type Relation, text, type ValuesOf } from "../../core/inputs";
import { CONNECTION_NAME_MAX_LENGTH, STANDBY_CONNECTION_NAME_FRAME_LENGTH } from "../../core/names";
import { needs } from "../../core/needs";
import { type NetworkInputs } from "../../core/network-inputs";
import { type DomainInputs } from "../domain/domain";
import { isPair } from "../../idp/dual-region";
import { type landingZoneInputs } from "../landing-zone";
import { type DATABASE_SERVER } from "../sql/database-flags";
import { type EXISTING_DATABASE } from "../sql/existing-database";
import { type Standby } from "../standby";
import { type INTERNAL_LOAD_BALANCER } from "./internal-load-balancer";

const SUBNETWORK = "^projects/[^/]+/regions/[^/]+/subnetworks/[^/]+$";

/** Input of a second region that can take over. */
export const STANDBY = {
  /** A second region that can take over, a replica of the database and a server without instances; none by default. */
  standby: object(
    {
      /** Region that can take over, another one than that of the deployment. */
      region: text({ description: "region that can take over, another one than region", must: REGION }),
      /** Whether it has taken over, as `scripts/promote.sh` says at its end; false by default. */
      promoted: flag({
        default: false,
        description: "whether it has taken over; scripts/promote.sh says when to set it to true",
      }),
      /** Number of the replica; raise it by one for another one, after the way home. 1 by default. */
      number: number({
        default: 1,
        description: "number of the replica; raise it by one for another one, after the way home",
        must: whole(1, 99, ", because Google reserves the name of a deleted replica for a week; use the next one"),
      }),
      /** Subnetwork of `network` in that region, in full or its resource; needed where there is a network. */
      subnetwork: orResource(
        "id",
        ["google_compute_subnetwork"],
        text({
          default: null,
          description: "subnetwork of network in that region, in full, where network is given",
          must: matching(SUBNETWORK, "be projects/<project>/regions/<region>/subnetworks/<name>; write it in full"),
        }),
      ),
      /** Keeps uploads and dumps in both regions, the default; false for a deployment that has its buckets already. */
      dualRegionBuckets: flag({
        default: true,
        description: "keeps uploads and dumps in both regions; false for a deployment that has its buckets already",
      }),
    },
    {
      description: (members) =>
        [
          "Warm standby: a second region with a replica of the database, seconds behind, and a service without",
          `instances, to which scripts/promote.sh moves the domain. ${members} Null for none.`,
          "Set it in the first apply: if it is set later, secrets stay where they are, and buckets are replaced unless",
          "dual_region_buckets is false, see guides/warm-standby.md. Never change number while promoted is true.",
          "To remove it, or to change its region, needs deletion_protection = false first.",
        ].join(" "),
    },
  ),
};

/** A second region that can take over. */
export interface StandbyProps extends PropsOf<(typeof STANDBY)["standby"]["members"]> {}

type Inputs = typeof STANDBY &
  typeof INTERNAL_LOAD_BALANCER &
  typeof DATABASE_SERVER &
  typeof EXISTING_DATABASE &
  DeploymentInputs &
  DomainInputs &
  NetworkInputs &
  Pick<ReturnType<typeof landingZoneInputs>, "kmsKeys">;

/** A region that is never null; empty without a standby. */
const regionOf = ({ standby }: ValuesOf<typeof STANDBY>) => (standby.at.region as Expr<string>).ifNull("");

const connectionNameLength = (v: ValuesOf<Inputs>) =>
  interpolated`${v.projectId}${regionOf(v)}${v.tenantId}${v.applicationName}${v.standby.at.number}`
    .length()
    .plus(STANDBY_CONNECTION_NAME_FRAME_LENGTH);

export const STANDBY_RELATIONS: readonly Relation<Inputs>[] = [
  needs("standby", {
    with: ["domain", "databaseConditionalAccess"],
    where: { loadBalancer: "external" },
    without: ["existingDatabase", "kmsKeys"],
    because: [
      "a load balancer moves the users, the right to connect is what keeps two databases from taking writes,",
      "a replica is made of an own database alone, and a key encrypts in one region",
    ].join(" "),
  }),
  {
    of: "standby",
    holds: (v) =>
      v.standby.isNullOr(() => {
        const areCovered = v.secretLocations.isNullOr((locations) =>
          difference(exprOf([v.region, regionOf(v)]) as Expr as Expr<readonly string[]>, locations)
            .length()
            .eq(0),
        );
        return regionOf(v).ne(v.region).and(areCovered);
      }),
    says: (v) =>
      [
        `${v.standby.at.region.name} is ${v.standby.at.region.shown}, ${v.region.name} is ${v.region.shown} and`,
        `${v.secretLocations.name} is ${v.secretLocations.shown}; the regions must differ, and the last must have`,
        "both or be left out, because a lost region takes along what is in it alone; correct it",
      ].join(" "),
  },
  {
    of: "standby",
    holds: (v) =>
      v.standby.isNullOr(() => {
        const { subnetwork } = v.standby.at;
        const isThere = (subnetwork as Expr<string>).matches(
          interpolated`^projects/[^/]+/regions/${regionOf(v)}/subnetworks/[^/]+$`,
        );
        return v.network.isNull().choose(subnetwork.isNull(), isThere.orElse(false));
      }),
    says: (v) =>
      [
        `${v.standby.at.subnetwork.name} is ${v.standby.at.subnetwork.shown} and ${v.network.name} is`,
        `${v.network.shown}; it must be one in ${v.standby.at.region.name} where there is a network, and left out`,
        "otherwise, because the service there reaches the replica by its private address; correct it",
      ].join(" "),
  },
  {
    of: "standby",
    holds: (v) =>
      v.standby.isNullOr(() => {
        const isOne = (v.standby.at.dualRegionBuckets as Expr as Expr<boolean>).not();
        return isOne.or(isPair(v.region as Expr as Expr<string>, regionOf(v)));
      }),
    says: (v) =>
      [
        `${v.standby.at.dualRegionBuckets.name} is true with ${v.region.name} ${v.region.shown} and`,
        `${v.standby.at.region.name} ${v.standby.at.region.shown}; both must be of the United States, of Europe,`,
        "or another pair that Cloud Storage keeps one bucket in; choose another region, or set it to false",
      ].join(" "),
  },
  {
    of: "standby",
    holds: (v) => v.standby.isNull().or(connectionNameLength(v).le(CONNECTION_NAME_MAX_LENGTH)),
    says: (v) =>
      [
        `the connection name of the replica, in ${v.standby.at.region.name}, has`,
        `${connectionNameLength(v).text} characters; it must have at most ${CONNECTION_NAME_MAX_LENGTH}, because it`,
        `is part of the path of a socket; shorten ${v.applicationName.name} or ${v.tenantId.name}`,
      ].join(" "),
  },
];

/** The second region, in locals of the scope; undefined where synthesis knows that there is none. */
export function standbyOf(scope: Construct, v: ValuesOf<typeof STANDBY>): Standby | undefined {
  const condition = v.standby.isSet();
  if (isNever(condition)) return undefined;
  const { dualRegionBuckets, number, promoted } = v.standby.at;
  return {
    condition,
    region: named(scope, "StandbyRegion", regionOf(v)),
    isPromoted: named(scope, "StandbyIsPromoted", promoted as Expr as Expr<boolean>),
    number: number,
    hasDualRegionBuckets: condition.and(dualRegionBuckets as Expr as Expr<boolean>),
  };
}
