import { GoogleStandIn } from "./google-stand-in";
import { type JsonObject } from "./google-stand-in-schema";
import { ApiError, errorReason, type Service } from "./google-stand-in-services";

/** A response: the status, and the body, parsed if it is JSON. */
interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly error: { readonly code?: number; readonly status?: string; readonly message?: string; details?: unknown };
}

const BUILDS = "cloudbuild/v1/projects/demo/locations/us-central1/builds";
const GOOD_BUILD = { steps: [{ name: "docker", script: "true" }] };

let standIn: GoogleStandIn;

async function ask(path: string, body?: JsonObject, token: string | null = "ya29.first"): Promise<Answer> {
  const response = await fetch(`http://${standIn.host}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const type = response.headers.get("content-type");
  const parsed = type?.startsWith("application/json") === true ? (JSON.parse(text) as Partial<Answer>) : {};
  return { status: response.status, type, text, error: parsed.error ?? {} };
}

async function withStandIn(test: () => Promise<void>, ...services: readonly Service[]): Promise<void> {
  standIn = await new GoogleStandIn(services).start();
  try {
    await test();
  } finally {
    await standIn.stop();
  }
}

const inStandIn = (test: () => Promise<void>) => () => withStandIn(test);

describe("A request to the stand-in of Google's APIs", () => {
  it(
    "is accepted when the API's description allows it",
    inStandIn(async () => {
      expect(await ask(BUILDS, GOOD_BUILD)).toMatchObject({ status: 200 });
      expect(await ask(`${BUILDS}?pageSize=5`)).toMatchObject({ status: 200 });
    }),
  );

  it.each([
    ["an unknown field", BUILDS, { ...GOOD_BUILD, size: 1 }, `Unknown name "size" at ''`],
    ["one inside another", BUILDS, { steps: [{ name: "a", width: 1 }] }, `Unknown name "width" at 'steps[0]'`],
    ["a field of another type", BUILDS, { steps: "docker" }, "Invalid value at 'steps' (a list)"],
    ["one inside another", BUILDS, { steps: [{ name: 1 }] }, "Invalid value at 'steps[0].name' (TYPE_STRING)"],
    ["no value of its enumeration", BUILDS, { ...GOOD_BUILD, options: { logging: "LOUD" } }, "at 'options.logging'"],
    ["an unknown parameter", `${BUILDS}?size=1`, undefined, `Unknown name "size": Cannot bind query parameter.`],
    ["a parameter of another type", `${BUILDS}?pageSize=many`, undefined, "Invalid value at 'pageSize'"],
    ["a body that is none", `${BUILDS}/one:cancel`, { reason: "late" }, `Unknown name "reason"`],
  ])("is refused with Google's own error body for %s", async (_what, path, body, text) => {
    await withStandIn(async () => {
      const { error, status } = await ask(path, body);

      expect([status, error.code, error.status]).toEqual([400, 400, "INVALID_ARGUMENT"]);
      expect(error.message).toMatch(/^Invalid JSON payload received\. /);
      expect(error.message).toContain(text);
      expect(error.details).toEqual([
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [{ description: expect.stringContaining(text) as string }],
        },
      ]);
    });
  });

  it(
    "may have null in the place of a field that it leaves out",
    inStandIn(async () => {
      expect(await ask(BUILDS, { ...GOOD_BUILD, timeout: null })).toMatchObject({ status: 200 });
      expect((await ask(BUILDS, { ...GOOD_BUILD, size: null })).error.message).toContain(`Unknown name "size"`);
    }),
  );

  it.each([
    ["without a token", null, "CREDENTIALS_MISSING"],
    ["with a token that nobody gave out", "ya29.unknown", "ACCESS_TOKEN_EXPIRED"],
  ])("is answered 401 %s, and has no effect", async (_how, token, reason) => {
    await withStandIn(async () => {
      const { error, status } = await ask(BUILDS, GOOD_BUILD, token);

      expect([status, error.code, error.status]).toEqual([401, 401, "UNAUTHENTICATED"]);
      expect(error.details).toEqual([errorReason(reason)]);
      expect(standIn.builds.accepted).toEqual([]);
    });
  });

  it(
    "is not found in an API that there is not, or at a path that its API does not have",
    inStandIn(async () => {
      expect(await ask("weather/v1/today")).toMatchObject({ status: 404, type: "text/html; charset=UTF-8" });
      expect(await ask("cloudbuild/v1/projects/demo/weather")).toMatchObject({ status: 404 });
    }),
  );
});

describe("A fault of the stand-in", () => {
  const unavailable = new ApiError(503, "UNAVAILABLE", "Try again.");

  it(
    "of a method comes as often as it was asked for, and at no other method",
    inStandIn(async () => {
      standIn.inject("cloudbuild.projects.locations.builds.list", { kind: "status", error: unavailable }, 2);

      const statuses: number[] = [];
      for (const body of [undefined, GOOD_BUILD, undefined, undefined]) statuses.push((await ask(BUILDS, body)).status);
      expect(statuses).toEqual([503, 200, 503, 200]);
    }),
  );

  it(
    "says when to come back",
    inStandIn(async () => {
      standIn.inject("cloudbuild", { kind: "status", error: unavailable, retryAfterSeconds: 7 });

      const response = await fetch(`http://${standIn.host}/${BUILDS}`, {
        headers: { authorization: "Bearer ya29.first" },
      });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "7"]);
    }),
  );

  it(
    "is a page instead of JSON, or nothing at all",
    inStandIn(async () => {
      standIn.inject("cloudbuild", { kind: "html", status: 502, page: "<title>502</title>" });
      standIn.inject("cloudbuild", { kind: "empty", status: 200 });

      const html = { type: "text/html; charset=UTF-8", error: {} };
      expect(await ask(BUILDS)).toEqual({ ...html, status: 502, text: "<title>502</title>" });
      expect(await ask(BUILDS)).toEqual({ ...html, status: 200, text: "" });
    }),
  );

  it(
    "is a service that is off",
    inStandIn(async () => {
      standIn.inject("cloudbuild", { kind: "service-disabled" });

      const { error, status } = await ask(BUILDS);
      expect([status, error.status]).toEqual([403, "PERMISSION_DENIED"]);
      expect(error.details).toEqual([errorReason("SERVICE_DISABLED", { service: "cloudbuild.googleapis.com" })]);
    }),
  );

  it(
    "is a token that expires, and stays expired",
    inStandIn(async () => {
      standIn.tokens.add("ya29.second");
      standIn.inject("cloudbuild", { kind: "expired-token" });

      expect((await ask(BUILDS)).error.details).toEqual([errorReason("ACCESS_TOKEN_EXPIRED")]);
      expect(await ask(BUILDS)).toMatchObject({ status: 401 });
      expect(await ask(BUILDS, undefined, "ya29.second")).toMatchObject({ status: 200 });
    }),
  );

  it(
    "is an answer that comes late",
    inStandIn(async () => {
      standIn.inject("cloudbuild", { kind: "slow", milliseconds: 60 });

      const start = performance.now();
      expect(await ask(BUILDS)).toMatchObject({ status: 200 });
      expect(performance.now() - start).toBeGreaterThan(55);
    }),
  );

  it.each([
    ["before the request has had its effect", false, 0],
    ["after it", true, 1],
  ])("is a connection that breaks %s", async (_when, carriedOut, builds) => {
    await withStandIn(async () => {
      standIn.inject("cloudbuild", { kind: "reset", carriedOut });

      await expect(ask(BUILDS, GOOD_BUILD)).rejects.toThrow("fetch failed");
      expect(standIn.builds.accepted).toHaveLength(builds);
    });
  });

  it(
    "is an operation that ends in an error",
    inStandIn(async () => {
      standIn.usage.operationPolls = 0;
      standIn.usage.operationError = { code: 7, message: "injected failure" };

      const { text } = await ask("serviceusage/v1/projects/demo/services/run.googleapis.com:enable", {});
      expect(JSON.parse(text)).toMatchObject({ done: true, error: { code: 7, message: "injected failure" } });
      expect(standIn.usage.enabled.size).toBe(0);
    }),
  );
});

