# shellcheck shell=sh disable=SC2154 # after database-client.sh, which reads what a job has
# Runs as a job, in which it comes after database-client.sh: asks the application's database what stands still, and
# prints one line of JSON, on which the alerts look. What seems wrong is looked at twice, because an upgrade passes and
# an outpost connects again. It reads, and nothing else.
#
# If the database cannot be asked, whatever the reason, it prints a line that says so, because an instance that others
# manage has no alert of its own. A database without tables, as before the first start, is no fault.
#
#   DB_NAME, DB_USER, DB_PASSWORD   database, and a role that may read it
#   CHECK_UP_SQL                    statements of check-up.sql
#   CHECK_UP_LIMITS                 limits in them, as words name=number
#   CHECK_UP_SECONDS                time limit of one look (60)
#   CHECK_UP_AGAIN_SECONDS          pause before the second look (60)
#
# Exit codes: 0 done · 1 the database cannot be asked · 2 settings are wrong
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

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
  rows=$(printf '%s\n' "$CHECK_UP_SQL" |
    timeout -s KILL "$CHECK_UP_SECONDS" psql --no-psqlrc --no-password --quiet --no-align --tuples-only \
      --field-separator='|' "$@" 2>/dev/null) || code=$?
}

# line: prints the line of JSON.
line() {
  {
    printf '%s\n' "$CHECK_UP_SQL" | sed -n 's/^-- \([a-z_]*\): .*/\1/p'
    printf '%s\n' "$rows"
  } | awk -F'|' -v hangs="$1" '
    NF == 1 && $1 != "" { names[++most] = $1 }
    NF == 6 {
      tasks = $6
      gsub(/[^A-Za-z0-9_.,]/, "", tasks)
      gsub(/,/, "\",\"", tasks)
      signals = signals (signals == "" ? "" : ",") "\"" $1 "\":{\"count\":" ($2 == "" ? "null" : $2) \
        ",\"oldest_seconds\":" ($3 == "" ? 0 : $3) ",\"limit\":" $4 \
        ",\"raised\":" ($5 == "t" ? "true" : "false") (tasks == "" ? "" : ",\"tasks\":[\"" tasks "\"]") "}"
      known[$1] = 1
      if ($5 == "t") raised = raised (raised == "" ? "" : ", ") $1
    }
    END {
      for (place = 1; place <= most; place++)
        if (!(names[place] in known)) unknown = unknown (unknown == "" ? "" : ",") "\"" names[place] "\""
      message = unknown == "" ? "all is well" : "not everything is known"
      if (raised != "") message = "wrong: " raised
      if (hangs != "") message = hangs
      print "{\"message\":\"check-up: " message "\",\"blind\":" (unknown == "" ? "false" : "true") \
        ",\"unknown\":[" unknown "],\"signals\":{" signals "}}"
    }'
}

# Sets tables to 1 if the application has its tables, and to 0 if not; otherwise code, and to what psql says.
has_tables() {
  code=0
  tables=$(timeout -s KILL "$CHECK_UP_SECONDS" psql --no-psqlrc --no-password --quiet --no-align --tuples-only \
    --command="SELECT count(*) FROM pg_tables WHERE tablename = 'django_migrations'" 2>&1) || code=$?
}

# as_text WORDS: as part of a string of JSON.
as_text() {
  printf '%s' "$1" | tr '\n\t' '  ' | tr -d '"\\[:cntrl:]'
}

# fail_blind: ends with a line that says why nothing is known.
fail_blind() {
  rows=''
  case $code in
    137) line "the database does not answer within $CHECK_UP_SECONDS s" ;;
    *) line "the database cannot be asked: $(as_text "$1")" ;;
  esac
  exit 1
}

rows=''
# A shell that says what was killed has said enough.
has_tables 2>/dev/null
if [ "$code" -ne 0 ]; then
  # It may restart, or be taken over by another zone.
  sleep "$CHECK_UP_AGAIN_SECONDS"
  has_tables 2>/dev/null
fi
[ "$code" -eq 0 ] || fail_blind "$tables"
if [ "$tables" -eq 0 ]; then
  echo "There are no tables yet: nothing to check before the first start."
  exit 0
fi
look "$@"
if [ "$code" -ne 0 ] || line "" | grep -qE '"raised":true|"blind":true'; then
  sleep "$CHECK_UP_AGAIN_SECONDS"
  look "$@"
fi
[ "$code" -eq 0 ] || fail_blind "the connection is lost"
line ""
