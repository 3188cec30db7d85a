#!/bin/sh
# Shows what Migration Center has for a project, as tables: sources, discovered assets and import jobs.
#
#   PROJECT_ID   project (required)
#   REGION       region of the assessment data (required)
#   SOURCE_ID    identifier of a lab's source: says if the service has lost it (none)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
# shellcheck source=assessment-rest.sh
. "${0%"${0##*/}"}./assessment-rest.sh"

google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
[ -z "${SOURCE_ID:-}" ] || google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' "the id of the discovery source"
google_start

location="projects/$PROJECT_ID/locations/$REGION"

# show TITLE COLLECTION COLUMNS ROW: ROW is a jq array of the texts of an item.
show() {
  google_say "$1: $(($(wc -l <"$GOOGLE_WORK/$2")))"
  [ -s "$GOOGLE_WORK/$2" ] || return 0
  {
    printf '%s\n' "$3" | tr ',' '\t'
    # Control characters are shown as a space.
    jq -r --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_LABS$4"'
      | map(tostring | gsub("[[:cntrl:]]"; " ")) | join("\t")' "$GOOGLE_WORK/$2"
  } >"$GOOGLE_WORK/rows"
  # awk reads the file twice, first for the widths, because there may be rows for a hundred thousand machines.
  awk -F '\t' '
    NR == FNR {
      for (column = 1; column <= NF; column++) if (length($column) > width[column]) width[column] = length($column)
      next
    }
    {
      line = ""
      for (column = 1; column <= NF; column++) line = line sprintf("  %-" width[column] "s", $column)
      sub(/ +$/, "", line)
      print line
    }
  ' "$GOOGLE_WORK/rows" "$GOOGLE_WORK/rows"
}

for collection in groups sources assets importJobs; do
  google_list "$location/$collection" "$GOOGLE_WORK/$collection" ||
    google_fail "The $collection of project $PROJECT_ID in $REGION cannot be read." \
      "To fix: check project and region; the caller needs roles/migrationcenter.viewer."
done
# shellcheck disable=SC2016 # names of jq
show Sources sources "ID,DISPLAY NAME,TYPE,STATE,PENDING FRAMES,ERROR FRAMES,LABS" '
  [(.name | last_part), .displayName // "", .type // "SOURCE_TYPE_UNKNOWN", .state // "STATE_UNSPECIFIED",
    .pendingFrameCount // 0, .errorFrameCount // 0, (labs($groups) | join(" "))]'
# Databases and the like have no machine details.
show Assets assets "ID,MACHINE,OPERATING SYSTEM,HIDDEN,SOURCES" '
  [(.name | last_part), .machineDetails.machineName // "",
    .machineDetails.guestOs.osName // .machineDetails.guestOsDetails.osName // "",
    if .hidden then "hidden" else "" end, ([.sources[]? | last_part] | join(" "))]'
show "Import jobs" importJobs "ID,DISPLAY NAME,STATE" '
  [(.name | last_part), .displayName // "", .state // "IMPORT_JOB_STATE_UNSPECIFIED"]'

# The source is not in the state of Terraform, which therefore notices no loss.
is_registered() {
  jq -en --arg id "$SOURCE_ID" 'any(inputs; .name | endswith("/sources/" + $id))' "$GOOGLE_WORK/sources" >/dev/null
}

if [ -n "${SOURCE_ID:-}" ] && ! is_registered; then
  google_say "Source $SOURCE_ID is not registered in $REGION of project $PROJECT_ID." \
    "To register it, in the folder of the configuration, in which the lab is called \"lab\":" \
    "terraform apply -replace='terraform_data.lab_source_registered[0]'"
fi
