/**
 * Paths of the application for the rules of a load balancer. All are prefixes: the application is case-sensitive and
 * answers other spellings with 404, except for percent-encoding, which it decodes.
 */

/** The API: sign-in pages, the user interface, administration and outposts all use it. */
export const API_PATH = "/api/v3/";

/** Steps of sign-in, enrolment and recovery are requests to it; every submitted form is a POST. */
export const FLOW_EXECUTOR_PATH = `${API_PATH}flows/executor/`;

/**
 * Pages of the administration, and the parts of the API that change what the server runs: settings, blueprints, and the
 * expressions in policies and property mappings. Pages for users and outposts use none of them.
 */
export const ADMINISTRATION_PATHS = [
  "/if/admin/",
  `${API_PATH}admin/`,
  `${API_PATH}managed/`,
  `${API_PATH}policies/`,
  `${API_PATH}propertymappings/`,
] as const;

/**
 * Further parts of the API that take code: blueprints that are imported with flows, and expressions in the fields of
 * prompts. Sign-in itself uses other parts of the same folders.
 */
export const ADMINISTRATION_SUBPATHS = [
  `${API_PATH}flows/instances/import/`,
  `${API_PATH}stages/prompt/prompts/`,
] as const;

/** Endpoints that servers call, each from one address on behalf of many users. */
export const SERVER_TO_SERVER_PATHS = {
  /** Relying parties exchange a code or a refresh token at each sign-in. */
  token: "/application/o/token/",

  /** Relying parties ask for the user's claims at each sign-in, some at each request. */
  userinfo: "/application/o/userinfo/",

  /** For each request, resource servers ask whether a token is valid. */
  introspection: "/application/o/introspect/",

  /** For each request, reverse proxies ask whether the visitor is signed in. */
  forwardAuthentication: "/outpost.goauthentik.io/",

  /** Outposts and open administration pages keep a web socket, and all reconnect at once after a rollout. */
  webSockets: "/ws/",
} as const;

/**
 * Files and health checks. A cold page loads up to a hundred files, so they say nothing about the number of visitors; the
 * application serves them without its database.
 */
export const FILE_PATHS = ["/static/", "/files/", "/media/", "/-/health/"] as const;

/** SAML messages that relying parties send: XML, compressed or not, as base64. */
export const SAML_PROVIDER_PATH = "/application/saml/";

/** SAML messages of other identity providers, and their users, with names in any script. */
export const SAML_SOURCE_PATH = "/source/saml/";

/** Users and groups from another directory, with filters that look like SQL. */
export const SCIM_SOURCE_PATH = "/source/scim/";
