import { type Fault, type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, runScript } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { inScene, PROJECT } from "./gate-scene";
import { refusal } from "./rest-scene";

const ENABLE = "serviceusage.services.enable";
const OFF: Fault = { kind: "service-disabled" };
const QUOTA = "The iam API requires a quota project, which is not set.";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "enable-api.sh", () => {
  it.concurrent.each(["busybox", "bash"] as const)("enables the API and waits for the operation (%s)", (shell) =>
    inScene(async ({ standIn, enable }) => {
      expect((await enable({ shell })).exitCode).toBe(0);
      expect(standIn.usage.enabled).toContain("cloudresourcemanager.googleapis.com");
    }),
  );

  it.concurrent.each<[string, (standIn: GoogleStandIn) => unknown, number, readonly string[]]>([
    [
      "only checks when the API is on",
      ({ usage }) => usage.enabled.add("cloudresourcemanager.googleapis.com"),
      0,
      ["cloudresourcemanager.googleapis.com is already on in project demo-project.\n"],
    ],
    [
      "fails with the operation's error message",
      ({ usage }) => (usage.operationError = { code: 9, message: "Billing account for project '12' is not found." }),
      1,
      ["its operation failed.\n  code 9: Billing account for project '12' is not found.\n"],
    ],
    [
      "waits for another change of the project's APIs",
      (standIn) => {
        const text = "Another activation or deactivation is in progress for it.";
        standIn.inject(ENABLE, refusal(400, "FAILED_PRECONDITION", text));
      },
      0,
      ["waiting for another change of the project's APIs"],
    ],
    [
      "says how to enable Service Usage itself",
      (standIn) => {
        standIn.inject("serviceusage", OFF);
      },
      1,
      [
        "the Service Usage API, which does that, is off.",
        "gcloud services enable serviceusage.googleapis.com cloudresourcemanager.googleapis.com",
      ],
    ],
    [
      "says which role is missing and who grants it",
      (standIn) => {
        const text = "Permission denied to enable service.";
        standIn.inject(ENABLE, refusal(403, "PERMISSION_DENIED", text, "AUTH_PERMISSION_DENIED"));
      },
      1,
      [
        "HTTP 403 PERMISSION_DENIED (AUTH_PERMISSION_DENIED): Permission denied to enable",
        "an owner grants roles/serviceusage.serviceUsageAdmin",
      ],
    ],
  ])("%s", (_behaviour, arrange, exitCode, texts) =>
    inScene(async ({ standIn, enable }) => {
      arrange(standIn);

      const run = await enable();

      expect(run.exitCode).toBe(exitCode);
      for (const text of texts) expect(run.output).toContain(text);
    }),
  );

  it.concurrent("gives up on an operation that never ends", () =>
    inScene(async ({ standIn, enable }) => {
      standIn.usage.operationPolls = Infinity;

      const run = await enable({ environment: { WAIT_SECONDS: "1" } });

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("was not on in project demo-project after 1 s: the operation operations/acf.p2-1");
    }),
  );
});

