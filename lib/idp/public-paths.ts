/** The API, which is used by sign-in pages, the user interface, administration and outposts. */
const API = "/api/v3/";

/**
 * Paths of the application for the rules of a load balancer. All are prefixes. No other spellings are necessary: the
 * application is case-sensitive and answers them with 404. Only percent-encoding is decoded.
 */
export const PATHS = {
  api: API,
  /** Path of all steps of sign-in, enrolment and recovery; every submitted form is a POST. */
  flowExecutor: `${API}flows/executor/`,
  /**
   * Pages of the administration, and the parts of the API that change the code or configuration of the server:
   * settings, blueprints, and the expressions in policies and property mappings. Pages for users and outposts use none
   * of them.
   */
  administration: ["/if/admin/", `${API}admin/`, `${API}managed/`, `${API}policies/`, `${API}propertymappings/`],
  /**
   * Further parts of the API that accept code: blueprints that are imported with flows, and expressions in the fields
   * of prompts. Listed separately, because sign-in uses other paths with the same beginning.
   */
  administrationCode: [`${API}flows/instances/import/`, `${API}stages/prompt/prompts/`],
  /** Endpoints that are called by servers; each server acts for many users from one address. */
  serverToServer: [
    // Relying parties exchange a code or a refresh token at each sign-in.
    "/application/o/token/",
    // Relying parties request the user's claims at each sign-in, and some at each request.
    "/application/o/userinfo/",
    // Resource servers check a token for each request.
    "/application/o/introspect/",
    // Reverse proxies check the visitor's session for each request.
    "/outpost.goauthentik.io/",
    // Outposts and open administration pages keep a web socket open, and all of them reconnect at once after a rollout.
    "/ws/",
  ],
  /**
   * Files and health checks. Requests for files do not indicate the number of visitors, because a page without cached
   * files loads up to a hundred of them. The application serves them without its database.
   */
  files: ["/static/", "/files/", "/media/", "/-/health/"],
  /** SAML messages that relying parties send: XML, compressed or not, as base64. */
  samlProvider: "/application/saml/",
  /** SAML messages of other identity providers, and users from there, with names in any script. */
  samlSource: "/source/saml/",
  /** Users and groups from another directory, with filters that look like SQL. */
  scimSource: "/source/scim/",
} as const;
