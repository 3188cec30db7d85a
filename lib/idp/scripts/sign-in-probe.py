"""Runs as a job, in the application's own image: signs in as a user without any right, as a browser does, and prints
one line of JSON, on which the alerts look. What fails or is slow is tried a second time, because an upgrade passes.

  IDP_URL                          address of the application, https://<host>
  SIGN_IN_PROBE_USERNAME           name of the user, whom the blueprint sign-in-probe makes
  SIGN_IN_PROBE_PASSWORD           password of that user
  SIGN_IN_PROBE_FLOW               slug of the flow to go through
  SIGN_IN_PROBE_ENDS_AT            session, or second-factor, which ends it there and counts as success
  SIGN_IN_PROBE_SLOW_SECONDS       seconds beyond which a sign-in is slow
  SIGN_IN_PROBE_CLIENT_ID          client for which a token is asked for (empty: none)
  SIGN_IN_PROBE_REDIRECT_URI       where that client takes its users back; it is never called
  SIGN_IN_PROBE_REQUEST_SECONDS    time limit of one request (15)
  SIGN_IN_PROBE_ATTEMPT_SECONDS    time limit of one attempt (60)
  SIGN_IN_PROBE_AGAIN_SECONDS      pause before the second attempt (60)

No single request is repeated: a password that was sent twice would be two sign-ins. A second attempt begins anew.

Exit codes: 0 the line says how it went - 1 it cannot say - 2 settings are wrong
"""

import base64, hashlib, http.client, http.cookiejar, json, os, re, secrets, signal, socket, ssl, sys, time
import urllib.error, urllib.parse, urllib.request

# Of one flow, or of one chain of redirects; more go round in a circle.
MOST_STEPS = 20
# Of an answer; a page of the application has some kilobytes.
MOST_BYTES = 1_000_000
IDENTIFICATION = "ak-stage-identification"
PASSWORD = "ak-stage-password"
REDIRECT = "xak-flow-redirect"
SECOND_FACTOR = "ak-stage-authenticator-"
# The application sets it on every answer of its own; a load balancer without a backend does not.
OWN_HEADER = "X-authentik-id"

# What each outcome means: nobody can sign in (failed), or the probe cannot say (blind), with words for the line.
OUTCOMES = {
    "signed_in": (None, "signed in"),
    "second_factor": (None, "came to the second factor, where it ends"),
    "token": (None, "signed in and got a token"),
    "unreachable": ("failed", "no connection"),
    "timeout": ("failed", "no answer in time"),
    "http_error": ("failed", "an answer with an error"),
    "no_flow": ("failed", "there is no such flow"),
    "application_error": ("failed", "the application reports an error of its own"),
    "unexpected_answer": ("failed", "an answer that is none of the application's"),
    "rejected": ("failed", "name or password is not accepted"),
    "denied": ("failed", "a policy or a stage denies the sign-in"),
    "endless": ("failed", "the flow comes to no end"),
    "no_session": ("failed", "the flow ends without a session"),
    "no_second_factor": ("failed", "signed in without a second factor"),
    "no_code": ("failed", "the client gets no code"),
    "no_token": ("failed", "the client gets no token for its code"),
    "captcha": ("blind", "a captcha, which the probe cannot pass"),
    "second_factor_asked": ("blind", "a second factor, which the probe does not have"),
    "unknown_stage": ("blind", "a stage that the probe cannot pass"),
}


class End(Exception):
    """Ends an attempt. Details go to the log, so they never hold what was sent."""

    def __init__(self, outcome, detail=""):
        super().__init__(outcome)
        self.outcome = outcome
        self.detail = re.sub(r"[^\x20-\x7e]+", " ", str(detail))[:200]


