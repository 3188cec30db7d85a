import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";

import { addOptionalBlock, isSet } from "../core/conditional";
import { exprOf, type Expr } from "../core/expr";
import { element, lookup, split, upper } from "../core/expr-functions";

/** Regions of which a bucket can be in two. India, Germany and Italy have codes of their own, and are left out. */
const PAIRED = {
  asia: ["asia-east1", "asia-southeast1"],
  australia: ["australia-southeast1", "australia-southeast2"],
  europe: [
    "europe-central2",
    "europe-north1",
    "europe-southwest1",
    "europe-west1",
    "europe-west3",
    "europe-west4",
    "europe-west8",
    "europe-west9",
  ],
  northamerica: ["northamerica-northeast1", "northamerica-northeast2"],
  us: ["us-central1", "us-east1", "us-east4", "us-east5", "us-south1", "us-west1", "us-west2", "us-west3", "us-west4"],
} as const;

/** Location codes of such buckets, by the beginning of the regions' names. */
const CODES = { asia: "ASIA", australia: "AU", europe: "EU", northamerica: "CA", us: "US" } as const satisfies Record<
  keyof typeof PAIRED,
  string
>;

/** Two regions that Google has as a location of its own, and not as a pair to choose. */
const NO_PAIR = ["europe-north1", "europe-west4"];

const partOf = (region: Expr<string>) => element(split("-", region), 0);

/** Whether a bucket can be in both regions. */
export function isPair(one: Expr<string>, other: Expr<string>): Expr<boolean> {
  const all = Object.values(PAIRED).flat() as readonly string[];
  const isNone = one.isOneOf(NO_PAIR).and(other.isOneOf(NO_PAIR));
  const areOfOnePart = partOf(one).eq(partOf(other));
  return one.isOneOf(all).and(other.isOneOf(all), areOfOnePart, one.ne(other), isNone.not());
}

/** Location of a bucket. @param second region in which its files are too; none if it is null at plan */
export function locationOf(region: string, second: string | undefined): string {
  const code = lookup<string>(exprOf(CODES), partOf(exprOf(region)), "");
  return isSet(second).choose(code, region).text;
}

/** Names both regions of a bucket that is in two. */
export function addSecondRegion(bucket: StorageBucket, region: string, second: string | undefined): void {
  if (second === undefined) return;
  // In capitals, as Cloud Storage returns them.
  const content = { data_locations: [upper(region).text, upper(second).text] };
  addOptionalBlock(bucket, "", "custom_placement_config", { when: isSet(second), content });
}
