import { CREATE, IMAGE, inScene } from "../../idp/build-image/build-scene";
import { type Fault } from "../../support/google-stand-in";
import { describeWith } from "../../support/programs";
import { inScene as inGateScene } from "./gate-scene";

const GET_TAG = "artifactregistry.projects.locations.repositories.packages.tags.get";

const page = (status: number, text: string): Fault => ({ kind: "html", status, page: text });
const json = (status: number, value: unknown): Fault => page(status, JSON.stringify(value));

/** Responses that cannot come from the API, and the message about each. */
const STRANGERS: readonly (readonly [Fault, string])[] = [
  [
    { kind: "html", status: 302, page: "", location: "http://127.0.0.1:9/login" },
    "HTTP 302, on to http://127.0.0.1:9/login, with an empty body.",
  ],
  [page(407, "<h1>Sign in</h1>"), "HTTP 407, <h1>Sign in</h1>."],
  [page(200, "<p>Welcome\n\tto the hotel</p>\n"), "HTTP 200, <p>Welcome to the hotel</p>."],
  [{ kind: "empty", status: 200 }, "HTTP 200, with an empty body."],
  [json(200, []), "HTTP 200, []."],
  [page(200, "{}{}"), "HTTP 200, {}{}."],
  [json(403, { error: "denied" }), 'HTTP 403, {"error":"denied"}.'],
  [page(404, '{"error": {"code": 404'), 'HTTP 404, {"error": {"code": 404.'],
];

describeWith(["curl", "dash", "jq"], "an answer that is not the API's own", () => {
  it.concurrent("is a passing fault and named as what it is", () =>
    inScene(async ({ standIn, build }) => {
      standIn.registry.push(IMAGE);
      for (const [fault] of STRANGERS) standIn.inject(GET_TAG, fault);
      const patience = { REST_TRIES: String(STRANGERS.length + 1), REST_RETRY_BASE_SECONDS: "0" };

      const run = await build({ environment: patience });

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run.stdout.split("\n").map((line) => line.replace(/^GET http:\S+\/tags\/\S+: /, ""))).toEqual([
        ...STRANGERS.map(
          ([, text], index) =>
            `a proxy or portal answered, not the API: ${text} Trying again in 0 s (attempt ${index + 2} of ${patience.REST_TRIES}).`,
        ),
        expect.stringContaining("nothing to build"),
        "",
      ]);
    }),
  );
});

describeWith(["curl", "dash", "jq"], "what an API answers", () => {
  it.concurrent.each(['operations/1"\nurl = "http://127.0.0.1:9/', "operations/../projects/other", {}])(
    "is not the name of an operation when it is %j",
    (name) =>
      inGateScene(async ({ enable, standIn }) => {
        standIn.inject("serviceusage.services.enable", json(200, { name }));

        const run = await enable();

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain("Service Usage names no operation that turns on cloudresourcemanager");
        expect(standIn.requests).toHaveLength(2);
      }),
  );

  const logUrl = "https://log/\u001b]0;x\u0007";

  it.concurrent.each<[string, string, Fault, string]>([
    ["an error", GET_TAG, json(400, { error: { code: 400, message: "a\u001b[2Jb\u0007\u007fd é" } }), "a [2Jb  d é"],
    ["a page", GET_TAG, page(400, "a\u001b[2Jb\u0007\u007fd é"), "a [2Jb d é"],
    [
      "the address of a log",
      CREATE,
      json(200, { metadata: { build: { id: "0b1d0000-0000-4000-8000-000000000001", logUrl } } }),
      "; log: https://log/ ]0;x \n",
    ],
  ])("as %s does not command the terminal", (_name, call, fault, text) =>
    inScene(async ({ standIn, build }) => {
      standIn.inject(call, fault, Infinity);

      const run = await build();

      expect(run.output).toContain(text);
      expect(run.output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    }),
  );
});