describe("An answer of the stand-in's own", () => {
  /** Cloud Build with a list of builds that may violate the API's description. */
  const withList = (list: () => JsonObject): Service => ({
    description: "cloudbuild.v1",
    endpointVariable: "GOOGLE_CLOUD_BUILD_CUSTOM_ENDPOINT",
    basePath: "v1/",
    handlers: { "projects.locations.builds.list": list },
  });

  it("is given when the API's description has it", () =>
    withStandIn(
      async () => {
        expect(await ask(BUILDS)).toMatchObject({ status: 200 });
        expect(standIn.mistakes).toEqual([]);
      },
      withList(() => ({ builds: [{ id: "one" }] })),
    ));

  it.each([
    ["an invented field", () => ({ all: [] }), `Unknown name "all"`],
    ["a field of another type", () => ({ builds: "one" }), "Invalid value at 'builds'"],
    ["null", () => ({ builds: null }), "Invalid value at 'builds'"],
    [
      "an error whose status and code do not agree",
      () => {
        throw new ApiError(500, "NOT_FOUND", "There is none.");
      },
      "NOT_FOUND is not answered with HTTP 500.",
    ],
  ])("is a failure of the stand-in when it has %s", async (_what, list: () => JsonObject, mistake) => {
    await withStandIn(async () => {
      expect(await ask(BUILDS)).toMatchObject({ status: 500, type: "text/plain" });
      expect(standIn.mistakes).toHaveLength(1);
      expect(standIn.mistakes[0]).toMatch(
        /^cloudbuild\.projects\.locations\.builds\.list answers against its description: /,
      );
      expect(standIn.mistakes[0]).toContain(mistake);
    }, withList(list));
  });
});
