import { type Refusal } from "./refusal";

const one = (behaviour: string, name: string, value: unknown, rule: string): Refusal => [
  behaviour,
  { [name]: value },
  [`${name} is ${JSON.stringify(value)}; ${rule}.`],
];

/** Values that are accepted, for trying combinations. */
export const ACCEPTED_BACKUPS = {
  backup_before_upgrade: [true, false],
  backup_location: [null, "eu"],
  backup_retention_count: [7, 365],
  transaction_log_days: [7, 1],
} as const;

const LOCATION_RULE =
  "it must be asia, eu, us or the name of a region such as us-central1; use one of these, or none for the multi-region nearest to the database";
const COUNT_RULE = "it must be a whole number from 1 to 365, because Cloud SQL keeps no more; use 7";
const LOG_RULE = "it must be a whole number from 1 to 7, because the edition keeps them no longer; use 7";

/** What is refused of backups by a rule that looks at one input. */
export const REFUSED_BACKUPS_ALONE: readonly Refusal[] = [
  one("a zone for the backups", "backup_location", "us-central1-a", LOCATION_RULE),
  one("a continent in capitals for the backups", "backup_location", "EU", LOCATION_RULE),
  one("more backups than are kept", "backup_retention_count", 366, COUNT_RULE),
  one("a part of a backup", "backup_retention_count", 7.5, COUNT_RULE),
  one("no day that the database can go back to", "transaction_log_days", 0, LOG_RULE),
  one("more days to go back to than the edition keeps", "transaction_log_days", 8, LOG_RULE),
];

/** What is refused of backups by a rule that compares several inputs. */
export const REFUSED_BACKUPS_TOGETHER: readonly Refusal[] = [
  [
    "days to go back to for which there is no backup",
    { backup_retention_count: 6, transaction_log_days: 7 },
    [
      "transaction_log_days is 7; it must not exceed backup_retention_count, which is 6, because a restore starts from a backup; lower one or raise the other.",
    ],
  ],
];
