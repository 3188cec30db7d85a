#!/bin/sh
# Imports an inventory of cloud B, as export-inventory.sh wrote it, into the assessment service and waits for it.
#
# The job's id holds the hash of the inventory and of its source, so running this again finds what an earlier run did: a
# finished import of the same inventory is left alone, one that is under way is waited for, a half-done or failed one is
# replaced. What the service may refuse without need (a file that has a header only, tags that are no labels of Google's,
# a source of the discovery client's type) is corrected once, each time in a new job, and said.
#
#   PROJECT_ID          project (required)
#   REGION              region of the assessment data (required)
#   SOURCE_ID           identifier of the source that the machines belong to (required)
#   INVENTORY_FOLDER    folder with manifest.json and the tables (required)
#   DEPLOYMENT_ID       suffix of the lab, for the job's display name (required)
#   IMPORT_SECONDS      time limit for each of validation and import (1800)
#   OPERATION_SECONDS   time limit for any other operation (600)
# Settings of the calls and exit codes: google-rest.sh; of the uploads: assessment-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$(dirname "$0")/google-rest.sh}"
# shellcheck source=/dev/null
. "$(dirname "$0")/assessment-rest.sh"

IMPORT_SECONDS=${IMPORT_SECONDS:-1800}
OPERATION_SECONDS=${OPERATION_SECONDS:-600}

# What the service accepts in one file.
largest_file_bytes=104857600
# Findings of the service that are shown; it may have thousands.
most_findings=50
format=IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV
tab=$(printf '\t')

google_require curl jq
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
  "at most 63 lower-case letters, digits and hyphens, starting with a letter"
google_setting INVENTORY_FOLDER '.+' "the folder that export-inventory.sh wrote"
google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
google_time_limit IMPORT_SECONDS OPERATION_SECONDS REST_UPLOAD_SECONDS
google_check_settings
google_start
google_be_patient

