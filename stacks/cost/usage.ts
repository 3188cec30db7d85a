import { type Range } from "./part";

/**
 * How much is used in a month where the platform bills by use: next to nothing, up to a busy deployment of a few thousand
 * users. These are assumptions, not limits: somebody who uses more pays more.
 */
export const USAGE = {
  /** Millions of requests of browsers, applications and outposts. */
  requests: { min: 0, max: 1 },

  /** What they are answered with, and what comes in, in GiB. */
  answersGib: { min: 0, max: 20 },
  receivedGib: { min: 0, max: 2 },

  /** Share of its time in which an instance that is billed by requests answers one. */
  busyShare: { min: 0, max: 1 },

  /** Data in the database in GiB, and what its disk, which starts with 10 GB and grows, then has. */
  databaseGib: { min: 0.1, max: 5 },
  diskGib: { min: 10, max: 20 },

  /** Uploaded icons and backgrounds in GiB, and how often instances look for them, in tens of thousands. */
  uploadsGib: { min: 0, max: 1 },
  bucketWrites: { min: 0, max: 1 },
  bucketReads: { min: 0, max: 100 },

  /** A built image in GiB. */
  imageGib: { min: 0.8, max: 1.2 },

  /** How often secrets are read, in tens of thousands. */
  secretReads: { min: 0, max: 1 },

  /** Log entries of a deployment in GiB. */
  logsGib: { min: 0.1, max: 20 },

  /** A compressed dump in GiB, and how many minutes it takes. */
  dumpGib: { min: 0.01, max: 1 },
  dumpMinutes: { min: 1, max: 5 },

  /** What pods fetch from outside Google Cloud, in GiB. */
  fetchedGib: { min: 0, max: 10 },

  /** Minutes that a build of the image, and the job that prepares the database, take. */
  buildMinutes: { min: 3, max: 10 },
  preparationMinutes: { min: 1, max: 5 },
} as const satisfies Record<string, Range>;
