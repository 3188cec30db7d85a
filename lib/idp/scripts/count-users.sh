#!/bin/sh
# Counts the users in the application's database, and fails if there are none. Also reports what would make a restore of
# a dump fail. Runs as a job, after database-client.sh and unrestorable.sh in the same text.
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

as_application
await "$PGHOST" "$PGPORT"
users=$(ask --command='SELECT count(*) FROM authentik_core_user')
found=$(ask --command="$UNRESTORABLE")
echo "users: $users user(s)${found:+ (a restore of its dumps fails: $found)}"
[ "$users" -gt 0 ] || fail 1 "the database has no user"