manifest=$INVENTORY_FOLDER/manifest.json
if ! jq -er '
  if (.instances | type == "number") and (.hash | type == "string" and test("^[0-9a-f]{64}$"))
    and (.files | type == "array") and all(.files[]; (.name | test("^[A-Za-z0-9][A-Za-z0-9._-]*$"))
      and (.kind | type == "string") and (.rows | type == "number") and (.bytes | type == "number"))
    and (.instances == 0 or any(.files[]; .kind == "vmInfo"))
  then .instances, .hash[0:16], (.files[] | [.name, .kind, .rows, .bytes, .sha256 // ""] | @tsv)
  else error("no inventory") end' "$manifest" >"$GOOGLE_WORK/manifest" 2>/dev/null; then
  google_refuse "$manifest is missing or is no inventory; run export-inventory.sh, which writes it last."
  google_check_settings
fi
{
  read -r instances
  read -r inventory
} <"$GOOGLE_WORK/manifest"
if [ "$instances" -eq 0 ]; then
  google_say "The inventory has no instances: nothing to import. If cloud B does have some, they are in another region" \
    "than the one that was asked."
  exit 0
fi
sed 1,2d "$GOOGLE_WORK/manifest" >"$GOOGLE_WORK/files"

digest_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  else
    # Nothing to compare with: the sizes agree already.
    echo "$2"
  fi
}

# A folder in which two exports have met must not be imported as one.
while IFS=$tab read -r name kind rows bytes digest; do
  file=$INVENTORY_FOLDER/$name
  if [ ! -f "$file" ]; then
    google_refuse "$file is missing; manifest.json names it."
  elif [ "$(($(wc -c <"$file")))" -ne "$bytes" ]; then
    google_refuse "$file has $(($(wc -c <"$file"))) bytes; manifest.json says $bytes. Run export-inventory.sh again."
  elif [ "$bytes" -gt "$largest_file_bytes" ]; then
    google_refuse "$file has $bytes bytes; the service takes $largest_file_bytes. Cut it into several with the same header."
  elif [ -n "$digest" ]; then
    found=$(digest_of "$file" "$digest")
    [ "${found%% *}" = "$digest" ] ||
      google_refuse "$file has other contents than manifest.json says. Run export-inventory.sh again."
  fi
done <"$GOOGLE_WORK/files"
google_check_settings

location="projects/$PROJECT_ID/locations/$REGION"
console="https://console.cloud.google.com/migration/discovery/dataImport?project=$PROJECT_ID"
job_source=$SOURCE_ID
own_source_id=$(google_upload_source "$SOURCE_ID")
# Corrections, each made at most once: header-only files left out, tags made labels, a source of its own.
left_out=no
cleaned=no
own_source=no
# Has a job of an earlier run, in a source of its own, been looked for?
looked=no
job_id=

explain_interrupt() {
  [ -z "$job_id" ] || google_complain "Import job $job_id is left as it is; run the same command again to finish it."
}
google_on_interrupt explain_interrupt

# The checksum tells sources apart.
plain_job_id() {
  checksum=$(printf '%s' "$1" | cksum)
  echo "cloudb-$inventory-${checksum%% *}"
}

# The job that these corrections lead to.
name_job() {
  job_id=$(plain_job_id "$job_source")
  [ "$left_out" = no ] || job_id="$job_id-rows"
  [ "$cleaned" = no ] || job_id="$job_id-tags"
  job="$location/importJobs/$job_id"
}

# Did the service refuse the job because of its source's type?
source_refused() {
  [ "$own_source" = no ] && google_says '^(INVALID_ARGUMENT|FAILED_PRECONDITION)' &&
    google_says '(^|[^a-z])source|assetsource'
}

use_own_source() {
  google_say "Importing once more, into a source of its own for uploaded files."
  register_own_source
}

register_own_source() {
  own_source=yes
  job_source=$own_source_id
  UPLOADS_OF=$SOURCE_ID
  export UPLOADS_OF
  SOURCE_ID=$job_source SOURCE_TYPE=SOURCE_TYPE_UPLOAD SOURCE_DISPLAY_NAME="$source_name (upload)" \
    sh "$(dirname "$0")/register-source.sh" || exit 1
}

require_source() {
  google_get migrationcenter "$location/sources/$SOURCE_ID" || {
    [ "$GOOGLE_STATUS" = 404 ] && google_fail "Source $SOURCE_ID, which the machines are to belong to, does not exist in $REGION." \
      "Way out: register it with register-source.sh."
    google_fail "Source $SOURCE_ID, which the machines are to belong to, cannot be read."
  }
  jq -r '.state // "STATE_UNSPECIFIED", ((.displayName // "") | gsub("[[:cntrl:]]"; " ") | if . == "" then "Cloud B" else . end
    # 54: what " (upload)" leaves of the 63 characters.
    | .[0:54])' \
    "$GOOGLE_ANSWER" >"$GOOGLE_WORK/source"
  {
    read -r source_state
    IFS= read -r source_name
  } <"$GOOGLE_WORK/source"
  case $source_state in
    DELETING | INVALID)
      google_complain "Source $SOURCE_ID is $source_state: nothing can be imported into it."
      google_complain "  Way out: delete it with assessment-cleanup.sh, register it again with register-source.sh."
      exit 1
      ;;
  esac
}

# Files of this job, in the form of the manifest's list.
list_files() {
  while IFS=$tab read -r name kind rows bytes digest; do
    if [ "$left_out" = yes ] && [ "$rows" -eq 0 ]; then continue; fi
    folder=$INVENTORY_FOLDER
    if [ "$cleaned" = yes ] && [ "$kind" = tagInfo ] && [ "$rows" -gt 0 ]; then
      folder=$GOOGLE_WORK/labels
      # All of its rows may have been repetitions.
      [ "$(($(wc -l <"$folder/$name")))" -gt 1 ] || continue
    fi
    printf '%s\t%s\n' "$name" "$folder/$name"
  done <"$GOOGLE_WORK/files" >"$GOOGLE_WORK/job-files"
  file_count=$(($(wc -l <"$GOOGLE_WORK/job-files")))
}

