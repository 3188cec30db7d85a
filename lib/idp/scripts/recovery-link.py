"""Runs as a job, in the application's own image, when somebody asks for it: makes a link that signs in as one user.

It puts the link into a version of a secret, which only its reader may read, waits until the link has ended, and
destroys the version.

  RECOVERY_USER               name of the user, given when the job is run
  RECOVERY_MINUTES            minutes for which the link is valid, 5 to 60
  RECOVERY_URL                address of the application, https://<host>
  RECOVERY_SECRET             the secret: projects/<project>/secrets/<name>
  RECOVERY_ENTRYPOINT         entrypoint of the image, which runs a command of the application
  DB_PROXY_QUIT_URL           receives a POST at the end, whatever the outcome; empty: no proxy to stop
  RECOVERY_API_URL            Secret Manager; otherwise only a loopback address, for tests
  RECOVERY_METADATA_URL       metadata server; otherwise only a loopback address, for tests
  RECOVERY_COMMAND_SECONDS    time limit of the application's command (240)
  RECOVERY_REQUEST_SECONDS    time limit of one request (10)
  RECOVERY_SECONDS_PER_MINUTE seconds of the pause for each of these minutes (60)

It prints lines of JSON, one of which an alert looks at, and never the link. A request that fails for a passing reason
is made four times. A version that nobody knows of, because an answer was lost, is destroyed with the others.

Exit codes: 0 the link was made and has ended - 1 failed - 2 settings are wrong
"""

import base64, http.client, json, os, re, signal, subprocess, sys, time
import urllib.error, urllib.parse, urllib.request

# Of the answers here; a list of versions has some kilobytes.
MOST_BYTES = 1_000_000
MOST_PAGES = 100
# The line of the command with it: a path, or in full.
LINK = r"^(?:https?://[^/\s]+)?(/(?:[!-~]*/)?recovery/use-token/[A-Za-z0-9_-]+/)$"
# Whoever may run the job with other variables must not get the link by an address of theirs.
LOOPBACK = r"http://127\.0\.0\.1:[0-9]+"
AGAIN_SECONDS = (1, 2, 4)
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Failure(Exception):
    """Ends the run, in words for the log; they never hold an answer that may have a link or a token in it."""


class Stopped(Exception):
    """Raised by a signal: the platform ends the job."""


def setting(name, pattern, fallback=None):
    value = os.environ.get(name) or fallback or ""
    if not re.fullmatch(pattern, value):
        say("ERROR", f"no recovery link made: {name} is not set, or no such setting")
        sys.exit(2)
    return value


def say(severity, message, **members):
    print(json.dumps({"severity": severity, "message": message, **members}, separators=(",", ":")), flush=True)


def user_name():
    """Name of the user. No option of a command, and nothing that a shell or a log would read otherwise."""
    name = os.environ.get("RECOVERY_USER", "")
    if not re.fullmatch(r"[A-Za-z0-9_.@+][A-Za-z0-9_.@+-]{0,149}", name):
        say(
            "ERROR",
            "no recovery link made: RECOVERY_USER must be the name of a user, at most 150 letters, digits and _.@+-, "
            "and not begin with a hyphen; it is given when the job is run, see the output recovery_command",
        )
        sys.exit(2)
    return name


NUMBER = r"[0-9]+([.][0-9]+)?"


class SecretVersions:
    """Versions of one secret, by Secret Manager's REST API and a token of the metadata server."""

    def __init__(self):
        self.secret = setting("RECOVERY_SECRET", r"projects/[^/\s]+/secrets/[A-Za-z0-9_-]+")
        google = r"https://secretmanager\.googleapis\.com"
        self.api = setting("RECOVERY_API_URL", f"{google}|{LOOPBACK}", "https://secretmanager.googleapis.com")
        metadata = "http://metadata.google.internal"
        self.metadata = setting("RECOVERY_METADATA_URL", f"{re.escape(metadata)}|{LOOPBACK}", metadata)
        self.seconds = float(setting("RECOVERY_REQUEST_SECONDS", NUMBER, "10"))
        # A proxy of the environment would get the link.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def add(self, text):
        """Number of the new version."""
        payload = {"data": base64.b64encode(text.encode()).decode()}
        answer = self.call(f"{self.secret}:addVersion", {"payload": payload})
        return number_of(answer.get("name"))

    def destroy(self, up_to=None):
        """Destroys every version, or those up to a number: a later one belongs to a later run."""
        for version in self.all():
            number = number_of(version.get("name"))
            if version.get("state") != "DESTROYED" and (up_to is None or number <= up_to):
                self.call(f"{self.secret}/versions/{number}:destroy", {})

    def all(self):
        page = ""
        for _ in range(MOST_PAGES):
            query = urllib.parse.urlencode({"pageSize": 1000, "pageToken": page})
            answer = self.call(f"{self.secret}/versions?{query}")
            yield from answer.get("versions", [])
            page = answer.get("nextPageToken", "")
            if not page:
                return
        raise Failure("Secret Manager lists versions without an end")

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token()}", "Content-Type": "application/json"}
        return self.request("Secret Manager", urllib.request.Request(f"{self.api}/v1/{path}", data, headers))

    def token(self):
        """Asked for each time: one may end before the link does, and the metadata server keeps it anyway."""
        path = "/computeMetadata/v1/instance/service-accounts/default/token"
        request = urllib.request.Request(f"{self.metadata}{path}", headers={"Metadata-Flavor": "Google"})
        token = self.request("the metadata server", request).get("access_token")
        if not isinstance(token, str):
            raise Failure("the metadata server gives no token")
        return token

    def request(self, server, request):
        for seconds in (*AGAIN_SECONDS, None):
            try:
                with self.opener.open(request, timeout=self.seconds) as answer:
                    parsed = json.loads(answer.read(MOST_BYTES))
                if not isinstance(parsed, dict):
                    raise ValueError
                return parsed
            except urllib.error.HTTPError as error:
                error.close()
                problem = f"{server} answers {error.code}"
                passes = error.code in (408, 429) or error.code >= 500
            except ValueError:
                problem, passes = f"{server} gives an answer that is no object", False
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                problem, passes = f"no answer of {server}: {type(reason).__name__}", True
            if seconds is None or not passes:
                raise Failure(problem) from None
            time.sleep(seconds)


