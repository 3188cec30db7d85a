#!/usr/local/bin/python3 -IS
"""Stands in for the application in an image without a shell: stub-ak.sh without a variable other than STUB_RECORDS."""

import os
import signal
import sys

command = sys.argv[1] if sys.argv[1:] else "none"
record = f"{os.environ['STUB_RECORDS']}/{command}.{os.getpid()}"
signals = {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2}


def write(file, content):
    with open(file, "wb") as opened:
        opened.write(content)


with open("/proc/self/environ", "rb") as own:
    environment = own.read()
os.mkdir(f"{record}.part")
write(f"{record}.part/parent", b"%d" % os.getppid())
write(f"{record}.part/arguments", b"".join(os.fsencode(argument) + b"\0" for argument in sys.argv[1:]))
write(f"{record}.part/environment", environment)

# A reader never sees half a record, and whoever sees one can send signals.
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
os.rename(f"{record}.part", record)
if command in ("server", "worker"):
    got = signal.sigwait(signals)
    write(f"{record}/signals", got.name.removeprefix("SIG").encode() + b"\n")
write(f"{record}/ended", b"")
