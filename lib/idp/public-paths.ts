/** The API: sign-in pages, the user interface, administration and outposts all use it. */
const API = "/api/v3/";

/**
 * Paths of the application for the rules of a load balancer. All are prefixes: the application is case-sensitive and
 * answers other spellings with 404, except for percent-encoding, which it decodes.
 */
export const PATHS = {
  api: API,
  /** Steps of sign-in, enrolment and recovery are requests to it; every submitted form is a POST. */
  flowExecutor: `${API}flows/executor/`,
  /**
   * Pages of the administration, and the parts of the API that change what the server runs: settings, blueprints, and
   * the expressions in policies and property mappings. Pages for users and outposts use none of them.
   */
  administration: ["/if/admin/", `${API}admin/`, `${API}managed/`, `${API}policies/`, `${API}propertymappings/`],
  /**
   * Further parts of the API that take code: blueprints that are imported with flows, and expressions in the fields of
   * prompts. Sign-in itself uses other parts of the same folders.
   */
  administrationCode: [`${API}flows/instances/import/`, `${API}stages/prompt/prompts/`],
  /** Endpoints that servers call, each from one address on behalf of many users. */
  serverToServer: [
    // Relying parties exchange a code or a refresh token at each sign-in.
    "/application/o/token/",
    // Relying parties ask for the user's claims at each sign-in, some at each request.
    "/application/o/userinfo/",
    // For each request, resource servers ask whether a token is valid.
    "/application/o/introspect/",
    // For each request, reverse proxies ask whether the visitor is signed in.
    "/outpost.goauthentik.io/",
    // Outposts and open administration pages keep a web socket, and all reconnect at once after a rollout.
    "/ws/",
  ],
  /**
   * Files and health checks. A cold page loads up to a hundred files, so they say nothing about the number of visitors;
   * the application serves them without its database.
   */
  files: ["/static/", "/files/", "/media/", "/-/health/"],
  /** SAML messages that relying parties send: XML, compressed or not, as base64. */
  samlProvider: "/application/saml/",
  /** SAML messages of other identity providers, and their users, with names in any script. */
  samlSource: "/source/saml/",
  /** Users and groups from another directory, with filters that look like SQL. */
  scimSource: "/source/scim/",
} as const;
