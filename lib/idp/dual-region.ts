import { type StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";

import { addOptionalBlock } from "../core/expr/blocks";
import { isSet } from "../core/expr/conditions";
import { type Expr, exprOf } from "../core/expr/expr";
import { element, lookup, split, upper } from "../core/expr/functions";

/**
 * Regions that can form a dual-region bucket, by the beginning of their names, and the location code of such a bucket.
 * India, Germany and Italy are left out, because they have separate codes.
 */
const CONTINENTS = {
  asia: { code: "ASIA", regions: ["asia-east1", "asia-southeast1"] },
  australia: { code: "AU", regions: ["australia-southeast1", "australia-southeast2"] },
  europe: {
    code: "EU",
    regions: [
      "europe-central2",
      "europe-north1",
      "europe-southwest1",
      "europe-west1",
      "europe-west3",
      "europe-west4",
      "europe-west8",
      "europe-west9",
    ],
  },
  northamerica: { code: "CA", regions: ["northamerica-northeast1", "northamerica-northeast2"] },
  us: {
    code: "US",
    regions: [
      "us-central1",
      "us-east1",
      "us-east4",
      "us-east5",
      "us-south1",
      "us-west1",
      "us-west2",
      "us-west3",
      "us-west4",
    ],
  },
} as const;

/** Two regions that Google offers only as a predefined location, not as a configurable pair. */
const PREDEFINED_PAIR = ["europe-north1", "europe-west4"];

const continentOf = (region: Expr<string>) => element(split("-", region), 0);

/** Whether a bucket can be in both regions. */
export function isPair(one: Expr<string>, other: Expr<string>): Expr<boolean> {
  const all: readonly string[] = Object.values(CONTINENTS).flatMap(({ regions }) => regions);
  const isPredefined = one.isOneOf(PREDEFINED_PAIR).and(other.isOneOf(PREDEFINED_PAIR));
  const areOnOneContinent = continentOf(one).eq(continentOf(other));
  return one.isOneOf(all).and(other.isOneOf(all), areOnOneContinent, one.ne(other), isPredefined.not());
}

/** Location of a bucket. @param second second region of its files; null at plan for none */
export function bucketLocation(region: string, second: string | undefined): string {
  const codes = Object.fromEntries(Object.entries(CONTINENTS).map(([continent, { code }]) => [continent, code]));
  const code = lookup<string>(exprOf(codes), continentOf(exprOf(region)), "");
  return isSet(second).choose(code, region).text;
}

/** Sets the data locations of a bucket to both regions. */
export function placeInBoth(bucket: StorageBucket, region: string, second: string | undefined): void {
  if (second === undefined) return;
  // In capitals, as Cloud Storage returns them.
  const content = { data_locations: [upper(region).text, upper(second).text] };
  addOptionalBlock(bucket, "", "custom_placement_config", { when: isSet(second), content });
}