class TimeLimit(Exception):
    """Raised by the alarm, wherever the process waits: also for a name, or for an answer that trickles."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def setting(name, fallback=None, pattern=".+"):
    value = os.environ.get(name) or fallback
    if value is None or not re.fullmatch(pattern, value, re.S):
        print(f"{name} is not set, or no such setting", file=sys.stderr)
        sys.exit(2)
    return value


NUMBER = r"[0-9]+([.][0-9]+)?"
URL = setting("IDP_URL", pattern=r"https?://[^/\s]+/?").rstrip("/")
USERNAME = setting("SIGN_IN_PROBE_USERNAME")
SECRET = setting("SIGN_IN_PROBE_PASSWORD")
FLOW = setting("SIGN_IN_PROBE_FLOW", pattern=r"[A-Za-z0-9_-]+")
ENDS_AT = setting("SIGN_IN_PROBE_ENDS_AT", pattern="session|second-factor")
SLOW_SECONDS = float(setting("SIGN_IN_PROBE_SLOW_SECONDS", pattern=NUMBER))
CLIENT_ID = os.environ.get("SIGN_IN_PROBE_CLIENT_ID", "")
REDIRECT_URI = setting("SIGN_IN_PROBE_REDIRECT_URI") if CLIENT_ID else ""
REQUEST_SECONDS = float(setting("SIGN_IN_PROBE_REQUEST_SECONDS", "15", NUMBER))
ATTEMPT_SECONDS = float(setting("SIGN_IN_PROBE_ATTEMPT_SECONDS", "60", NUMBER))
AGAIN_SECONDS = float(setting("SIGN_IN_PROBE_AGAIN_SECONDS", "60", NUMBER))
EMAIL = f"{USERNAME}@example.invalid"


class Browser:
    """Requests of one attempt: cookies in memory alone, one time limit for each request and one for all."""

    def __init__(self):
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            NoRedirect,
            # A proxy of the environment is none of a browser's.
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPSHandler(context=ssl.create_default_context()),
            urllib.request.HTTPCookieProcessor(self.cookies),
        )
        self.end = time.monotonic() + ATTEMPT_SECONDS
        self.steps = []
        self.may_be_signed_in = False
        self.begins("open")

    def begins(self, step):
        """Whatever follows belongs to this step, also if it fails."""
        self.steps.append({"step": step, "seconds": 0})

    def request(self, url, form=None, body=None):
        """Status, headers and text of an answer; a redirect is an answer."""
        headers = {"Accept": "application/json", "User-Agent": "sign-in-probe", "Referer": f"{URL}/"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        elif form is not None:
            data = urllib.parse.urlencode(form).encode()
        # Asked for once there is a session, as of a browser.
        for cookie in self.cookies:
            if cookie.name == "authentik_csrf":
                headers["X-authentik-CSRF"] = cookie.value
        begun = time.monotonic()
        seconds = min(REQUEST_SECONDS, self.end - begun)
        if seconds <= 0:
            raise End("timeout", f"the attempt takes more than {ATTEMPT_SECONDS:g} s")
        # Less would be no limit.
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
        try:
            try:
                answer = self.opener.open(urllib.request.Request(url, data, headers))
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                text = answer.read(MOST_BYTES).decode("utf-8", "replace")
            return answer.status, answer.headers, text
        except TimeLimit:
            raise End("timeout", f"no answer within {seconds:.1f} s") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise End("unreachable", getattr(error, "reason", error)) from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            step = self.steps[-1]
            step["seconds"] = round(step["seconds"] + time.monotonic() - begun, 3)

    def challenge(self, url, answer=None):
        """What the executor asks for next. It answers with a redirect to itself after an answer that it takes."""
        for _ in range(MOST_STEPS):
            status, headers, text = self.request(url, body=answer)
            if status in (301, 302, 303, 307, 308):
                url, answer = self.own(headers.get("Location"), url), None
                continue
            if status == 404 and OWN_HEADER in headers:
                # The slug is the last part of the path, which ends in a slash.
                raise End("no_flow", urllib.parse.urlsplit(url).path.split("/")[-2])
            if status != 200:
                raise End("http_error", status)
            try:
                challenge = json.loads(text)
                component = challenge["component"]
            except (ValueError, TypeError, KeyError):
                raise End("unexpected_answer", "no challenge of a flow") from None
            self.steps[-1]["component"] = component
            return url, challenge
        raise End("endless", "redirects")

    def own(self, location, base=f"{URL}/"):
        """The address of a redirect, which must be the application's: nothing of a sign-in goes elsewhere."""
        url = urllib.parse.urljoin(base, location or "")
        if urllib.parse.urlsplit(url)[:2] != urllib.parse.urlsplit(URL)[:2]:
            raise End("unexpected_answer", f"a redirect to {urllib.parse.urlsplit(url).netloc}")
        return url


def answer_to(challenge):
    """What a user would enter. Raises what a user could not pass either, or the probe cannot."""
    component = challenge["component"]
    if errors := challenge.get("response_errors"):
        raise End("rejected", "; ".join(str(each.get("string", "")) for field in errors.values() for each in field))
    if component == "ak-stage-captcha" or challenge.get("captcha_stage"):
        raise End("captcha")
    if component == IDENTIFICATION:
        fields = challenge.get("user_fields") or []
        if "username" not in fields and "email" not in fields:
            raise End("unknown_stage", "identification by neither name nor e-mail address")
        answer = {"component": component, "uid_field": USERNAME if "username" in fields else EMAIL}
        return {**answer, "password": SECRET} if challenge.get("password_fields") else answer
    if component == PASSWORD:
        return {"component": component, "password": SECRET}
    if component == "ak-stage-user-login":
        return {"component": component, "remember_me": False}
    if component == "ak-stage-consent":
        return {"component": component, "token": challenge.get("token", "")}
    if component == "ak-stage-access-denied":
        raise End("denied", challenge.get("error_message") or "")
    if component == "ak-stage-flow-error":
        raise End("application_error", challenge.get("request_id") or "")
    if component.startswith(SECOND_FACTOR):
        raise End("second_factor" if ENDS_AT == "second-factor" else "second_factor_asked", component)
    raise End("unknown_stage", component)


def through(browser, slug, query):
    """Goes through a flow, and returns where it leads in the end."""
    parameters = urllib.parse.urlencode({"query": query})
    url, challenge = browser.challenge(f"{URL}/api/v3/flows/executor/{slug}/?{parameters}")
    for _ in range(MOST_STEPS):
        component = challenge["component"]
        if component == REDIRECT:
            return challenge.get("to", "")
        answer = answer_to(challenge)
        browser.begins(component.removeprefix("ak-stage-"))
        url, challenge = browser.challenge(url, answer)
    raise End("endless", "stages")