# Tags in the form of Google's labels: lower-case letters, digits, "_" and "-"; keys start with a letter and are unique per
# machine; at most 63 characters and 64 labels. Rows of one machine follow each other, from one file into the next.
clean_tags() {
  mkdir -p "$GOOGLE_WORK/labels"
  set --
  while IFS=$tab read -r name kind rows bytes digest; do
    if [ "$kind" != tagInfo ] || [ "$rows" -eq 0 ]; then continue; fi
    set -- "$@" "$INVENTORY_FOLDER/$name"
  done <"$GOOGLE_WORK/files"
  google_beside write_labels "$@" || {
    google_complain "The tags in $INVENTORY_FOLDER cannot be read as tables."
    exit 1
  }
}

# write_labels FILE...: header and line ends stay as they are. Row by row, because there may be millions of them.
write_labels() {
  trap - EXIT INT TERM HUP
  mkdir -p "$GOOGLE_WORK/plain"
  for table in "$@"; do
    # What is no ASCII becomes "_" in the end, one for each character: all its bytes but the first go.
    tr -d '\200-\277' <"$table" >"$GOOGLE_WORK/plain/${table##*/}" || return 1
    shift
    set -- "$@" "$GOOGLE_WORK/plain/${table##*/}"
  done
  awk -v folder="$GOOGLE_WORK/labels" '
    function legal(text) {
      text = tolower(text)
      gsub(/[^a-z0-9_-]/, "_", text)
      return text
    }
    # Cuts the first cell off the row.
    function cell(  text) {
      if (substr(row, 1, 1) == "\"" && match(row, /^"([^"]|"")*"/)) {
        text = substr(row, 2, RLENGTH - 2)
        gsub(/""/, "\"", text)
        row = substr(row, RLENGTH + 2)
        return text
      }
      match(row, /^[^,]*/)
      text = substr(row, 1, RLENGTH)
      row = substr(row, RLENGTH + 2)
      return text
    }
    FNR == 1 {
      table = FILENAME
      sub(/.*\//, "", table)
      held = ""
    }
    # A row goes on in the next line while its quotes are open.
    {
      row = held == "" ? $0 : held "\n" $0
      if (gsub(/"/, "\"", row) % 2 == 1) { held = row; next }
      held = ""
      sub(/\r$/, "", row)
    }
    FNR == 1 { printf "%s\r\n", row >(folder "/" table); next }
    {
      if (index(row, "\"")) { machine = cell(); key = cell(); value = cell() }
      else { split(row, cells, ","); machine = cells[1]; key = cells[2]; value = cells[3] }
      if (machine != last) { last = machine; split("", keys); count = 0 }
      key = legal(key)
      if (key ~ /^[^a-z]/) key = "tag_" key
      key = substr(key, 1, 63)
      if (key == "" || key in keys || count >= 64) next
      keys[key]
      count++
      # Nothing else needs quotes any more.
      if (machine ~ /[,"]/) { gsub(/"/, "\"\"", machine); machine = "\"" machine "\"" }
      printf "%s,%s,%s\r\n", machine, key, substr(legal(value), 1, 63) >(folder "/" table)
    }' "$@"
}

# Sets state, which is NONE when there is no such job, and has_report, frames and rows of what it has imported.
look_at_job() {
  if google_get migrationcenter "$job"; then
    jq -r '(.state // "?" | ltrimstr("IMPORT_JOB_STATE_")), has("executionReport"),
      .executionReport.framesReported // 0, .executionReport.totalRowsCount // 0' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/job"
    {
      read -r state
      read -r has_report
      read -r frames
      read -r rows_read
    } <"$GOOGLE_WORK/job"
    return 0
  fi
  [ "$GOOGLE_STATUS" = 404 ] || google_fail "The state of import job $job_id cannot be read."
  state=NONE
}

