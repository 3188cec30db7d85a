#!/bin/sh
# Runs as a job, after database-client.sh: counts the users in the application's database and fails if there are none.
set -eu

as_application
await "$PGHOST" "$PGPORT"
users=$(ask --command='SELECT count(*) FROM authentik_core_user')
echo "users: $users"
[ "$users" -gt 0 ] || fail 1 "the database has no user"
