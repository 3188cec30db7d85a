"""A synchronization as the application has it: a task that holds a thread and waits for others, its pages.

Imported by the worker of the task library, and run to begin some: `synchronization.py COUNT PAGES`. The broker is the
database of PGHOST and the like; ends are rows of the table `ended`.
"""

import os
import sys
import time

import dramatiq
import psycopg
from dramatiq_postgres import PostgresBroker

PAGE_SECONDS = 0.05

dramatiq.set_broker(PostgresBroker(url="", results=None))


def ended(synchronization, what, count=None):
    with psycopg.connect("", autocommit=True) as connection:
        if count is None:
            connection.execute("INSERT INTO ended VALUES (%s, %s)", (synchronization, what))
            return True
        query = "SELECT count(*) >= %s FROM ended WHERE synchronization = %s AND what = %s"
        return connection.execute(query, (count, synchronization, what)).fetchone()[0]


@dramatiq.actor
def page(synchronization):
    time.sleep(PAGE_SECONDS)
    ended(synchronization, "page")


@dramatiq.actor
def synchronize(synchronization, pages):
    for _ in range(pages):
        page.send(synchronization)
    while not ended(synchronization, "page", pages):
        time.sleep(0.1)
    ended(synchronization, "whole")


if __name__ == "__main__":
    with psycopg.connect("", autocommit=True) as database:
        database.execute("CREATE TABLE IF NOT EXISTS ended (synchronization int, what text)")
    for number in range(int(sys.argv[1])):
        synchronize.send(number, int(sys.argv[2]))