# An earlier run may have learnt late, when it validated or ran its job, that the service does not take the source. Returns
# 0 when it has left a job in a source of its own, and then goes on with that one and its corrections.
find_own_job() {
  looked=yes
  cp "$GOOGLE_ANSWER" "$GOOGLE_WORK/kept-answer"
  own_job=$(plain_job_id "$own_source_id")
  google_list migrationcenter "$location/importJobs" "pageSize=1000&view=IMPORT_JOB_VIEW_BASIC" importJobs \
    "$GOOGLE_WORK/jobs" || google_fail "The import jobs of earlier runs cannot be read."
  # Of several, the completed one, else the one with the most corrections, which has come last.
  jq -rn --arg id "$own_job" '
    [inputs | { id: (.name | split("/") | last), done: (.state == "IMPORT_JOB_STATE_COMPLETED") }
      | select(.id == $id or (.id | startswith($id + "-")))]
    | sort_by(.done, (.id | length)) | last // empty | .id, .done' "$GOOGLE_WORK/jobs" >"$GOOGLE_WORK/own-job"
  if [ ! -s "$GOOGLE_WORK/own-job" ]; then
    mv "$GOOGLE_WORK/kept-answer" "$GOOGLE_ANSWER"
    return 1
  fi
  {
    read -r own_job_id
    read -r own_job_done
  } <"$GOOGLE_WORK/own-job"
  own_source=yes
  job_source=$own_source_id
  case $own_job_id in *-rows*) left_out=yes ;; esac
  case $own_job_id in
    *-tags)
      cleaned=yes
      clean_tags
      ;;
  esac
  if [ "$own_job_done" = false ]; then
    google_say "An earlier run went on with a source of its own for uploaded files; going on there."
    register_own_source
  fi
}

# Sets created: yes, no when the job is there already, refused when the service does not take its source.
create_job() {
  google_say "Creating import job $job_id for $instances instances."
  # Neither value can have a character that JSON escapes.
  printf '{ "displayName": "%s", "assetSource": "%s" }\n' "Cloud B inventory (assess-$DEPLOYMENT_ID)" \
    "$location/sources/$job_source" >"$GOOGLE_WORK/job.json"
  if google_post migrationcenter "$location/importJobs" "$GOOGLE_WORK/job.json" \
    "importJobId=$job_id&requestId=$(google_new_request_id)" && google_await migrationcenter "Import job $job_id" "$OPERATION_SECONDS"; then
    created=yes
  elif google_says '^ALREADY_EXISTS'; then
    # An earlier attempt of this run, or of one that was interrupted, has arrived after all.
    created=no
    attempts=$((attempts + 1))
    [ "$attempts" -le "$REST_TRIES" ] || google_fail "Import job $job_id is said to exist, but cannot be seen."
    google_progress "Import job $job_id" "said to exist, but not to be seen yet"
    google_sleep "$REST_POLL_SECONDS"
  elif source_refused; then
    created=refused
    google_say "The service does not import into source $SOURCE_ID. $(google_outcome)"
  else
    google_fail "Import job $job_id cannot be created." "Way out: repair what the message names and run the same command again."
  fi
}

# A file's id has lower-case letters and hyphens only.
file_id() {
  printf '%s' "$1" | tr '[:upper:]._' '[:lower:]--'
}

# create_file NAME: leaves an answer with the signed address of a new file.
create_file() {
  file="$job/importDataFiles/$(file_id "$1")"
  printf '{ "displayName": "%s", "format": "%s" }\n' "$1" "$format" >"$GOOGLE_WORK/file.json"
  if ! google_post migrationcenter "$job/importDataFiles" "$GOOGLE_WORK/file.json" \
    "importDataFileId=${file##*/}&requestId=$(google_new_request_id)" ||
    ! google_await migrationcenter "File $1" "$OPERATION_SECONDS"; then
    google_fail "Import job $job_id takes no file $1."
  fi
  grep -q '"signedUri"' "$GOOGLE_ANSWER" || google_get migrationcenter "$file" ||
    google_fail "The address to send $1 to cannot be read."
}

