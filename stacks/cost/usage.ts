import { type Range } from "./part";

/** How much is used of something in a month, and what it is. */
interface Usage extends Range {
  readonly meaning: string;
}

const from = (min: number, max: number, meaning: string): Usage => ({ min, max, meaning });

/**
 * How much is used in a month where the platform bills by use: next to nothing, up to a busy deployment of a few thousand
 * users. These are assumptions, not limits: who uses more pays more.
 */
export const USAGE = {
  requests: from(0, 1, "requests of browsers, applications and outposts, and look-ups of the domain, in millions"),
  answersGib: from(0, 20, "what they are answered with, in GiB"),
  receivedGib: from(0, 2, "what comes in, in GiB"),
  busyShare: from(0, 1, "share of its time in which an instance that is billed by requests answers one"),
  databaseGib: from(0.1, 5, "data in the database, in GiB"),
  diskGib: from(10, 20, "its disk, which starts with 10 GB and grows, in GiB"),
  uploadsGib: from(0, 1, "uploaded icons and backgrounds, in GiB"),
  bucketWrites: from(0, 1, "how often the bucket of the uploads is written to or listed, in tens of thousands"),
  bucketReads: from(0, 100, "how often it is read, in tens of thousands"),
  imageGib: from(0.8, 1.2, "a built image, in GiB"),
  secretReads: from(0, 1, "how often secrets are read, in tens of thousands"),
  logsGib: from(0.1, 20, "log entries, in GiB"),
  dumpGib: from(0.01, 1, "a compressed dump, in GiB"),
  dumpMinutes: from(1, 5, "how long a dump takes, in minutes"),
  fetchedGib: from(0, 10, "what pods fetch from outside of Google Cloud, in GiB"),
  buildMinutes: from(3, 10, "how long a build of the image takes, in minutes"),
  preparationMinutes: from(1, 5, "how long the job that prepares the database takes, in minutes"),
} as const satisfies Record<string, Usage>;
