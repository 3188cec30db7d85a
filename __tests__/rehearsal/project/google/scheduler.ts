import { needGrant, needObject } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { textAt } from "../terraform-value";
import { googleType } from "./google-type";

/** The Cloud Run job that a request starts. */
const STARTED = /^https:\/\/run\.googleapis\.com\/v2\/(projects\/[^/]+\/locations\/[^/]+\/jobs\/([^/]+)):run$/;

const TARGET = "http_target.0";

/** Scheduled requests. Cloud Scheduler does not look at their target, but a request that must fail is of no use. */
export const SCHEDULER_TYPES: ResourceTypes = {
  google_cloud_scheduler_job: googleType({
    api: "cloudscheduler",
    id: "projects/{{project}}/locations/{{region}}/jobs/{{name}}",
    replacedBy: ["project", "region", "name"],
    source: "cloudscheduler/resource_cloud_scheduler_job.go",
    computed: () => ({ state: "ENABLED" }),
    invalid: (values) => [
      ...(textAt(values, "schedule").trim().split(/\s+/).length === 5
        ? []
        : [`Error 400: Schedule or time zone is invalid: ${textAt(values, "schedule")}`]),
      ...(/^\d+s$/.test(textAt(values, "attempt_deadline")) ? [] : ["Error 400: the deadline is no duration"]),
    ],
    needs: (values) => {
      const email = textAt(values, `${TARGET}.oauth_token.0.service_account_email`);
      const [, job = "", name = ""] = STARTED.exec(textAt(values, `${TARGET}.uri`)) ?? [];
      if (job === "") return [];
      return [
        needObject("google_service_account", `projects/${textAt(values, "project")}/serviceAccounts/${email}`),
        needObject("google_cloud_run_v2_job", job),
        needGrant(
          "google_cloud_run_v2_job_iam_member",
          (grant) => textAt(grant, "name").split("/").at(-1) === name,
          `serviceAccount:${email}`,
          ["roles/run.invoker"],
          `the job ${name}`,
        ),
      ];
    },
  }),
};
