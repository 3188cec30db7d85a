import { type Refusal } from "./refusal";

const KEY = { secret_id: "maxmind", version: 1 };

/** Databases of addresses that are accepted, for trying combinations. */
export const ACCEPTED_GEOIP = [
  null,
  { account_id: "123456", license_key_secret: { secret_id: "projects/other-project/secrets/maxmind", version: "2" } },
] as const;

/** The same with the names that a rehearsal has secrets of. */
export const geoipWith = (version: number) => ({
  account_id: "123456",
  license_key_secret: { ...KEY, version },
});

const SECRET_RULE =
  "it must be the name of a secret, or projects/<project>/secrets/<name> for one of another project; look it up with gcloud secrets list.";
const VERSION_RULE =
  "it must be the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; use the number that gcloud secrets versions list shows.";

/** What databases of addresses are refused for. */
export const REFUSED_GEOIP: readonly Refusal[] = [
  [
    "databases of addresses with everything wrong",
    {
      geoip: {
        account_id: "me@example.com",
        license_key_secret: { secret_id: "my secret", version: "latest" },
        update_hours: 0,
      },
    },
    [
      'geoip.account_id is "me@example.com"; it must be the number of an account at MaxMind; copy it from the page of its licence keys.',
      `geoip.license_key_secret.secret_id is "my secret"; ${SECRET_RULE}`,
      `geoip.license_key_secret.version is "latest"; ${VERSION_RULE}`,
      "geoip.update_hours is 0; it must be a whole number from 1 to 168, because the databases change several times a week; use 8.",
    ],
  ],
  [
    "databases of addresses without account and key",
    { geoip: { account_id: null, license_key_secret: null } },
    [
      "geoip.account_id is null; it must be the number of an account at MaxMind; copy it from the page of its licence keys.",
      `geoip.license_key_secret.secret_id is null; ${SECRET_RULE}`,
      `geoip.license_key_secret.version is null; ${VERSION_RULE}`,
    ],
  ],
  [
    "updates of the databases of addresses between two hours, or after a week",
    { geoip: { ...geoipWith(1), update_hours: 168.5 } },
    [
      "geoip.update_hours is 168.5; it must be a whole number from 1 to 168, because the databases change several times a week; use 8.",
    ],
  ],
];
