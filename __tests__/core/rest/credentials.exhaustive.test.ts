import { createVerify, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

import { programFolder, type ScriptRun } from "../../support/google-stand-in-scripts";
import { LoopbackServer } from "../../support/loopback-server";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { inScene } from "./rest-scene";

interface TokenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
  readonly body: string;
}

type Answer = readonly [status: number, body: object | string];

interface TokenServices {
  readonly url: string;
  readonly requests: readonly TokenRequest[];
}

/** Token services on loopback, which give the answers of a test by path. */
async function withTokenServices(
  answers: Readonly<Record<string, Answer>>,
  test: (services: TokenServices) => Promise<void>,
): Promise<void> {
  const requests: TokenRequest[] = [];
  const server = new LoopbackServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const path = request.url ?? "";
      requests.push({ path, headers: request.headers, form: Object.fromEntries(new URLSearchParams(body)), body });
      const [status, answer] = answers[path] ?? [404, "not here"];
      response.writeHead(status).end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  });
  await server.start();
  try {
    await test({ url: `http://${server.host}`, requests });
  } finally {
    await server.stop();
  }
}

const TOKEN = { access_token: "ya29.first", expires_in: 3599 };
const FEDERATED = {
  access_token: "ya29.federated",
  issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
};
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

const ODD_SECRET = String.raw`a"b\c$d e&f=g%`;

function accountKey(url: string): object {
  return {
    type: "service_account",
    client_email: "deployer@demo-project.iam.gserviceaccount.com",
    private_key_id: "0a1b",
    private_key: privateKey.export({ format: "pem", type: "pkcs8" }),
    token_uri: `${url}/token`,
  };
}

function workload(url: string, source: object): object {
  return {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pipelines/providers/repository",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${url}/sts`,
    service_account_impersonation_url: `${url}/impersonate`,
    credential_source: source,
  };
}

const decoded = (part = ""): unknown => JSON.parse(Buffer.from(part, "base64url").toString());

