import { createHash, randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse } from "node:http";

import { LoopbackServer } from "../../support/loopback-server";

export const USERNAME = "sign-in-probe";
export const PASSWORD = "never-to-be-printed-1";
export const CLIENT_ID = "probe-client";
export const REDIRECT_URI = "https://app.example.com/callback";

/** A stage as the application shows it: its challenge, and what it does with an answer. */
export interface Stage {
  readonly component: string;
  readonly challenge?: object;
  /** Errors of an answer, by the names of its fields; none for one that it takes. */
  readonly errors?: (answer: Answer) => object | undefined;
}

type Answer = Readonly<Record<string, unknown>>;

const wrong = (field: string, words: string) => ({ [field]: [{ string: words, code: "invalid" }] });

export const IDENTIFICATION: Stage = {
  component: "ak-stage-identification",
  challenge: { user_fields: ["username", "email"], password_fields: false, captcha_stage: null },
  errors: ({ uid_field: name }) =>
    name === USERNAME ? undefined : wrong("non_field_errors", "Failed to authenticate."),
};
export const PASSWORD_STAGE: Stage = {
  component: "ak-stage-password",
  errors: ({ password }) => (password === PASSWORD ? undefined : wrong("password", "Invalid password")),
};

interface Session {
  flow?: { readonly slug: string; readonly left: Stage[] };
  isSignedIn: boolean;
  query: string;
  readonly csrf: string;
}

/**
 * The flow executor and the authorization server, as release 2026.5.0-rc1 of the application answers: an answer that is
 * taken leads to the executor again by a redirect, the end to another page, and a session checks for forgeries.
 */
export class ApplicationStandIn extends LoopbackServer {
  /** Stages of each flow, by its slug. */
  readonly flows: Record<string, readonly Stage[]> = {
    "default-authentication-flow": [IDENTIFICATION, PASSWORD_STAGE],
    "default-invalidation-flow": [],
    "implicit-consent": [],
  };
  /** Answers that take the place of the application's own, by the beginning of their path. */
  readonly others = new Map<string, (response: ServerResponse) => void>();
  readonly requests: string[] = [];
  /** Flow of the client. */
  authorization = "implicit-consent";
  isPublic = true;
  private readonly sessions = new Map<string, Session>();
  private readonly codes = new Map<string, string>();

  constructor() {
    super((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => this.answer(request, response, Buffer.concat(chunks).toString()));
    });
  }

  get url(): string {
    return `http://${this.host}`;
  }

  get signedIn(): number {
    return [...this.sessions.values()].filter(({ isSignedIn }) => isSignedIn).length;
  }

  private answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const url = new URL(request.url ?? "", this.url);
    this.requests.push(`${request.method} ${url.pathname}`);
    const other = [...this.others].find(([path]) => url.pathname.startsWith(path));
    if (other !== undefined) {
      other[1](response);
      return;
    }
    response.setHeader("X-authentik-id", randomUUID());
    const session = this.sessionOf(request, response);
    const [, slug] = /^\/api\/v3\/flows\/executor\/([^/]+)\/$/.exec(url.pathname) ?? [];
    if (slug !== undefined) this.execute(slug, url, session, request, response, body);
    else if (url.pathname === "/api/v3/core/users/me/")
      json(response, session.isSignedIn ? { user: { username: USERNAME } } : {}, session.isSignedIn ? 200 : 403);
    else if (url.pathname === "/application/o/authorize/") this.authorize(url, session, response);
    else if (url.pathname === "/application/o/token/") this.token(new URLSearchParams(body), response);
    else if (url.pathname === "/flows/-/default/invalidation/")
      redirect(response, "/if/flow/default-invalidation-flow/");
    else json(response, {}, 404);
  }

  private sessionOf(request: IncomingMessage, response: ServerResponse): Session {
    const [, given] = /authentik_session=([^;]+)/.exec(request.headers.cookie ?? "") ?? [];
    const id = given !== undefined && this.sessions.has(given) ? given : randomUUID();
    const session = this.sessions.get(id) ?? { isSignedIn: false, query: "", csrf: randomUUID() };
    this.sessions.set(id, session);
    response.setHeader("Set-Cookie", [
      `authentik_session=${id}; HttpOnly; Path=/; SameSite=Lax`,
      ...(session.isSignedIn ? [`authentik_csrf=${session.csrf}; Path=/; SameSite=Lax`] : []),
    ]);
    return session;
  }

  private execute(
    slug: string,
    url: URL,
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): void {
    const stages = this.flows[slug];
    if (stages === undefined) {
      page(response, 404, "Not Found - authentik");
      return;
    }
    if (session.flow?.slug !== slug) {
      session.flow = { slug, left: [...stages] };
      session.query = url.searchParams.get("query") ?? "";
    }
    const [stage] = session.flow.left;
    if (stage === undefined) {
      this.done(session, response);
      return;
    }
    if (request.method === "GET") {
      json(response, { ...stage.challenge, component: stage.component });
      return;
    }
    if (session.isSignedIn && request.headers["x-authentik-csrf"] !== session.csrf) {
      json(response, { detail: "CSRF Failed" }, 403);
      return;
    }
    const errors = stage.errors?.(JSON.parse(body) as Answer);
    if (errors !== undefined) {
      json(response, { ...stage.challenge, component: stage.component, response_errors: errors });
      return;
    }
    session.flow.left.shift();
    if (session.flow.left.length === 0) {
      this.done(session, response);
      return;
    }
    redirect(response, url.pathname + url.search);
  }

  private done(session: Session, response: ServerResponse): void {
    const slug = session.flow?.slug;
    delete session.flow;
    if (slug === "default-invalidation-flow") session.isSignedIn = false;
    const isAuthorization = slug === this.authorization;
    if (slug?.endsWith("authentication-flow")) session.isSignedIn = true;
    json(response, { component: "xak-flow-redirect", to: isAuthorization ? this.callback(session.query) : "/" });
  }

  private authorize(url: URL, session: Session, response: ServerResponse): void {
    const { searchParams: query } = url;
    if (query.get("client_id") !== CLIENT_ID || query.get("redirect_uri") !== REDIRECT_URI) {
      page(response, 400, "authentik");
      return;
    }
    if (!session.isSignedIn) {
      redirect(response, "/if/flow/default-authentication-flow/");
      return;
    }
    redirect(response, `/if/flow/${this.authorization}/${url.search}`);
  }

  private callback(query: string): string {
    const given = new URLSearchParams(query);
    const code = randomUUID();
    this.codes.set(code, given.get("code_challenge") ?? "");
    return `${REDIRECT_URI}?code=${code}&state=${given.get("state")}`;
  }

  private token(form: URLSearchParams, response: ServerResponse): void {
    const digest = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!this.isPublic) {
      json(response, { error: "invalid_client" }, 400);
      return;
    }
    if (this.codes.get(form.get("code") ?? "") !== digest) {
      json(response, { error: "invalid_grant" }, 400);
      return;
    }
    json(response, { access_token: "never-to-be-printed-2", token_type: "Bearer" });
  }
}

export function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end();
}

export function page(response: ServerResponse, status: number, title: string): void {
  response.writeHead(status, { "Content-Type": "text/html" }).end(`<title>\n ${title}\n</title>`);
}