def code_of(browser, verifier):
    """Code of the client, by the authorization endpoint and the flow to which that leads."""
    digest = hashlib.sha256(verifier.encode()).digest()
    state = secrets.token_urlsafe(16)
    query = {
        "response_type": "code",
        "client_id": CLIENT_ID,
        "redirect_uri": REDIRECT_URI,
        "scope": "openid",
        "state": state,
        "nonce": secrets.token_urlsafe(16),
        "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    location = f"{URL}/application/o/authorize/?{urllib.parse.urlencode(query)}"
    for _ in range(MOST_STEPS):
        if location.split("?")[0] == REDIRECT_URI.split("?")[0]:
            given = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
            if given.get("state") != state or "code" not in given:
                raise End("no_code", given.get("error", "no code"))
            return given["code"]
        parts = urllib.parse.urlsplit(browser.own(location))
        if page := re.fullmatch(r".*/if/flow/([^/]+)/", parts.path):
            location = through(browser, page[1], parts.query)
            continue
        status, headers, text = browser.request(parts.geturl())
        location = headers.get("Location")
        if status not in (301, 302, 303, 307, 308) or not location:
            # A page, for a browser: access is denied, or the client is wrong.
            title = re.search(r"<title>([^<]*)", text)
            raise End("no_code", f"{status} {title[1].strip() if title else ''}")
    raise End("endless", "redirects of the authorization")


def token_for(browser):
    verifier = secrets.token_urlsafe(48)
    browser.begins("authorize")
    code = code_of(browser, verifier)
    browser.begins("token")
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": REDIRECT_URI,
        "client_id": CLIENT_ID,
        "code_verifier": verifier,
    }
    status, _, text = browser.request(f"{URL}/application/o/token/", form=form)
    try:
        answer = json.loads(text)
    except ValueError:
        answer = {}
    if status != 200 or not isinstance(answer, dict) or "access_token" not in answer:
        error = answer.get("error", "") if isinstance(answer, dict) else ""
        raise End("no_token", f"{status} {error}")


def sign_in(browser):
    """Outcome of an attempt without a failure."""
    through(browser, FLOW, "")
    browser.may_be_signed_in = True
    if ENDS_AT == "second-factor":
        raise End("no_second_factor")
    browser.begins("session")
    status, _, text = browser.request(f"{URL}/api/v3/core/users/me/")
    # Denied without a session.
    if status in (401, 403):
        raise End("no_session")
    if status != 200 or USERNAME not in text:
        raise End("unexpected_answer" if status == 200 else "http_error", status)
    if not CLIENT_ID:
        return "signed_in"
    token_for(browser)
    return "token"


def sign_out(browser):
    """Ends the session, which would stay for long otherwise; it is no part of what is judged."""
    browser.begins("sign-out")
    try:
        _, headers, _ = browser.request(f"{URL}/flows/-/default/invalidation/")
        location = browser.own(headers.get("Location"))
        page = re.fullmatch(r".*/if/flow/([^/]+)/", urllib.parse.urlsplit(location).path)
        if page:
            through(browser, page[1], "")
    except End:
        pass


def attempt():
    browser = Browser()
    detail = ""
    try:
        outcome = sign_in(browser)
    except End as end:
        outcome, detail = end.outcome, end.detail
    steps = [dict(step) for step in browser.steps]
    failing = steps[-1]["step"] if OUTCOMES[outcome][0] else None
    seconds = round(sum(step["seconds"] for step in steps), 3)
    if browser.may_be_signed_in:
        sign_out(browser)
    kind, words = OUTCOMES[outcome]
    return {
        "outcome": outcome,
        "failed": kind == "failed",
        "blind": kind == "blind",
        "slow": kind is None and seconds > SLOW_SECONDS,
        "failing_step": failing,
        "detail": detail,
        "seconds": seconds,
        "slow_seconds": SLOW_SECONDS,
        "steps": steps,
        "words": words,
    }


def main():
    def on_alarm(*_):
        raise TimeLimit

    signal.signal(signal.SIGALRM, on_alarm)
    # At once, as the shell scripts of other jobs.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    told = attempt()
    attempts = 1
    if told["failed"] or told["blind"] or told["slow"]:
        time.sleep(AGAIN_SECONDS)
        told = attempt()
        attempts = 2
    words = told.pop("words")
    where = f" at {told['failing_step']}" if told["failing_step"] else ""
    slow = f", slowly: {told['seconds']:g} s" if told["slow"] else ""
    severity = "ERROR" if told["failed"] else "WARNING" if told["blind"] or told["slow"] else "INFO"
    line = {"severity": severity, "message": f"sign-in probe: {words}{where}{slow}", **told, "attempts": attempts}
    print(json.dumps(line, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--help"]:
        print(__doc__.strip())
    elif sys.argv[1:]:
        print(f'"{sys.argv[1]}" is not an option; there is --help.', file=sys.stderr)
        sys.exit(2)
    else:
        main()
