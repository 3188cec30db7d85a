# shellcheck shell=sh disable=SC2154 # after database-client.sh, which reads what a job has
# Runs as a job, in which it comes after database-client.sh: asks the application's database what stands still, and prints one
# line of JSON, on which the alerts look. What seems wrong is looked at twice, because an upgrade passes and an outpost connects
# again. It reads, and nothing else.
#
# A database without tables, before the first start, and one that is away end it without a line: the database has an alert of
# its own.
#
#   DB_NAME, DB_USER, DB_PASSWORD   database, and a role that may read it
#   CHECK_UP_SQL                    statements of check-up.sql
#   CHECK_UP_LIMITS                 limits in them, as words name=number
#   CHECK_UP_SECONDS                time limit of one look (60)
#   CHECK_UP_AGAIN_SECONDS          pause before the second look (60)
#
# Exit codes: 0 done · 1 it cannot sign in · 2 settings are wrong
[ "${1---help}" = --help ] || { echo "\"$1\" is not an option; there is --help." >&2 && exit 2; }
[ "$#" -eq 0 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit; }

: "${CHECK_UP_SECONDS:=60}" "${CHECK_UP_AGAIN_SECONDS:=60}"
as_application
unset PGCONNECT_TIMEOUT
# Never waits for a migration, nor lets one wait for it.
export PGOPTIONS='-c default_transaction_read_only=on -c statement_timeout=10s -c lock_timeout=2s'

set --
for limit in window_seconds=900 $CHECK_UP_LIMITS; do
  case $limit in *=*[!0-9]* | *= | [!a-z]*) fail 2 "CHECK_UP_LIMITS has \"$limit\", no name=number" ;; esac
  set -- "$@" "--set=$limit"
done

# look OPTION...: sets rows to what the statements give, code to the exit code of psql, and 137 after the time limit.
look() {
  code=0
  rows=$(printf '%s\n' "$CHECK_UP_SQL" | timeout -s KILL "$CHECK_UP_SECONDS" psql --no-psqlrc --no-password --quiet --no-align \
    --tuples-only --field-separator='|' "$@" 2>/dev/null) || code=$?
}

# line: prints the line of JSON.
line() {
  { printf '%s\n' "$CHECK_UP_SQL" | sed -n 's/^-- \([a-z_]*\): .*/\1/p' && printf '%s\n' "$rows"; } | awk -F'|' -v hangs="$1" '
    NF == 1 && $1 != "" { names[++most] = $1 }
    NF == 6 {
      tasks = $6
      gsub(/[^A-Za-z0-9_.,]/, "", tasks)
      gsub(/,/, "\",\"", tasks)
      signals = signals (signals == "" ? "" : ",") "\"" $1 "\":{\"count\":" $2 ",\"oldest_seconds\":" ($3 == "" ? 0 : $3) \
        ",\"limit\":" $4 ",\"raised\":" ($5 == "t" ? "true" : "false") (tasks == "" ? "" : ",\"tasks\":[\"" tasks "\"]") "}"
      known[$1] = 1
      if ($5 == "t") raised = raised (raised == "" ? "" : ", ") $1
    }
    END {
      for (place = 1; place <= most; place++)
        if (!(names[place] in known)) unknown = unknown (unknown == "" ? "" : ",") "\"" names[place] "\""
      message = hangs != "" ? hangs : raised != "" ? "wrong: " raised : unknown != "" ? "not everything is known" : "all is well"
      print "{\"message\":\"check-up: " message "\",\"blind\":" (unknown == "" ? "false" : "true") ",\"unknown\":[" unknown "],\"signals\":{" signals "}}"
    }'
}

has_tables() {
  tables=$(timeout -s KILL "$CHECK_UP_SECONDS" psql --no-psqlrc --no-password --quiet --no-align --tuples-only \
    --command="SELECT count(*) FROM pg_tables WHERE tablename = 'django_migrations'" 2>&1) || code=$?
}

code=0 tables=0 rows=''
has_tables 2>/dev/null
case $code/$tables in
  # Others mean that it starts, stops, or has no connection left.
  0/* | 137/*) ;;
  *"authentication failed"* | *"permission denied"* | *"does not exist"* | *"pg_hba.conf"*) fail 1 "the check-up cannot sign in as $DB_USER: $tables" ;;
esac
if [ "$code" -eq 0 ] && [ "$tables" -eq 0 ]; then
  echo "There are no tables yet: nothing to check before the first start."
  exit 0
fi
[ "$code" -ne 0 ] || look "$@"
if [ "$code" -eq 0 ] && line "" | grep -qE '"raised":true|"blind":true'; then
  sleep "$CHECK_UP_AGAIN_SECONDS"
  look "$@"
fi
case $code in
  0) line "" ;;
  137) line "the database does not answer within $CHECK_UP_SECONDS s" ;;
  *) echo "The database is away, which has an alert of its own." ;;
esac