describeWith(["curl", "jq", "dash", "busybox", "openssl"], "Credentials of a pipeline, without gcloud", () => {
  const programs = () => programFolder({ scripts: { openssl: `exec ${programPath("openssl")} "$@"` } });

  async function look(
    environment: Readonly<Record<string, string>>,
    shell: "busybox" | "dash" = "dash",
  ): Promise<{ readonly run: ScriptRun; readonly tokens: readonly unknown[] }> {
    let result: { readonly run: ScriptRun; readonly tokens: readonly unknown[] } | undefined;
    await inScene(async ({ lookAtApi, tokensUsed }) => {
      const run = await lookAtApi({
        environment: { GOOGLE_OAUTH_ACCESS_TOKEN: undefined, ...environment },
        programs: programs(),
        shell,
      });
      result = { run, tokens: tokensUsed() };
    });
    if (result === undefined) throw new Error("the script was not run");
    return result;
  }

  it.concurrent.each(["dash", "busybox"] as const)("sign for a service account with its key (%s)", (shell) =>
    withTokenServices({ "/token": [200, TOKEN] }, async ({ requests, url }) => {
      const { run, tokens } = await look({ GOOGLE_CREDENTIALS: JSON.stringify(accountKey(url)) }, shell);

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(tokens).toEqual(["Bearer ya29.first"]);
      const { assertion = "", grant_type: grant } = requests[0]?.form ?? {};
      const [header, claim, signature = ""] = assertion.split(".");
      expect(grant).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
      expect(decoded(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "0a1b" });
      const claims = decoded(claim) as Readonly<Record<"exp" | "iat", number>>;
      expect(claims).toMatchObject({
        iss: "deployer@demo-project.iam.gserviceaccount.com",
        scope: SCOPE,
        aud: `${url}/token`,
      });
      expect(claims.exp - claims.iat).toBe(3600);
      const verified = createVerify("RSA-SHA256").update(`${header ?? ""}.${claim ?? ""}`);
      expect(verified.verify(publicKey, signature, "base64url")).toBe(true);
    }),
  );

  it.concurrent("come from the variables of the provider, as a text or a path, the first of them alone", () =>
    withTokenServices({ "/token": [200, TOKEN] }, async ({ requests, url }) => {
      const file = join(temporaryFolder(), "key.json");
      writeFileSync(file, JSON.stringify(accountKey(url)));
      const names = ["GOOGLE_APPLICATION_CREDENTIALS", "GCLOUD_KEYFILE_JSON", "GOOGLE_CLOUD_KEYFILE_JSON"];
      for (const name of [...names, "GOOGLE_CREDENTIALS"])
        expect((await look({ [name]: file })).tokens).toEqual(["Bearer ya29.first"]);

      const { run } = await look({ GOOGLE_CREDENTIALS: "{}", GOOGLE_APPLICATION_CREDENTIALS: file });

      expect(run.exitCode).toBe(1);
      expect(requests).toHaveLength(4);
    }),
  );

  it.concurrent.each(["text", "json", "url"] as const)("exchange the token of a pipeline, which is a %s", (kind) =>
    withTokenServices(
      {
        "/oidc?audience=a%2Fb": [200, { value: ODD_SECRET }],
        "/sts": [200, FEDERATED],
        "/impersonate": [200, { accessToken: "ya29.first" }],
      },
      async ({ requests, url }) => {
        const file = join(temporaryFolder(), "token");
        writeFileSync(file, kind === "text" ? ODD_SECRET : JSON.stringify({ value: ODD_SECRET }));
        const format = kind === "text" ? { type: "text" } : { type: "json", subject_token_field_name: "value" };
        const asked = { url: `${url}/oidc?audience=a%2Fb`, headers: { Authorization: "Bearer of-the-run" }, format };
        const source = kind === "url" ? asked : { file, format };

        const { run, tokens } = await look({ GOOGLE_CREDENTIALS: JSON.stringify(workload(url, source)) });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(tokens).toEqual(["Bearer ya29.first"]);
        const [exchange, impersonation] = requests.slice(kind === "url" ? 1 : 0);
        if (kind === "url") expect(requests[0]?.headers.authorization).toBe("Bearer of-the-run");
        expect(exchange?.form).toEqual({
          grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
          audience: expect.stringContaining("/workloadIdentityPools/") as string,
          requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
          scope: SCOPE,
          subject_token: ODD_SECRET,
          subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        });
        expect(impersonation?.headers.authorization).toBe("Bearer ya29.federated");
        expect(JSON.parse(impersonation?.body ?? "")).toEqual({ scope: [SCOPE] });
      },
    ),
  );

  it.concurrent("renew a user's token, and impersonate a service account with it", () =>
    withTokenServices(
      { "/token": [200, { access_token: "ya29.user" }], "/impersonate": [200, { accessToken: "ya29.first" }] },
      async ({ requests, url }) => {
        const user = { client_id: "id", client_secret: ODD_SECRET, refresh_token: "1//a", token_uri: `${url}/token` };
        const credentials = {
          type: "impersonated_service_account",
          service_account_impersonation_url: `${url}/impersonate`,
          source_credentials: { type: "authorized_user", ...user },
        };

        const { tokens } = await look({ GOOGLE_CREDENTIALS: JSON.stringify(credentials) });

        expect(tokens).toEqual(["Bearer ya29.first"]);
        expect(requests[0]?.form).toMatchObject({ grant_type: "refresh_token", client_secret: ODD_SECRET });
        expect(requests[1]?.headers.authorization).toBe("Bearer ya29.user");
      },
    ),
  );

  it.concurrent.each<[string, (url: string) => object, string]>([
    [
      "of another type",
      () => ({ type: "gdch_service_account" }),
      'its type is "gdch_service_account", not service_account',
    ],
    ["without a usable key", (url) => ({ ...accountKey(url), private_key: "x" }), "its private_key cannot be used"],
    [
      "that would send secrets unprotected",
      (url) => ({ ...accountKey(url), token_uri: "http://tokens.example.com/token" }),
      'the address "http://tokens.example.com/token" does not begin with https://',
    ],
    ["that are refused", (url) => accountKey(url), "/token answered: Invalid JWT: the clock is wrong"],
    ["of AWS", (url) => workload(url, { environment_id: "aws1" }), "its credential_source is neither a file nor a url"],
    ["with a file that is gone", (url) => workload(url, { file: "/none" }), "there is no /none with a token"],
  ])("end the script when they are %s", (_, credentials, why) =>
    withTokenServices(
      { "/token": [400, { error: "invalid_grant", error_description: "Invalid JWT: the clock is wrong" }] },
      async ({ url }) => {
        const { run, tokens } = await look({ GOOGLE_CREDENTIALS: JSON.stringify(credentials(url)) });

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toMatch(/^The credentials in GOOGLE_CREDENTIALS give no access token: /);
        expect(run.stderr).toContain(why);
        expect(run.stderr).toContain("\n  To fix: correct or unset GOOGLE_CREDENTIALS;");
        expect(run.output).not.toContain("PRIVATE KEY");
        expect(tokens).toEqual([]);
      },
    ),
  );

  it.concurrent("leave no secret in a file or an argument", () =>
    withTokenServices({ "/token": [200, TOKEN] }, async ({ url }) => {
      const folder = temporaryFolder();
      const log = join(folder, "arguments");
      const spy = (name: string, path: string) => `printf '%s\\n' "${name} $*" >>'${log}'; exec ${path} "$@"`;
      const spied = programFolder({
        scripts: {
          curl: spy("curl", programPath("curl")),
          jq: spy("jq", programPath("jq")),
          openssl: spy("openssl", programPath("openssl")),
        },
      });
      await inScene(async ({ lookAtApi }) => {
        const environment = {
          GOOGLE_OAUTH_ACCESS_TOKEN: undefined,
          GOOGLE_CREDENTIALS: JSON.stringify(accountKey(url)),
          TMPDIR: folder,
        };
        expect((await lookAtApi({ environment, programs: spied })).exitCode).toBe(0);
      });
      const words = readFileSync(log, "utf8");
      expect(words).toContain("openssl dgst");
      expect(words).not.toMatch(/PRIVATE KEY|ya29|assertion/);
    }),
  );
});
