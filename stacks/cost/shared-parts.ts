import { type InputValues } from "./input-values";
import { exactly, times, type Part, type PartGroup, type Range } from "./part";
import { type PriceId } from "./prices";
import { monthlyRuns } from "./schedule-runs";
import { USAGE } from "./usage";

/** Secrets that every deployment has: the key, the administrator's password and two passwords of the database. */
const OWN_SECRETS = 4;

/** Images that the registry keeps, whatever their age. */
const KEPT_IMAGES = 10;

/** A dump is read three times: to verify what was written, and to copy it. */
const READINGS_OF_A_DUMP = 3;

/** The dump and its copy in latest/. */
const COPIES_OF_A_DUMP = 2;

/** Minimum number of billed days by storage class. */
const LEAST_DAYS: Readonly<Record<string, number>> = { STANDARD: 0, NEARLINE: 30, COLDLINE: 90 };

/** Deleted dumps can be restored for this long, and are billed meanwhile. */
const SOFT_DELETE_DAYS = 7;

const MONTH_DAYS = 365 / 12;

const STORAGE: Readonly<Record<string, { readonly storage: PriceId; readonly reading?: PriceId }>> = {
  STANDARD: { storage: "standardStorage" },
  NEARLINE: { storage: "nearlineStorage", reading: "nearlineReading" },
  COLDLINE: { storage: "coldlineStorage", reading: "coldlineReading" },
};

/** Checks in a month: once a minute, from six places in the world. */
const CHECKS_THOUSANDS = (6 * 60 * 730) / 1000;

/** Free checks per project. */
const FREE_CHECKS_THOUSANDS = 1000;
const FREE_LOGS_GIB = 50;

/** Parts of both identity providers other than containers: secrets, image, uploads, logs and checks. */
export function sharedParts(inputs: InputValues, { furtherSecrets, hasCheck }: SharedDetails): Part[] {
  const upload = (name: string, price: PriceId, quantity: Range): Part => ({
    name,
    group: "storage",
    price,
    quantity,
    varies: "number and size of uploads, and how often they are read",
  });
  return [
    {
      name: "Secrets",
      group: "secrets",
      price: "secretVersion",
      quantity: exactly(OWN_SECRETS + furtherSecrets + Number(inputs.flag("bootstrap_token"))),
    },
    {
      name: "Reading secrets",
      group: "secrets",
      price: "secretAccess",
      quantity: USAGE.secretReads,
      varies: "how often instances start",
    },
    ...imageParts(inputs),
    upload("Uploads", "standardStorage", USAGE.uploadsGib),
    upload("Writing uploads", "storageWrites", USAGE.bucketWrites),
    upload("Reading uploads", "storageReads", USAGE.bucketReads),
    {
      name: "Logs",
      group: "monitoring",
      price: "logs",
      quantity: { min: 0, max: Math.max(0, USAGE.logsGib.max - FREE_LOGS_GIB) },
      varies: `up to ${USAGE.logsGib.max} GiB; the first ${FREE_LOGS_GIB} of a project are free`,
    },
    ...(hasCheck
      ? [
          {
            name: "Uptime check",
            group: "monitoring",
            price: "uptimeChecks",
            quantity: exactly(Math.max(0, CHECKS_THOUSANDS - FREE_CHECKS_THOUSANDS)),
          } as const,
        ]
      : []),
  ];
}

interface SharedDetails {
  /** Secrets that a platform needs in addition. */
  readonly furtherSecrets: number;

  readonly hasCheck: boolean;
}

function imageParts(inputs: InputValues): Part[] {
  if (inputs.has("existing_container_image")) return [];
  return [
    {
      name: "Images",
      group: "storage",
      price: "imageStorage",
      quantity: times(USAGE.imageGib, { min: 1, max: KEPT_IMAGES }),
      varies: `one image, up to the ${KEPT_IMAGES} that are kept`,
    },
    {
      name: "Building the image",
      group: "first apply",
      price: "imageBuild",
      quantity: USAGE.buildMinutes,
      varies: "its duration",
    },
  ];
}

/**
 * Parts of the scheduled dumps, beside the job that makes them.
 *
 * @param runs dumps a month
 */
export function dumpStorageParts(inputs: InputValues, runs: number): Part[] {
  const hasSchedule = inputs.has("dump_schedule");
  if (!hasSchedule && !inputs.flag("keep_dumps")) return [];
  const storageClass = inputs.text("dump_storage_class");
  const { reading, storage } = STORAGE[storageClass] ?? { storage: "standardStorage" };
  const least = LEAST_DAYS[storageClass] ?? 0;
  const days = Math.max(inputs.number("dump_retention_days") + SOFT_DELETE_DAYS, least);
  const copyDays = Math.max(SOFT_DELETE_DAYS, least);
  const stored = (quantityDays: number) => Math.max(1, (runs * quantityDays) / MONTH_DAYS);
  const part = (name: string, price: PriceId, quantity: Range, group: PartGroup = "dumps"): Part => ({
    name,
    group,
    price,
    quantity,
    varies: "the size of the database",
  });
  return [
    part("Dumps", storage, times(USAGE.dumpGib, stored(days))),
    part("Copies of the newest dump", storage, times(USAGE.dumpGib, stored(copyDays))),
    ...(reading === undefined
      ? []
      : [part("Reading dumps, to check and to copy them", reading, times(USAGE.dumpGib, runs * READINGS_OF_A_DUMP))]),
    part("Writing dumps", "storageWrites", exactly((runs * COPIES_OF_A_DUMP) / 10_000)),
  ];
}

/** Dumps a month. */
export function dumpsOf(inputs: InputValues): number {
  return inputs.has("dump_schedule") ? monthlyRuns(inputs.text("dump_schedule")) : 0;
}
