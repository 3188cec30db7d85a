import { createVerify, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

import { programFolder, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { LoopbackServer } from "../../support/loopback-server";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { inScene } from "./rest-scene";

interface TokenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly form: Readonly<Record<string, string>>;
}

/** Token services on loopback, which give the answers of a test by path. */
async function withTokenServices(
  answers: Readonly<Record<string, object>>,
  test: (services: { readonly url: string; readonly requests: readonly TokenRequest[] }) => Promise<void>,
): Promise<void> {
  const requests: TokenRequest[] = [];
  const server = new LoopbackServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      requests.push({ headers: request.headers, body, form: Object.fromEntries(new URLSearchParams(body)) });
      const answer = answers[request.url ?? ""] ?? { error: "not_found" };
      response.writeHead("error" in answer ? 400 : 200).end(JSON.stringify(answer));
    });
  });
  await server.start();
  try {
    await test({ url: `http://${server.host}`, requests });
  } finally {
    await server.stop();
  }
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

const ODD_SECRET = String.raw`a"b\c$d e&f=g%`;

const accountKey = (url: string) => ({
  type: "service_account",
  client_email: "deployer@demo-project.iam.gserviceaccount.com",
  private_key_id: "0a1b",
  private_key: privateKey.export({ format: "pem", type: "pkcs8" }),
  token_uri: `${url}/token`,
});

const workload = (url: string, source: object) => ({
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pipelines/providers/repository",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: `${url}/sts`,
  service_account_impersonation_url: `${url}/impersonate`,
  credential_source: source,
});

const decoded = (part = ""): unknown => JSON.parse(Buffer.from(part, "base64url").toString());

describeWith(["curl", "jq", "dash", "busybox", "openssl"], "Credentials of a pipeline, without gcloud", () => {
  const look = (environment: Readonly<Record<string, string>>, options: ScriptOptions = {}) =>
    inScene(async ({ lookAtApi, tokensUsed }) => {
      const programs = programFolder({ scripts: { openssl: `exec ${programPath("openssl")} "$@"` } });
      const withoutToken = { GOOGLE_OAUTH_ACCESS_TOKEN: undefined, ...environment };
      const run = await lookAtApi({ programs, ...options, environment: withoutToken });
      return { run, tokens: tokensUsed() };
    });

  it.concurrent("sign for a service account with its key, and leave no secret in a file or an argument", () =>
    withTokenServices({ "/token": { access_token: "ya29.first", expires_in: 3599 } }, async ({ requests, url }) => {
      const folder = temporaryFolder();
      const log = join(folder, "arguments");
      const spied = (name: "curl" | "jq" | "openssl") => ({
        [name]: `printf '%s\\n' "${name} $*" >>'${log}'; exec ${programPath(name)} "$@"`,
      });
      const programs = programFolder({ scripts: { ...spied("curl"), ...spied("jq"), ...spied("openssl") } });
      const credentials = { GOOGLE_CREDENTIALS: JSON.stringify(accountKey(url)), TMPDIR: folder };

      const { run, tokens } = await look(credentials, { programs, shell: "busybox" });

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(tokens).toEqual(["Bearer ya29.first"]);
      const { assertion = "" } = requests[0]?.form ?? {};
      const [header, claim, signature = ""] = assertion.split(".");
      expect(decoded(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "0a1b" });
      const claims = decoded(claim) as Readonly<Record<"exp" | "iat", number>>;
      expect(claims).toMatchObject({ iss: accountKey(url).client_email, scope: SCOPE, aud: `${url}/token` });
      expect(claims.exp - claims.iat).toBe(3600);
      const verified = createVerify("RSA-SHA256").update(`${header ?? ""}.${claim ?? ""}`);
      expect(verified.verify(publicKey, signature, "base64url")).toBe(true);
      const words = readFileSync(log, "utf8");
      expect(words).toContain("openssl dgst");
      expect(words).not.toMatch(/PRIVATE KEY|ya29|assertion/);
    }),
  );

  it.concurrent("come from the variables of the provider, as a text or a path, the first of them alone", () =>
    withTokenServices({ "/token": { access_token: "ya29.first", expires_in: 3599 } }, async ({ requests, url }) => {
      const file = join(temporaryFolder(), "key.json");
      writeFileSync(file, JSON.stringify(accountKey(url)));
      for (const name of ["GOOGLE_APPLICATION_CREDENTIALS", "GCLOUD_KEYFILE_JSON", "GOOGLE_CLOUD_KEYFILE_JSON"])
        expect((await look({ [name]: file })).tokens).toEqual(["Bearer ya29.first"]);

      const { run } = await look({ GOOGLE_CREDENTIALS: "{}", GOOGLE_APPLICATION_CREDENTIALS: file });

      expect(run.exitCode).toBe(1);
      expect(requests).toHaveLength(3);
    }),
  );

  it.concurrent.each(["file", "url"] as const)("exchange the token of a pipeline from a %s", (kind) =>
    withTokenServices(
      {
        "/oidc?audience=a%2Fb": { value: ODD_SECRET },
        "/sts": { access_token: "ya29.federated" },
        "/impersonate": { accessToken: "ya29.first" },
      },
      async ({ requests, url }) => {
        const file = join(temporaryFolder(), "token");
        writeFileSync(file, ODD_SECRET);
        const format = { type: "json", subject_token_field_name: "value" };
        const asked = { url: `${url}/oidc?audience=a%2Fb`, headers: { Authorization: "Bearer of-the-run" }, format };
        const source = kind === "url" ? asked : { file, format: { type: "text" } };

        const { run, tokens } = await look({ GOOGLE_CREDENTIALS: JSON.stringify(workload(url, source)) });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(tokens).toEqual(["Bearer ya29.first"]);
        const [exchange, impersonation] = requests.slice(kind === "url" ? 1 : 0);
        if (kind === "url") expect(requests[0]?.headers.authorization).toBe("Bearer of-the-run");
        const pool = expect.stringContaining("/workloadIdentityPools/") as string;
        expect(exchange?.form).toMatchObject({ audience: pool, scope: SCOPE, subject_token: ODD_SECRET });
        expect(impersonation?.headers.authorization).toBe("Bearer ya29.federated");
        expect(JSON.parse(impersonation?.body ?? "")).toEqual({ scope: [SCOPE] });
      },
    ),
  );

  it.concurrent("renew a user's token, and impersonate a service account with it", () =>
    withTokenServices(
      { "/token": { access_token: "ya29.user" }, "/impersonate": { accessToken: "ya29.first" } },
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
    ["of another type", () => ({ type: "gdch" }), 'its type is "gdch", not service_account'],
    ["without a usable key", (url) => ({ ...accountKey(url), private_key: "x" }), "its private_key cannot be used"],
    [
      "that would send secrets unprotected",
      (url) => ({ ...accountKey(url), token_uri: "http://a.example/token" }),
      'the address "http://a.example/token" does not begin with https://',
    ],
    ["that are refused", (url) => accountKey(url), "/token answered: Invalid JWT: the clock is wrong"],
  ])("end the script when they are %s", (_, credentials, why) =>
    withTokenServices(
      { "/token": { error: "invalid_grant", error_description: "Invalid JWT: the clock is wrong" } },
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
});