delete_file() {
  if google_delete migrationcenter "$file" "requestId=$(google_new_request_id)" &&
    google_await migrationcenter "File ${file##*/}" "$OPERATION_SECONDS"; then
    return 0
  fi
  google_says '^NOT_FOUND' || google_fail "File ${file##*/} of import job $job_id, whose address has expired, cannot be deleted."
}

# Answers of Cloud Storage for an address that is too old.
address_expired() {
  google_has_reason ExpiredToken || google_says 'has expired|request signature expired'
}

# send_file NAME PATH
send_file() {
  addresses=1
  create_file "$1"
  until google_upload "$2"; do
    if ! address_expired || [ "$addresses" -ge 3 ]; then
      google_fail "$1 cannot be uploaded." "Way out: run the same command again; the half-done job is replaced."
    fi
    addresses=$((addresses + 1))
    google_say "The address for $1 has expired; asking for another one."
    delete_file
    create_file "$1"
  done
}

send_files() {
  sent=0
  while IFS=$tab read -r name path <&3; do
    sent=$((sent + 1))
    google_say "Uploading $name: $(($(wc -c <"$path"))) bytes ($sent of $file_count)."
    send_file "$name" "$path"
  done 3<"$GOOGLE_WORK/job-files"
}

# replace_job WHY
replace_job() {
  if [ "$replaced" = yes ]; then
    google_complain "Import job $job_id was replaced, but $1 again."
    google_complain "  Way out: look at it at $console and run the same command again."
    exit 1
  fi
  replaced=yes
  google_say "Import job $job_id $1: replacing it."
  if google_delete migrationcenter "$job" "force=true&requestId=$(google_new_request_id)" &&
    google_await migrationcenter "Import job $job_id" "$OPERATION_SECONDS"; then
    return 0
  fi
  google_says '^NOT_FOUND' || google_fail "Import job $job_id cannot be deleted."
}

# start_phase validate|run: an answer that is an error counts only when the job has not moved on nevertheless.
start_phase() {
  problem=
  printf '{ "requestId": "%s" }\n' "$(google_new_request_id)" >"$GOOGLE_WORK/phase.json"
  phase_until=$(($(google_seconds) + IMPORT_SECONDS))
  if google_post migrationcenter "$job:$1" "$GOOGLE_WORK/phase.json" &&
    google_await migrationcenter "Import job $job_id, $1" "$IMPORT_SECONDS"; then
    return 0
  fi
  problem=$(google_outcome)
  if source_refused; then
    google_say "The service does not import into source $SOURCE_ID. $problem"
    source_is_problem=yes
  fi
}

# pause_for_job PHASE: the phase was started and the job is not through yet.
pause_for_job() {
  google_progress "Import job $job_id" "$state"
  if [ "$(google_seconds)" -ge "$phase_until" ]; then
    google_complain "Import job $job_id is still $state after $IMPORT_SECONDS s; it goes on by itself."
    google_complain "  Way out: look at it at $console; running the same command again goes on waiting for it."
    exit 1
  fi
  google_sleep "$REST_POLL_SECONDS"
}

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

# What alone the errors are about: words of empty, tags and source; nothing when anything else is wrong as well.
causes_of_errors() {
  jq -rn --slurpfile manifest "$manifest" '
    [inputs | . as [$file, $row, $machine, $message]
      | (first($manifest[0].files[] | select(.name as $name | $file | endswith($name))) // { kind: $file, rows: null })
      | if $file == "(job)" then (if $message | test("(^|[^a-z])source|assetsource"; "i") then "source" else "other" end)
        elif .rows == 0 then "empty"
        elif .kind == "tagInfo" then "tags"
        else "other" end]
    | unique | if index("other") then [] else . end | join(" ")' "$GOOGLE_WORK/errors"
}

# Applies what can still be corrected; returns 1 when that is nothing.
correct() {
  causes=$(causes_of_errors)
  [ -n "$causes" ] || return 1
  case " $causes " in
    *" empty "*) [ "$left_out" = no ] || return 1 ;;
  esac
  case " $causes " in
    *" tags "*) [ "$cleaned" = no ] || return 1 ;;
  esac
  case " $causes " in
    *" source "*) [ "$own_source" = no ] || return 1 ;;
  esac
  google_say "The service refuses parts of import job $job_id:"
  show_findings errors
  case " $causes " in
    *" empty "*)
      google_say "Importing once more, without the files that have a header only."
      left_out=yes
      ;;
  esac
  case " $causes " in
    *" tags "*)
      google_say "Importing once more, with tags in the form of labels: lower case, other characters as \"_\"."
      cleaned=yes
      clean_tags
      ;;
  esac
  case " $causes " in
    *" source "*) use_own_source ;;
  esac
}

