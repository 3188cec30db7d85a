import { FaultMatrix, type FaultRow, page, PORTAL, status } from "../../support/fault-matrix";
import { type Fault } from "../../support/google-stand-in";
import { programFolder, runScript } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { inScene, type RestScene, scenario } from "./rest-scene";

const ENABLE = "serviceusage.services.enable";
const OPERATION = "serviceusage.operations.get";
const OFF: Fault = { kind: "service-disabled" };

describeWith(["busybox", "curl", "dash", "jq"], "wait-for-api.sh --enable", () => {
  const refused = (code: number, name: string, message: string, ...reasons: string[]) => ({
    at: ENABLE,
    answers: [status(code, name, message, ...reasons)],
  });

  new FaultMatrix<RestScene>({
    inScene,
    run: ({ enable }, options) => enable(options),
    settled: ({ standIn }) => expect(standIn.usage.enabled).toContain("cloudresourcemanager.googleapis.com"),
  }).rows([
    {
      ...refused(400, "FAILED_PRECONDITION", "Another activation or deactivation is in progress for it."),
      what: "waits for another change of the project's APIs",
      exitCode: 0,
      says: ["waiting for another change of the project's APIs"],
    },
    {
      what: "says how to enable Service Usage itself",
      at: "serviceusage",
      answers: [OFF],
      exitCode: 1,
      says: ["gcloud services enable serviceusage.googleapis.com cloudresourcemanager.googleapis.com"],
    },
    {
      ...refused(403, "PERMISSION_DENIED", "Permission denied to enable service."),
      what: "says which role is missing and who grants it",
      exitCode: 1,
      says: ["Permission denied to enable", "an owner grants roles/serviceusage.serviceUsageAdmin"],
    },
    {
      what: "asks for no operation under a name that leads elsewhere",
      at: ENABLE,
      answers: [page(200, JSON.stringify({ name: "operations/../projects/other" }))],
      exitCode: 1,
      says: ["named no operation that can be asked for."],
      left: ({ standIn }) => expect(standIn.requests).toHaveLength(2),
    },
    {
      what: "fails with the operation's error message",
      at: OPERATION,
      answers: [],
      exitCode: 1,
      options: ({ usage }) => {
        usage.operationError = { code: 9, message: "Billing account for project '12' is not found." };
        return {};
      },
      says: ["failed: FAILED_PRECONDITION: Billing account for project '12' is not found."],
    },
  ]);
});

describeWith(["busybox", "curl", "dash", "jq"], "wait-for-api.sh", () => {
  scenario("makes a call that every known API understands, at Google's own address", async ({ wait }) => {
    const { stdout } = await runScript("wait-for-api", { arguments: ["--list"] });
    const services = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "");
    const curl = `while [ "$1" != --config ]; do shift; done; sed -n 's/^url = //p' "$2" >&2; exit 60`;
    const programs = programFolder({ scripts: { curl } });
    const place = { GOOGLE_OAUTH_ACCESS_TOKEN: "a", PROJECT_ID: "demo-project", REGION: "us-central1" };
    const real = { ...place, REST_TRIES: "1", WAIT_SECONDS: "0" };

    await Promise.all(
      services.map(async (service) => {
        expect((await wait(service)).output).toContain(`${service}.googleapis.com answers in project demo-project (`);
        const { stderr } = await runScript("wait-for-api", { environment: { ...real, SERVICE: service }, programs });
        expect(stderr).toContain(`got no answer: "https://${service}.googleapis.com/`);
      }),
    );
    expect(services.length).toBeGreaterThan(15);
  });

  const denied = "Permission 'iam.serviceAccounts.list' denied.";
  const quota = "The iam API requires a quota project, which is not set.";
  const slow: Fault = { kind: "slow", milliseconds: 0 };

  /** After a refusal of the gate, three good answers in a row are needed. */
  const gate = (what: string, answers: readonly Fault[], calls: number, said = "", exitCode = 0) =>
    ({
      what,
      at: "iam",
      answers,
      exitCode,
      says: [said],
      left: ({ standIn }) => expect(standIn.requests).toHaveLength(calls),
    }) satisfies FaultRow<RestScene>;

  new FaultMatrix<RestScene>({
    inScene,
    run: ({ wait }, options) => wait("iam.googleapis.com", options),
    settled: (_, { output }) => expect(output).toContain("iam.googleapis.com answers in project demo-project"),
  }).rows([
    gate("waits while the API is off, then makes sure", [OFF, OFF, OFF], 6, "not answering yet (HTTP 403)"),
    gate("starts counting again when one front end still refuses", [OFF, slow, OFF], 6),
    gate("understands the legacy reason", [status(403, "", "Access Not Configured.", "accessNotConfigured")], 4),
    gate("takes a refusal for an answer", [status(403, "PERMISSION_DENIED", denied)], 1, "with HTTP 403: it is on."),
    gate("takes not found for an answer", [status(404, "NOT_FOUND")], 1, "with HTTP 404: it is on."),
    gate(
      "does not wait for a quota project that nobody has set",
      [status(403, "PERMISSION_DENIED", quota, "SERVICE_DISABLED")],
      1,
      "export USER_PROJECT_OVERRIDE=true GOOGLE_BILLING_PROJECT=demo-project",
      1,
    ),
    {
      what: "is not opened by the answer of a portal",
      at: "iam",
      lasts: true,
      exitCode: 1,
      answers: [PORTAL],
      options: { environment: { WAIT_SECONDS: "1" } },
      says: [
        "not answering yet (HTTP 200 of a proxy or portal)",
        "a proxy or portal answered, not the API: HTTP 200, ",
        "To fix: sign in to this network, or let the calls pass its proxy",
      ],
    },
    {
      what: "gives up after the time limit with the API's last error",
      at: "iam",
      answers: [OFF],
      lasts: true,
      options: { environment: { WAIT_SECONDS: "1" } },
      exitCode: 1,
      says: [
        "iam.googleapis.com did not answer in project demo-project within 1 s.",
        "HTTP 403 PERMISSION_DENIED (SERVICE_DISABLED): The API iam has not been used",
        "gcloud services enable iam.googleapis.com --project demo-project",
      ],
    },
  ]);
});
