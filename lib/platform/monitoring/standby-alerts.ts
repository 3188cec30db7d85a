import { prose } from "../../core/prose";
import { type AlertFacts, type Alerts } from "./alert";

const lag = ({ projectId, standbyDatabase }: AlertFacts): string =>
  prose`
    cloudsql_googleapis_com:database_replication_replica_lag{monitored_resource="cloudsql_database",
    database_id="${projectId}:${standbyDatabase}"}
  `;

/** Alerts about a waiting second region, because its failure would not be noticed before it is needed. */
export const STANDBY_ALERTS: Alerts = {
  "standby-behind": {
    title: "the replica in the second region has not followed the database for an hour",
    severity: "ERROR",
    needs: ["standby"],
    // A replica that is gone or stopped has no lag at all. An hour is longer than it takes to create one.
    queries: {
      serverless: (facts) => `(max(${lag(facts)}) or max(absent_over_time(${lag(facts)}[15m])) * 3600)`,
    },
    limit: { raisedWhen: ">", threshold: 300, durationSeconds: 3600, measures: "seconds, 3600 for no replica" },
    firstSteps: ({ nameOf, projectId, standbyDatabase }) =>
      prose`
        What was written since would be lost with the first region. Look whether the replica runs:
        \`gcloud sql instances describe ${standbyDatabase} --project=${projectId}
        --format='value(state,settings.activationPolicy)'\`. If scripts/promote.sh has promoted it, set promoted in
        \`${nameOf("standby")}\` to true. If it runs and is late, it is too small for what is written:
        raise \`${nameOf("databaseTier")}\`. One that does not follow any more is replaced by the next number in
        \`${nameOf("standby")}\`.
      `,
  },
};