# give_up WHAT
give_up() {
  google_complain "$1"
  show_findings errors >&2
  show_findings warnings >&2
  google_complain "  Way out: repair what the table names and run the same command again, or look at the job at $console"
  exit 1
}

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
}

# Takes one job from wherever it is to its end. Leaves finished as "no" when another job has to be tried.
finish_job() {
  name_job
  list_files
  replaced=no
  sent_here=no
  validated_here=no
  ran_here=no
  phase_until=$(($(google_seconds) + IMPORT_SECONDS))
  problem=
  source_is_problem=no
  attempts=0
  while :; do
    look_at_job
    if [ "$source_is_problem" = yes ]; then
      use_own_source
      return 0
    fi
    case $looked/$own_source/$sent_here/$state in
      no/no/no/NONE | no/no/no/PENDING | no/no/no/FAILED*) if find_own_job; then return 0; fi ;;
    esac
    case $state in
      NONE)
        if [ "$sent_here" = yes ]; then
          google_complain "Import job $job_id is gone: somebody has deleted it."
          exit 1
        fi
        create_job
        case $created in
          yes)
            send_files
            sent_here=yes
            ;;
          refused)
            use_own_source
            return 0
            ;;
        esac
        ;;
      PENDING)
        if [ "$sent_here" = no ]; then
          replace_job "was left half-done"
        elif [ "$validated_here" = no ]; then
          validated_here=yes
          start_phase validate
        elif [ -n "$problem" ]; then
          google_complain "Import job $job_id cannot be validated."
          google_complain "  $problem"
          exit 1
        else
          pause_for_job
        fi
        ;;
      VALIDATING) pause_for_job ;;
      RUNNING)
        ran_here=yes
        pause_for_job
        ;;
      READY)
        if [ "$ran_here" = no ]; then
          read_findings .validationReport
          show_warnings
          google_say "Import job $job_id is validated; importing."
          ran_here=yes
          start_phase run
        elif [ -n "$problem" ]; then
          google_complain "Import job $job_id cannot be run."
          google_complain "  $problem"
          exit 1
        else
          pause_for_job
        fi
        ;;
      FAILED_VALIDATION)
        read_findings .validationReport
        if correct; then return 0; fi
        if [ "$sent_here" = yes ]; then give_up "The inventory was refused: import job $job_id has failed its validation."; fi
        replace_job "failed its validation in an earlier run"
        ;;
      COMPLETED)
        # Nothing at all, although there is a report.
        if [ "$has_report" = true ] && [ "$frames" -eq 0 ]; then
          [ "$ran_here" = yes ] || {
            replace_job "imported nothing in an earlier run"
            continue
          }
          read_findings .executionReport.executionErrors
          give_up "Import job $job_id ended, but imported none of $instances instances."
        fi
        if [ "$ran_here" = yes ]; then
          report_import "Import job $job_id is completed"
        else
          report_import "This inventory is imported already, by job $job_id"
        fi
        finished=yes
        return 0
        ;;
      FAILED)
        if [ "$ran_here" = yes ]; then
          read_findings .executionReport.executionErrors
          give_up "Import job $job_id has failed."
        fi
        replace_job "failed in an earlier run"
        ;;
      *)
        google_complain "Import job $job_id is in state \"$state\", which is not known here; look at it at $console"
        exit 1
        ;;
    esac
  done
}

require_source
finished=no
while [ "$finished" = no ]; do finish_job; done
