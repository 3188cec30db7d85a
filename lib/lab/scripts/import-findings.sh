# shellcheck shell=sh disable=SC2154 # import-inventory.sh sets what is read
# Shell library of import-inventory.sh: the service's errors and warnings about an inventory.
#
# To be sourced after assessment-rest.sh. The report is in the last answer; reads instances and what look_at_job sets.

# Maximum number of findings to print; there may be thousands.
most_findings=50

# read_findings REPORT: errors and warnings of a report, each as lines of [file, row, machine, message].
read_findings() {
  jq -c "$1"' // {} |
    def side: if .severity == "WARNING" or .severity == "INFO" then "warnings" else "errors" end;
    def place: .csvError.rowNumber // .xlsxError.rowNumber // .archiveError.csvError.rowNumber // .rowNumber // "";
    (.jobErrors[]? | [side, "(job)", "", "", .errorDetails // "no message"]),
    (.fileValidations[]? | (.fileName // "?") as $file
      | (select(.partialReport == true) | ["partial", $file]),
        (.fileErrors[]? | [side, $file, "", "", .errorDetails // "no message"]),
        (.rowErrors[]? | place as $row | (.vmName // .assetTitle // .vmUuid // "") as $machine
          | (.errors // [{}])[] | [side, $file, $row, $machine, .errorDetails // "no message"]))
  ' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/findings"
  for side in errors warnings; do
    sed -n "s/^\\[\"$side\",/[/p" "$GOOGLE_WORK/findings" >"$GOOGLE_WORK/$side"
  done
  partial=$(sed -n 's/^\["partial",\(.*\)\]$/\1/p' "$GOOGLE_WORK/findings" | tr '\n' ' ')
}

# show_findings errors|warnings
show_findings() {
  finding_count=$(($(wc -l <"$GOOGLE_WORK/$1")))
  [ "$finding_count" -gt 0 ] || return 0
  sed -n "1,${most_findings}p" "$GOOGLE_WORK/$1" >"$GOOGLE_WORK/shown"
  google_table "$GOOGLE_WORK/shown" FILE ROW MACHINE MESSAGE
  [ "$finding_count" -le "$most_findings" ] || google_say "  and $((finding_count - most_findings)) more $1."
  [ -z "$partial" ] || google_say "  The service stopped after too many of them in: ${partial% }"
}

show_warnings() {
  [ -s "$GOOGLE_WORK/warnings" ] || return 0
  google_say "The service warns:"
  show_findings warnings
}

# give_up WHAT
give_up() {
  google_error "$1"
  show_findings errors >&2
  show_findings warnings >&2
  google_error "  To fix: repair what the table names and run the same command again, or look at the job at $console"
  exit 1
}

# report_import WHAT: for a job that has succeeded.
report_import() {
  read_findings .executionReport.executionErrors
  if [ "$has_report" = true ]; then
    google_say "$1: $instances instances, $frames frames reported, $rows_read rows read ($(google_seconds) s)."
  else
    google_say "$1: $instances instances; the service gives no numbers ($(google_seconds) s)."
  fi
  if [ -s "$GOOGLE_WORK/errors" ]; then
    google_say "These rows were not imported:"
    show_findings errors
  fi
  show_warnings
  if is_partial; then
    google_say "Warning: only $frames of $instances instances were imported. Running the same command again imports all of" \
      "them once more."
  fi
}
