import { type Warning } from "./warnings";

/** Date on which the list below was compared with Google Cloud's. */
export const REGIONS_KNOWN_ON = "2026-11-21";

/** Google Cloud regions that are open to all customers. */
export const KNOWN_REGIONS: readonly string[] = [
  "africa-south1",
  "asia-east1",
  "asia-east2",
  "asia-northeast1",
  "asia-northeast2",
  "asia-northeast3",
  "asia-south1",
  "asia-south2",
  "asia-southeast1",
  "asia-southeast2",
  "asia-southeast3",
  "australia-southeast1",
  "australia-southeast2",
  "europe-central2",
  "europe-north1",
  "europe-north2",
  "europe-southwest1",
  "europe-west1",
  "europe-west2",
  "europe-west3",
  "europe-west4",
  "europe-west6",
  "europe-west8",
  "europe-west9",
  "europe-west10",
  "europe-west12",
  "me-central1",
  "me-central2",
  "me-west1",
  "northamerica-northeast1",
  "northamerica-northeast2",
  "northamerica-south1",
  "southamerica-east1",
  "southamerica-west1",
  "us-central1",
  "us-east1",
  "us-east4",
  "us-east5",
  "us-south1",
  "us-west1",
  "us-west2",
  "us-west3",
  "us-west4",
];

/**
 * Warns of an unknown region. It is no error, because Google Cloud opens regions more often than this list is updated.
 */
export function unknownRegionRisk(region: string): Warning {
  return {
    value: region,
    ok: KNOWN_REGIONS.includes(region),
    condition: `contains(${JSON.stringify(KNOWN_REGIONS)}, ${region})`,
    message: `region is "${region}"; it is not a region that was open on ${REGIONS_KNOWN_ON}, and a misspelled region fails only in the middle of an apply; compare it with the output of gcloud compute regions list`,
  };
}
