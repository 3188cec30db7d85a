import { GoogleStandIn } from "../../support/google-stand-in";
import { ApiError, errorReason, type Handler } from "../../support/google-stand-in-services";
import { LOCATION, SOURCE } from "./assessment-scene";

const TYPE = "type.googleapis.com/google.cloud.migrationcenter.v1";

/** What a stand-in with one handler of the test's own answers, and what it thinks of that answer. */
async function answered(method: string, path: string, handler: Handler) {
  const standIn = await new GoogleStandIn([
    {
      description: "migrationcenter.v1",
      endpointVariable: "GOOGLE_MIGRATION_CENTER_CUSTOM_ENDPOINT",
      basePath: "v1/",
      handlers: { [`projects.locations.${method}`]: handler },
    },
  ]).start();
  try {
    const answer = await fetch(`http://${standIn.host}/migrationcenter/v1/${path}`, {
      headers: { authorization: "Bearer ya29.first" },
    });
    return { status: answer.status, text: await answer.text(), mistakes: standIn.mistakes };
  } finally {
    await standIn.stop();
  }
}

const source = (answer: Readonly<Record<string, unknown>>) => answered("sources.get", SOURCE, () => answer);

const OPERATION = `${LOCATION}/operations/operation-1`;

const operation = (answer: Readonly<Record<string, unknown>>) =>
  answered("operations.get", OPERATION, () => ({ name: OPERATION, ...answer }));

describe("An answer of the stand-in", () => {
  it.concurrent("is given when the API's description knows all of it", async () => {
    const good = { name: SOURCE, type: "SOURCE_TYPE_UPLOAD", state: "ACTIVE", priority: 1, managed: false };
    expect(await source(good)).toMatchObject({ status: 200, mistakes: [] });
    const metadata = { "@type": `${TYPE}.OperationMetadata`, createTime: "2026-08-01T12:00:00Z", verb: "create" };
    const response = { "@type": `${TYPE}.Source`, ...good };
    expect(await operation({ metadata, done: true, response })).toMatchObject({ status: 200, mistakes: [] });
    const error = { code: 9, message: "No.", details: [errorReason("BECAUSE", { a: "b" })] };
    expect(await operation({ metadata, done: true, error })).toMatchObject({ status: 200, mistakes: [] });
  });

  it.concurrent.each([
    ["a field that is not there", { title: "Lab" }, `Unknown name "title" at '': Cannot find field.`],
    ["a number for a text", { displayName: 1 }, "Invalid value at 'displayName' (TYPE_STRING), 1"],
    ["a text for a number", { priority: "1" }, `Invalid value at 'priority' (TYPE_INT32), "1"`],
    ["a text for a truth value", { managed: "true" }, `Invalid value at 'managed' (TYPE_BOOL), "true"`],
    ["a value that the enumeration lacks", { state: "READY" }, "Invalid value at 'state' (STATE_UNSPECIFIED | ACTIVE"],
    ["no time", { createTime: "soon" }, `Invalid value at 'createTime' (google-datetime), "soon"`],
  ])("is refused with %s", async (_what, answer, problem) => {
    const { mistakes, status, text } = await source(answer);
    expect(status).toBe(500);
    expect(text).toContain(
      `stand-in failed: Error: migrationcenter.projects.locations.sources.get answers against its description: ${problem}`,
    );
    expect(mistakes).toEqual([expect.stringContaining(problem)]);
  });

  it.concurrent("is refused with a field of a deeper level that is not there", async () => {
    const report = { framesReported: 1, executionErrors: { fileValidations: [{ fileName: "a", rows: 1 }] } };
    const { mistakes } = await answered("importJobs.get", `${LOCATION}/importJobs/job`, () => ({
      executionReport: report,
    }));
    expect(mistakes).toEqual([
      expect.stringContaining(`Unknown name "rows" at 'executionReport.executionErrors.fileValidations[0]'`),
    ]);
  });

  it.concurrent.each([
    ["without a type", { done: true, response: { name: SOURCE } }, "Unknown type undefined at 'response'."],
    [
      "of a type that is not there",
      { done: true, response: { "@type": `${TYPE}.Origin` } },
      `Unknown type "${TYPE}.Origin" at 'response'.`,
    ],
    [
      "with a field that is not there",
      { done: true, response: { "@type": `${TYPE}.Source`, title: "Lab" } },
      `Unknown name "title" at 'response': Cannot find field.`,
    ],
    [
      "with contents where there are none",
      { done: true, response: { "@type": "type.googleapis.com/google.protobuf.Empty", name: SOURCE } },
      `Unknown name "name" at 'response': Cannot find field.`,
    ],
  ])("is refused when its operation has a result %s", async (_what, answer, problem) => {
    expect(await operation(answer)).toMatchObject({ status: 500, mistakes: [expect.stringContaining(problem)] });
  });

  it.concurrent.each([
    ["done, without an outcome", { done: true }, "The operation has 0 outcomes, done: true."],
    [
      "done, well and badly",
      { done: true, error: {}, response: { "@type": "type.googleapis.com/google.protobuf.Empty" } },
      "The operation has 2 outcomes, done: true.",
    ],
    ["not done, with an outcome", { error: {} }, "The operation has 1 outcomes, done: undefined."],
  ])("is refused when its operation is %s", async (_what, answer, problem) => {
    expect(await operation(answer)).toMatchObject({ status: 500, mistakes: [expect.stringContaining(problem)] });
  });

  it.concurrent.each([
    [
      "an HTTP status of another kind",
      new ApiError(400, "NOT_FOUND", "No."),
      "NOT_FOUND is not answered with HTTP 400.",
    ],
    ["a kind that is not there", new ApiError(404, "MISSING", "No."), "MISSING is not answered with HTTP 404."],
    ["no words", new ApiError(404, "NOT_FOUND", ""), "The error says nothing."],
    [
      "details of no type",
      new ApiError(404, "NOT_FOUND", "No.", [{ reason: "GONE" }]),
      "Unknown type undefined at '[0]'.",
    ],
  ])("is refused when it is an error with %s", async (_what, error, problem) => {
    const { mistakes, status } = await answered("sources.get", SOURCE, () => {
      throw error;
    });
    expect({ mistakes, status }).toEqual({ status: 500, mistakes: [expect.stringContaining(problem)] });
  });
});