def number_of(name):
    number = re.fullmatch(r"projects/[^/]+/secrets/[^/]+/versions/([0-9]+)", str(name))
    if number is None:
        raise Failure("Secret Manager gives a version without a number")
    return int(number[1])


def made_link(entrypoint, url, user, minutes, seconds):
    """A link that the application has made. Without such a user, its command says so on standard error and succeeds."""
    # What the application notes as the maker; an account of the image may have no name.
    environment = {**os.environ, "LOGNAME": "recovery-link-job"}
    try:
        process = subprocess.Popen(
            [entrypoint, "create_recovery_key", minutes, user],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A group of its own, which ends with it.
            start_new_session=True,
        )
    except OSError as error:
        raise Failure(f"the entrypoint of the image cannot be started: {type(error).__name__}") from None
    try:
        output, errors = (text.decode("utf-8", "replace") for text in process.communicate(timeout=seconds))
    except subprocess.TimeoutExpired:
        raise Failure(f"the application's command takes more than {seconds:g} s; does the database answer?") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    link = re.search(LINK, output, re.M)
    if process.returncode == 0 and link:
        return url + link[1]
    if f"User '{user}' not found" in errors:
        raise Failure(f"there is no user {user}; give the user name, not the name that is displayed or an address")
    # Of the error only its last line, and no key.
    lines = [line for line in errors.splitlines() if line.strip()]
    last = re.sub(r"use-token/\S*", "use-token/…", re.sub(r"[^\x20-\x7e]+", " ", lines[-1] if lines else "nothing"))
    raise Failure(f"the application's command ends with {process.returncode} and without a link: {last[:200]}")


def quit_proxy():
    url = os.environ.get("DB_PROXY_QUIT_URL", "")
    if url:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, b"", timeout=4).close()
        except (OSError, http.client.HTTPException, ValueError):
            pass


def run():
    user = user_name()
    minutes = setting("RECOVERY_MINUTES", "[5-9]|[1-5][0-9]|60")
    url = setting("RECOVERY_URL", r"https?://[^/\s]+/?").rstrip("/")
    entrypoint = setting("RECOVERY_ENTRYPOINT", r"/\S+")
    limit = float(setting("RECOVERY_COMMAND_SECONDS", NUMBER, "240"))
    pause = int(minutes) * float(setting("RECOVERY_SECONDS_PER_MINUTE", NUMBER, "60"))
    versions = SecretVersions()
    # Also proves, before there is a link, that the secret can be reached.
    versions.destroy()
    link = made_link(entrypoint, url, user, minutes, limit)
    say(
        "WARNING",
        f"recovery link made for {user}, valid for {minutes} minutes and once",
        recovery_link_made=True,
        user=user,
        minutes=int(minutes),
    )
    number = None
    try:
        number = versions.add(link)
        say("INFO", f"the link is version {number} of the secret; its reader runs the output recovery_link_command")
        time.sleep(pause)
    finally:
        # From here on nothing interrupts: seconds are left.
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        try:
            versions.destroy(number)
        except Failure as failure:
            raise Failure(f"{failure}; a version of the secret is left, with a link that ends by itself") from None
        say("INFO", "what the secret had is destroyed")


def main():
    def on_signal(*_):
        raise Stopped

    for each in SIGNALS:
        signal.signal(each, on_signal)
    try:
        run()
    except Failure as failure:
        say("ERROR", f"the recovery link has failed: {failure}")
        sys.exit(1)
    except Stopped:
        say("ERROR", "the recovery link has failed: the job was stopped before its end")
        sys.exit(1)
    finally:
        quit_proxy()


if __name__ == "__main__":
    if sys.argv[1:] == ["--help"]:
        print(__doc__.strip())
    elif sys.argv[1:]:
        print(f'"{sys.argv[1]}" is not an option; there is --help.', file=sys.stderr)
        sys.exit(2)
    else:
        main()
