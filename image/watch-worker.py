"""Ends a worker beside a server when its launcher runs and its application is frozen.

Arguments: process id of the worker, its port, and that of the server. The worker is the parent of this process, which
ends with it: once a worker has ended, its number may be that of another process.
"""

import os, signal, socket, sys, time

FIRST_WAIT = 600  # a start takes minutes with a new release; so this is also the least time between two restarts
PERIOD = 30  # this and the next two are those of the probe of the server
LIMIT = 10
FAILURES = 3
STARVED = 5  # a container whose CPU is throttled between requests oversleeps, and so does a healthy worker in it
STOP_WAIT = 30  # a frozen process ignores the TERM, and one that has recovered finishes what it is doing

worker, worker_port, server_port = map(int, sys.argv[1:])

def wait(seconds):
    """Returns whether this process, and so the worker, got its share of the CPU all the time."""
    nap, awake, last = min(1, seconds), True, time.monotonic()
    end = last + seconds
    while os.getppid() == worker and last < end:
        time.sleep(nap)
        now = time.monotonic()
        awake = awake and now - last < nap + STARVED
        last = now
    if os.getppid() != worker:
        sys.exit()
    return awake

def status(port, path):
    answer, end = b"", time.monotonic() + LIMIT
    try:
        with socket.create_connection(("127.0.0.1", port), LIMIT) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            while b"\n" not in answer and (part := connection.recv(4096)):
                answer += part
                connection.settimeout(end - time.monotonic())  # refuses what is negative
        return int(answer.split()[1])
    except (OSError, ValueError, IndexError):
        return None

wait(FIRST_WAIT)
failures = 0
while failures < FAILURES:
    awake = wait(PERIOD)
    # The spelling of releases up to 2026.5, which answer 200 on every path that they do not know. Later ones answer
    # 404.
    answer = status(worker_port, "/-/heath/live/")
    if answer == 404:
        answer = status(worker_port, "/-/health/live/")
    if answer == 404:
        sys.exit()
    # A worker without a database answers 503 or not at all, and a restart does not help it. Whether the database is
    # there is known from the server, which asks it.
    if answer == 200 or not awake or status(server_port, "/-/health/ready/") != 200:
        failures = 0
    else:
        failures += 1

print(f"cloud-entrypoint: worker did not answer {FAILURES} times in a row, so it is ended", file=sys.stderr)
os.killpg(worker, signal.SIGTERM)
wait(STOP_WAIT)
os.killpg(worker, signal.SIGKILL)
