import { createServer } from "node:http";
import { type AddressInfo } from "node:net";

import { type Fault } from "../../support/google-stand-in";
import { runScript } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { CREATE, IMAGE, inScene } from "../../idp/build-image/build-scene";

const GATE = { PROJECT_ID: "demo-project", REGION: "us-central1", SERVICE: "run.googleapis.com" };
const GET_TAG = "artifactregistry.projects.locations.repositories.packages.tags.get";
const GET_BUILD = "cloudbuild.projects.builds.get";

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

  it.concurrent("does not end the watch over a build", () =>
    inScene(async ({ standIn, build }) => {
      for (const [fault] of STRANGERS.slice(0, 2)) standIn.inject(GET_BUILD, fault);

      const run = await build();

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(standIn.builds.accepted).toHaveLength(1);
    }),
  );

  it.concurrent("neither starts a build nor ends the search for one", () =>
    inScene(async ({ standIn, build }) => {
      standIn.inject("artifactregistry", page(404, "<title>Not found</title>"), Infinity);

      const run = await build();

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain(`Whether ${IMAGE} exists cannot be found out.`);
      expect(standIn.requestsTo(CREATE)).toEqual([]);
    }),
  );

  it.concurrent("is also that of a proxy that refuses the connection itself", () =>
    inScene(async ({ standIn, build }) => {
      const proxy = createServer().on("connect", (_request, socket) =>
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
      );
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      try {
        const run = await build({
          environment: {
            GOOGLE_ARTIFACT_REGISTRY_CUSTOM_ENDPOINT: "https://registry.invalid/v1/",
            https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
          },
        });

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toMatch(/GET https:\/\/registry\.invalid\S+: a proxy or portal answered, .*: HTTP 407\.\n/);
        expect(standIn.requests).toEqual([]);
      } finally {
        proxy.close();
      }
    }),
  );
});

describeWith(["curl", "dash", "jq"], "what an API answers", () => {
  it.concurrent.each(['operations/1"\nurl = "http://127.0.0.1:9/', "operations/../projects/other", {}])(
    "is not the name of an operation when it is %j",
    (name) =>
      inScene(async ({ standIn }) => {
        standIn.inject("serviceusage.services.enable", json(200, { name }));

        const run = await runScript("enable-api", {
          environment: { ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", ...GATE },
        });

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain("Service Usage names no operation that turns on run.googleapis.com.");
        expect(standIn.requests).toHaveLength(2);
      }),
  );

  it.concurrent.each([
    ["an error", json(400, { error: { code: 400, message: "a\u001b[2Jb\u0007\u007fd é" } }), "a [2Jb  d é"],
    ["a page", page(400, "a\u001b[2Jb\u0007\u007fd é"), "a [2Jb d é"],
  ])("as %s does not command the terminal", (_name, fault, text) =>
    inScene(async ({ standIn, build }) => {
      standIn.inject(GET_TAG, fault, Infinity);

      const run = await build();

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain(text);
      expect(run.output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    }),
  );

  it.concurrent("as the address of a log does not command the terminal", () =>
    inScene(async ({ standIn, build }) => {
      const id = "0b1d0000-0000-4000-8000-000000000001";
      standIn.inject(CREATE, json(200, { metadata: { build: { id, logUrl: "https://log/\u001b]0;x\u0007" } } }));

      const run = await build();

      expect(run.stdout).toContain("; log: https://log/ ]0;x \n");
    }),
  );
});
