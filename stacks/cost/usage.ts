import { type Range } from "./part";

/** Assumed use in a month, and its meaning. */
interface Usage extends Range {
  readonly meaning: string;
}

const from = (min: number, max: number, meaning: string): Usage => ({ min, max, meaning });

/**
 * Monthly use where the platform bills by use: from almost nothing to a busy deployment of a few thousand users. These are
 * assumptions, not limits.
 */
export const USAGE = {
  requests: from(0, 1, "requests of browsers, applications and outposts, and DNS queries for the domain, in millions"),
  answersGib: from(0, 20, "responses, in GiB"),
  receivedGib: from(0, 2, "incoming data, in GiB"),
  busyShare: from(0, 1, "share of the time in which an instance billed by requests is answering one"),
  databaseGib: from(0.1, 5, "data in the database, in GiB"),
  diskGib: from(10, 20, "disk of the database, which starts with 10 GB and grows, in GiB"),
  uploadsGib: from(0, 1, "uploaded icons and backgrounds, in GiB"),
  bucketWrites: from(0, 1, "writes to and listings of the bucket for uploads, in tens of thousands"),
  bucketReads: from(0, 100, "reads of that bucket, in tens of thousands"),
  imageGib: from(0.8, 1.2, "a built image, in GiB"),
  secretReads: from(0, 1, "reads of secrets, in tens of thousands"),
  logsGib: from(0.1, 20, "log entries, in GiB"),
  dumpGib: from(0.01, 1, "a compressed dump, in GiB"),
  dumpMinutes: from(1, 5, "duration of a dump, in minutes"),
  fetchedGib: from(0, 10, "data that pods fetch from outside Google Cloud, in GiB"),
  buildMinutes: from(3, 10, "duration of an image build, in minutes"),
  preparationMinutes: from(1, 5, "duration of the job that prepares the database, in minutes"),
} as const satisfies Record<string, Usage>;
