import { APPLY_AT_ONCE } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";

const BUCKET = "google_logging_project_bucket_config";
const SINK = "google_logging_project_sink";
const DATASET_GRANT = "google_bigquery_dataset_iam_member";
const KEY = "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp";
const TOPIC = "pubsub.googleapis.com/projects/audit-project/topics/sign-ins";
const DATASET = "bigquery.googleapis.com/projects/audit-project/datasets/sign_ins";

/** An audit log with a key of one's own, copied elsewhere: nobody ends it while the deployment is protected. */
export const AUDIT_LOG: Episode = {
  name: "an audit log",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    const { project_id } = inputs;
    const kms_keys = { logs: KEY, project_number: "123456789012" };
    const settings = (audit_log: object | null, deletion_protection = true) => ({
      project_id,
      audit_log,
      deletion_protection,
      ...(audit_log !== null && { kms_keys }),
    });
    const retained = () => cloud.ofType(BUCKET).map(({ values }) => JSON.stringify(values.retention_days));
    const all = () => JSON.stringify([...cloud.objects.values()]);
    const daysOfEvents = () => /"EVENT_DAYS","value":"(\d+)"|"EVENT_DAYS":"(\d+)"/.exec(all())?.slice(1).join("");
    const require = (isTrue: boolean, deviation: string) => {
      if (!isTrue) throw new StepFailure("an audit log", deviation);
    };
    await deployment.settle(settings({ destination: TOPIC }));
    require(retained().join(" ") === "365", `there are log buckets for ${retained().join()} days`);
    require(cloud.ofType(SINK).length === 2, "it is not copied to two places");
    require(daysOfEvents() === "365", `the application keeps events for ${String(daysOfEvents())} days`);
    require(cloud.ofType("google_pubsub_topic_iam_member").length === 1, "nothing may publish to the topic");
    await deployment.settle(settings({ retention_days: 400, event_days: 90, destination: DATASET }));
    require(daysOfEvents() === "90", `the application keeps events for ${String(daysOfEvents())} days`);
    require(retained().join(" ") === "400", `entries are kept for ${retained().join(", ")} days`);
    require(cloud.ofType(DATASET_GRANT).length === 1, "nothing may add to the dataset");
    deployment.inputs = { ...settings(null), kms_keys };
    await deployment.refuse(APPLY_AT_ONCE, "without setting deletion_policy");
    require(retained().length === 1, "the log bucket is gone");
    require(cloud.ofType(SINK).length === 2, "it is not copied to two places any more");
    require(cloud.ofType(DATASET_GRANT).length === 1, "nothing may add to the dataset any more");
    await deployment.settle(settings({ retention_days: 400 }));
    require(cloud.ofType(SINK).length === 1, "a protected deployment cannot end the copy alone");
    await deployment.settle(settings({ retention_days: 400 }, false));
    await deployment.settle({ ...settings(null, false), kms_keys });
    const isLeft = cloud.ofType(BUCKET).length + cloud.ofType(SINK).length > 0 || all().includes("event-retention");
    require(!isLeft, "something of it is left");
  },
};
