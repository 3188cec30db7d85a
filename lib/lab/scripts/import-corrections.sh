# shellcheck shell=sh disable=SC2034,SC2154 # import-inventory.sh reads what is set here, and sets what is read
# Shell library of import-inventory.sh: corrections for what the service may refuse without need, each in a new job.
#
# To be sourced after assessment-rest.sh. Each correction is made once: leave out header-only files (left_out), import
# labels instead of tags (cleaned), use a separate source (own_source).

# Prints the causes of the errors: any of empty, tags and source; nothing if there is any other error.
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

# Records the job, which has imported nothing, for deletion.
leave_job() {
  echo "$job_id" >>"$GOOGLE_WORK/tries"
}

use_own_source() {
  google_say "Importing once more, into a source of its own for uploaded files."
  own_source=yes
  job_source=$own_source_id
}

register_own_source() {
  [ "$own_source" = yes ] && [ "$registered" = no ] || return 0
  registered=yes
  UPLOADS_OF=$SOURCE_ID
  export UPLOADS_OF
  SOURCE_ID=$job_source SOURCE_TYPE=SOURCE_TYPE_UPLOAD SOURCE_DISPLAY_NAME="$source_name (upload)" \
    sh "$scripts/register-source.sh" || exit 1
}

# Applies the corrections that are left; returns 1 when there are none.
correct() {
  causes=" $(causes_of_errors) "
  case $causes in
    "  ") return 1 ;;
    *" empty "*) [ "$left_out" = no ] || return 1 ;;
  esac
  case $causes in
    *" tags "*) [ "$cleaned" = no ] || return 1 ;;
  esac
  case $causes in
    *" source "*) [ "$own_source" = no ] || return 1 ;;
  esac
  google_say "The service refuses parts of import job $job_id:"
  show_findings errors
  leave_job
  case $causes in
    *" empty "*)
      google_say "Importing once more, without the files that have a header only."
      left_out=yes
      ;;
  esac
  case $causes in
    *" tags "*)
      google_say "Importing once more, with tags in the form of labels: lower case, other characters as \"_\"."
      [ "$lost_labels" -eq 0 ] || google_say "Of the tags, $lost_labels are left out: in that form their machine has one" \
        "of the same key already, or 64 labels."
      cleaned=yes
      ;;
  esac
  case $causes in
    *" source "*) use_own_source ;;
  esac
}
