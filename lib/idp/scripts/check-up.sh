# shellcheck shell=sh
# Checks the application's database for stalled work, and prints one line of JSON, from which alerts are raised. Runs as
# a job, after database-client.sh in the same text. A signal that looks wrong is read again after a pause, because an
# upgrade ends and an outpost reconnects. The script only reads.
#
# If the database cannot be queried, for any reason, the line says so, because an instance that others manage has no
# alert of its own. A database without tables, as before the first start, is not an error.
#
#   DB_NAME, DB_USER, DB_PASSWORD   database, and a role that may read it
#   CHECK_UP_SQL                    statements of check-up.sql, which print a row for each signal
#   CHECK_UP_LIMITS                 limits of the signals, as words name=number
#   CHECK_UP_SECONDS                time limit of the statements (60)
#   CHECK_UP_AGAIN_SECONDS          pause before the second attempt (60)
#
# Exit codes: 0 done · 1 the database cannot be queried · 2 settings are wrong
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

: "${CHECK_UP_SECONDS:=60}" "${CHECK_UP_AGAIN_SECONDS:=60}"
as_application
unset PGCONNECT_TIMEOUT
# With short limits, so that this script neither waits for a migration nor delays one.
export PGOPTIONS='-c default_transaction_read_only=on -c statement_timeout=10s -c lock_timeout=2s'

set --
for limit in window_seconds=900 $CHECK_UP_LIMITS; do
  case $limit in *=*[!0-9]* | *= | [!a-z]*) fail 2 "CHECK_UP_LIMITS has \"$limit\", no name=number" ;; esac
  set -- "$@" "--set=$limit"
done

# look OPTION...: runs CHECK_UP_SQL with options of psql. Sets rows to the result and code to the exit code, which is
# 137 after the time limit.
look() {
  code=0
  rows=$(printf '%s\n' "$CHECK_UP_SQL" |
    timeout -s KILL "$CHECK_UP_SECONDS" psql --no-psqlrc --no-password --quiet --no-align --tuples-only \
      --field-separator='|' "$@" 2>/dev/null) || code=$?
}

# print_result PROBLEM: prints the signals in rows as one line of JSON. Its message is PROBLEM or, if that is empty, a
# summary of the signals. A signal that CHECK_UP_SQL names in a comment, but that has no row, is unknown.
print_result() {
  {
    printf '%s\n' "$CHECK_UP_SQL" | sed -n 's/^-- \([a-z_]*\): .*/\1/p'
    printf '%s\n' "$rows"
  } | awk -F'|' -v problem="$1" '
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
      if (problem != "") message = problem
      print "{\"message\":\"check-up: " message "\",\"blind\":" (unknown == "" ? "false" : "true") \
        ",\"unknown\":[" unknown "],\"signals\":{" signals "}}"
    }'
}

# Sets tables to 1 if the application has created its tables, and to 0 if not. If the query fails, sets code to the exit
# code of psql and tables to its message.
has_tables() {
  code=0
  tables=$(timeout -s KILL "$CHECK_UP_SECONDS" psql --no-psqlrc --no-password --quiet --no-align --tuples-only \
    --command="SELECT count(*) FROM pg_tables WHERE tablename = 'django_migrations'" 2>&1) || code=$?
}

# as_text WORDS: prints the words without characters that a string of JSON would have to escape.
as_text() {
  printf '%s' "$1" | tr '\n\t' '  ' | tr -d '"\\[:cntrl:]'
}

# fail_blind MESSAGE: prints a line of JSON that says why the database could not be queried, and ends the script.
fail_blind() {
  rows=''
  case $code in
    137) print_result "the database does not answer within $CHECK_UP_SECONDS s" ;;
    *) print_result "the database cannot be asked: $(as_text "$1")" ;;
  esac
  exit 1
}

rows=''
# Without the message of the shell about a killed psql: fail_blind reports the time limit.
has_tables 2>/dev/null
if [ "$code" -ne 0 ]; then
  # The instance may be restarting, or failing over to another zone.
  sleep "$CHECK_UP_AGAIN_SECONDS"
  has_tables 2>/dev/null
fi
[ "$code" -eq 0 ] || fail_blind "$tables"
if [ "$tables" -eq 0 ]; then
  echo "There are no tables yet: nothing to check before the first start."
  exit 0
fi
look "$@"
if [ "$code" -ne 0 ] || print_result "" | grep -qE '"raised":true|"blind":true'; then
  sleep "$CHECK_UP_AGAIN_SECONDS"
  look "$@"
fi
[ "$code" -eq 0 ] || fail_blind "the connection is lost"
print_result ""
