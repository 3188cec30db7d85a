import { createVerify, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { FaultMatrix, type FaultRow, page } from "../../support/fault-matrix";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { inScene, type RestScene } from "./rest-scene";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN = { "/token": { access_token: "ya29.first", expires_in: 3599 } };
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
  const OPENSSL = { openssl: `exec ${programPath("openssl")} "$@"` };

  const look = (
    { lookAtApi }: RestScene,
    credentials: Readonly<Record<string, string>>,
    options: ScriptOptions = {},
  ) => {
    const environment = { GOOGLE_OAUTH_ACCESS_TOKEN: undefined, ...credentials };
    return lookAtApi({ programs: programFolder({ scripts: OPENSSL }), ...options, environment });
  };

  /** A scene in which token services give these answers by path. */
  const withTokenServices = (
    tokens: GoogleStandIn["tokenServices"],
    test: (scene: RestScene, url: string) => Promise<void>,
  ) =>
    inScene(async (scene) => {
      scene.standIn.tokenServices = tokens;
      await test(scene, `http://${scene.standIn.host}`);
    });

  // Before release 5.1, bash keeps here-documents in files.
  it.concurrent.each([
    ["busybox", {}],
    ["bash", { BASH_COMPAT: "5.0" }],
  ] as const)(
    "sign for a service account with its key, and leave no secret in a file or an argument (%s)",
    (shell, compatible) =>
      withTokenServices(TOKEN, async (scene, url) => {
        const folder = temporaryFolder();
        const log = join(folder, "arguments");
        const spied = (name: "curl" | "jq" | "openssl") => ({
          [name]: `{ printf '%s\\n' "${name} $*"; ${programPath("ls")} -l /proc/$$/fd; } >>'${log}'; exec ${programPath(name)} "$@"`,
        });
        const programs = programFolder({ scripts: { ...spied("curl"), ...spied("jq"), ...spied("openssl") } });
        const credentials = { GOOGLE_CREDENTIALS: JSON.stringify(accountKey(url)), TMPDIR: folder, ...compatible };

        const run = await look(scene, credentials, { programs, shell });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(scene.tokensUsed()).toEqual(["Bearer ya29.first"]);
        const { assertion } = scene.standIn.requestsTo("token")[0]?.body ?? {};
        const [header, claim, signature = ""] = String(assertion).split(".");
        expect(decoded(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "0a1b" });
        const claims = decoded(claim) as Readonly<Record<"exp" | "iat", number>>;
        expect(claims).toMatchObject({ iss: accountKey(url).client_email, scope: SCOPE, aud: `${url}/token` });
        expect(claims.exp - claims.iat).toBe(3600);
        const verified = createVerify("RSA-SHA256").update(`${header ?? ""}.${claim ?? ""}`);
        expect(verified.verify(publicKey, signature, "base64url")).toBe(true);
        const words = readFileSync(log, "utf8");
        expect(words).toContain("openssl dgst");
        expect(words).not.toMatch(/PRIVATE KEY|ya29|assertion|\(deleted\)/);
      }),
  );

  it.concurrent("come from the variables of the provider, as a text or a path, the first of them alone", () =>
    withTokenServices(TOKEN, async (scene, url) => {
      const file = join(temporaryFolder(), "key.json");
      writeFileSync(file, JSON.stringify(accountKey(url)));
      for (const name of ["GOOGLE_APPLICATION_CREDENTIALS", "GCLOUD_KEYFILE_JSON", "GOOGLE_CLOUD_KEYFILE_JSON"])
        await look(scene, { [name]: file });
      expect(scene.tokensUsed()).toEqual(Array(3).fill("Bearer ya29.first"));

      const run = await look(scene, { GOOGLE_CREDENTIALS: "{}", GOOGLE_APPLICATION_CREDENTIALS: file });

      expect(run.exitCode).toBe(1);
      expect(scene.standIn.requestsTo("token")).toHaveLength(3);
    }),
  );

  it.concurrent.each([
    ["file", "dash"],
    ["url", "busybox"],
  ] as const)("exchange the token of a pipeline from a %s (%s)", (kind, shell) =>
    withTokenServices(
      {
        "/oidc?audience=a%2Fb": { value: ODD_SECRET },
        "/sts": { access_token: "ya29.federated" },
        "/impersonate": { accessToken: "ya29.first" },
      },
      async (scene, url) => {
        const file = join(temporaryFolder(), "token");
        writeFileSync(file, ODD_SECRET);
        const format = { type: "json", subject_token_field_name: "value" };
        const asked = { url: `${url}/oidc?audience=a%2Fb`, headers: { Authorization: "Bearer of-the-run" }, format };
        const source = kind === "url" ? asked : { file, format: { type: "text" } };

        const run = await look(scene, { GOOGLE_CREDENTIALS: JSON.stringify(workload(url, source)) }, { shell });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(scene.tokensUsed()).toEqual(["Bearer ya29.first"]);
        const [oidc, exchange, impersonation] = ["oidc", "sts", "impersonate"].map(
          (service) => scene.standIn.requestsTo(service)[0],
        );
        expect(oidc?.headers.authorization).toBe(kind === "url" ? "Bearer of-the-run" : undefined);
        const pool = expect.stringContaining("/workloadIdentityPools/") as string;
        expect(exchange?.body).toMatchObject({ audience: pool, scope: SCOPE, subject_token: ODD_SECRET });
        expect(impersonation?.headers.authorization).toBe("Bearer ya29.federated");
        expect(impersonation?.body).toEqual({ scope: [SCOPE] });
      },
    ),
  );

  it.concurrent("renew a user's token, and impersonate a service account with it", () =>
    withTokenServices(
      { "/token": { access_token: "ya29.user" }, "/impersonate": { accessToken: "ya29.first" } },
      async (scene, url) => {
        const user = { client_id: "id", client_secret: ODD_SECRET, refresh_token: "1//a", token_uri: `${url}/token` };
        const credentials = {
          type: "impersonated_service_account",
          service_account_impersonation_url: `${url}/impersonate`,
          source_credentials: { type: "authorized_user", ...user },
        };

        await look(scene, { GOOGLE_CREDENTIALS: JSON.stringify(credentials) });

        expect(scene.tokensUsed()).toEqual(["Bearer ya29.first"]);
        const [renewal, impersonation] = scene.standIn.requests;
        expect(renewal?.body).toMatchObject({ grant_type: "refresh_token", client_secret: ODD_SECRET });
        expect(impersonation?.headers.authorization).toBe("Bearer ya29.user");
      },
    ),
  );

  const ACCOUNT = "deployer@demo-project.iam.gserviceaccount.com";
  const IMPERSONATION = `/projects/-/serviceAccounts/${ACCOUNT}:generateAccessToken`;

  it.concurrent("act as the account that the provider acts as, whoever has signed in", () =>
    withTokenServices({ [IMPERSONATION]: { accessToken: "ya29.first" } }, async (scene, url) => {
      const run = await look(scene, {
        GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.person",
        GOOGLE_IMPERSONATE_SERVICE_ACCOUNT: ACCOUNT,
        GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT: `${url}/`,
      });

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(scene.tokensUsed()).toEqual(["Bearer ya29.first"]);
      expect(scene.standIn.requests[0]?.headers.authorization).toBe("Bearer ya29.person");
    }),
  );

  it.concurrent("end the script when who has signed in may not act as that account", () =>
    withTokenServices({ [IMPERSONATION]: { error: { message: "Permission denied" } } }, async (scene, url) => {
      const run = await look(scene, {
        GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.person",
        GOOGLE_IMPERSONATE_SERVICE_ACCOUNT: ACCOUNT,
        GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT: `${url}/`,
      });

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("roles/iam.serviceAccountTokenCreator");
      expect(run.stderr).not.toContain("ya29.");
      expect(scene.tokensUsed()).toEqual([]);
    }),
  );

  /** Credentials that end the script. */
  const refused = (
    what: string,
    credentials: (url: string) => object,
    says: string,
    answers: FaultRow<RestScene>["answers"] = [],
  ): FaultRow<RestScene> => ({
    what: `end the script when ${what}`,
    at: "token",
    answers,
    lasts: true,
    exitCode: 1,
    options: ({ host }) => ({
      environment: { GOOGLE_CREDENTIALS: JSON.stringify(credentials(`http://${host}`)) },
    }),
    says: [
      /^The credentials in GOOGLE_CREDENTIALS give no access token: /,
      says,
      "\n  To fix: correct or unset GOOGLE_CREDENTIALS;",
    ],
    left: ({ tokensUsed }) => expect(tokensUsed()).toEqual([]),
  });
  const why = JSON.stringify({ error: "invalid_grant", error_description: "Invalid JWT: the clock is wrong" });

  new FaultMatrix<RestScene>({
    inScene: (test) => withTokenServices(TOKEN, test),
    run: (scene, { environment, ...options }) => look(scene, { ...environment } as Record<string, string>, options),
    settled: ({ tokensUsed }) => expect(tokensUsed()).toEqual(["Bearer ya29.first"]),
    secrets: ["ya29.", "PRIVATE KEY"],
  }).rows([
    refused("they are of another type", () => ({ type: "gdch" }), 'its type is "gdch", not service_account'),
    refused("their key cannot be used", (url) => ({ ...accountKey(url), private_key: "x" }), "its private_key cannot"),
    refused(
      "they would send secrets unprotected",
      (url) => ({ ...accountKey(url), token_uri: "http://a.example/token" }),
      'the address "http://a.example/token" does not begin with https://',
    ),
    refused("they are refused", accountKey, "/token gave none: Invalid JWT: the clock is wrong", [page(400, why)]),
    refused("a portal answers", accountKey, "/token gave none: its answer has no token; a proxy", [
      page(200, "<p>Welcome to the hotel</p>"),
    ]),
    refused("the connection is cut", accountKey, "/token gave none: curl: (", [{ kind: "reset" }]),
  ]);
});