describeWith(["bash", "busybox", "curl", "dash", "jq"], "wait-for-api.sh", () => {
  const knownServices = async () => {
    const { stdout } = await runScript("wait-for-api", { arguments: ["--list"] });
    return stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "");
  };

  it.concurrent("makes a call that every known API understands", () =>
    inScene(async ({ standIn, wait }) => {
      const services = await knownServices();

      const runs = [];
      for (const service of services) runs.push(await wait(service));

      expect(runs.map(({ output }) => output)).toEqual(
        services.map(
          (service) => expect.stringContaining(`${service}.googleapis.com answers in project demo-project (`) as string,
        ),
      );
      expect(standIn.requests.map(({ path }) => path.split("/")[1])).toEqual(services);
    }),
  );

  it.concurrent("calls the addresses of the Terraform provider when nothing else is set", () =>
    inScene(async () => {
      const programs = programFolder({
        scripts: { curl: `while [ "$1" != --config ]; do shift; done; sed -n 's/^url = //p' "$2" >&2; exit 60` },
      });
      const run = async (service: string) => {
        const { stderr } = await runScript("wait-for-api", {
          environment: { ...PROJECT, SERVICE: service, WAIT_SECONDS: "0" },
          programs,
        });
        return /got no answer: "(https:[^"]+)"/.exec(stderr)?.[1];
      };

      const addresses = await Promise.all((await knownServices()).map(run));

      expect(addresses).toEqual([
        "https://artifactregistry.googleapis.com/v1/projects/demo-project/locations/us-central1/repositories?pageSize=1",
        "https://certificatemanager.googleapis.com/v1/projects/demo-project/locations/global/certificateMaps?pageSize=1",
        "https://cloudbuild.googleapis.com/v1/projects/demo-project/builds?pageSize=1",
        "https://cloudresourcemanager.googleapis.com/v1/projects/demo-project",
        "https://cloudscheduler.googleapis.com/v1/projects/demo-project/locations/us-central1/jobs?pageSize=1",
        "https://compute.googleapis.com/compute/v1/projects/demo-project",
        "https://container.googleapis.com/v1/projects/demo-project/locations/us-central1/clusters",
        "https://dns.googleapis.com/dns/v1/projects/demo-project/managedZones?maxResults=1",
        "https://iam.googleapis.com/v1/projects/demo-project/serviceAccounts?pageSize=1",
        "https://logging.googleapis.com/v2/projects/demo-project/logs?pageSize=1",
        "https://migrationcenter.googleapis.com/v1/projects/demo-project/locations/us-central1/sources?pageSize=1",
        "https://monitoring.googleapis.com/v3/projects/demo-project/alertPolicies?pageSize=1",
        "https://run.googleapis.com/v2/projects/demo-project/locations/us-central1/services?pageSize=1",
        "https://secretmanager.googleapis.com/v1/projects/demo-project/secrets?pageSize=1",
        "https://serviceusage.googleapis.com/v1/projects/demo-project/services/serviceusage.googleapis.com",
        "https://sqladmin.googleapis.com/sql/v1beta4/projects/demo-project/instances?maxResults=1",
        "https://storage.googleapis.com/storage/v1/b?project=demo-project&maxResults=1",
      ]);
    }),
  );

  const internal = refusal(500, "INTERNAL", "Internal error.");
  const legacy = refusal(403, "", "Access Not Configured.", "accessNotConfigured");
  const words = refusal(403, "", "X API has not been used in project 12 before or it is disabled.");
  const denied = refusal(403, "PERMISSION_DENIED", "Permission 'iam.serviceAccounts.list' denied.");
  const slow: Fault = { kind: "slow", milliseconds: 0 };

  // After a refusal of the gate, three good answers in a row are needed.
  it.concurrent.each<[string, readonly Fault[], number, number, readonly string[]]>([
    ["waits while the API is off, then makes sure", [OFF, OFF, OFF], 0, 6, ["not answering yet (HTTP 403)"]],
    ["understands the legacy reason as not yet", [legacy], 0, 4, []],
    ["understands words alone as not yet", [words], 0, 4, []],
    ["understands an internal error as not yet", [internal], 0, 4, []],
    ["starts counting again when one front end still refuses", [OFF, slow, OFF], 0, 6, []],
    ["takes permission denied as an answer of the service", [denied], 0, 1, ["with HTTP 403: it is on."]],
    [
      "takes not found as an answer of the service",
      [refusal(404, "NOT_FOUND", "Not found.")],
      0,
      1,
      ["with HTTP 404: it is on."],
    ],
    [
      "does not wait for a quota project that nobody has set",
      [refusal(403, "PERMISSION_DENIED", QUOTA, "SERVICE_DISABLED")],
      1,
      1,
      ["export USER_PROJECT_OVERRIDE=true GOOGLE_BILLING_PROJECT=demo-project"],
    ],
  ])("%s", (_behaviour, faults, exitCode, requests, texts) =>
    inScene(async ({ standIn, wait }) => {
      for (const fault of faults) standIn.inject("iam", fault);

      const run = await wait("iam.googleapis.com", { shell: "busybox" });

      expect(run.exitCode).toBe(exitCode);
      expect(standIn.requests).toHaveLength(requests);
      for (const text of texts) expect(run.output).toContain(text);
    }),
  );

  it.concurrent("gives up after the time limit with the API's last error", () =>
    inScene(async ({ standIn, wait }) => {
      standIn.inject("run", OFF, Infinity);

      const run = await wait("run.googleapis.com", { environment: { WAIT_SECONDS: "1" } });

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("run.googleapis.com did not answer in project demo-project within 1 s.");
      expect(run.stderr).toContain("HTTP 403 PERMISSION_DENIED (SERVICE_DISABLED): The API run has not been used");
      expect(run.stderr).toContain("gcloud services enable run.googleapis.com --project demo-project");
    }),
  );
});
