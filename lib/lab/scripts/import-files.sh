# shellcheck shell=sh disable=SC2034,SC2154 # import-inventory.sh reads what is set here, and sets what is read
# Shell library of import-inventory.sh: checks the inventory's files and uploads them to an import job.
#
# To be sourced after assessment-rest.sh. Reads job, job_id, INVENTORY_FOLDER and OPERATION_SECONDS.

# The service's limit per file.
largest_file_bytes=104857600
format=IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV
tab=$(printf '\t')

# SHA-256 of a file; macOS has shasum instead of sha256sum.
digest_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  else
    shasum -a 256 <"$1"
  fi
}

# A folder with the mixed files of two exports must not be imported.
check_files() {
  [ -f "$INVENTORY_FOLDER/machines.json" ] ||
    google_refuse "$INVENTORY_FOLDER/machines.json is missing; run export-inventory.sh again."
  while IFS=$tab read -r name kind rows bytes digest; do
    file=$INVENTORY_FOLDER/$name
    if [ ! -f "$file" ]; then
      google_refuse "$file is missing; manifest.json names it."
    elif [ "$(($(wc -c <"$file")))" -ne "$bytes" ]; then
      google_refuse "$file has $(($(wc -c <"$file"))) bytes; manifest.json says $bytes. Run export-inventory.sh again."
    elif [ "$bytes" -gt "$largest_file_bytes" ]; then
      google_refuse "$file has $bytes bytes; the service takes $largest_file_bytes. Cut it into several with the same header."
    elif [ -n "$digest" ]; then
      found=$(digest_of "$file")
      [ "${found%% *}" = "$digest" ] ||
        google_refuse "$file has other contents than manifest.json says. Run export-inventory.sh again."
    fi
  done <"$GOOGLE_WORK/files"
  google_check_settings
}

# Lists the files of the job, one line each: name and path.
list_files() {
  while IFS=$tab read -r name kind rows bytes digest; do
    printf '%s\t%s\n' "$name" "$INVENTORY_FOLDER/$name"
  done <"$GOOGLE_WORK/files" >"$GOOGLE_WORK/job-files"
  file_count=$(($(wc -l <"$GOOGLE_WORK/job-files")))
}

# A file's id in the service: lower-case letters and hyphens instead of dots and underscores.
file_id() {
  printf '%s' "$1" | tr '[:upper:]._' '[:lower:]--'
}

# State of a file in the last response: creating, addressed (has a signed URL), or bare (exists without one).
file_state() {
  jq -r '(.response // .) | if .state == "CREATING" then "creating"
    elif .uploadFileInfo.signedUri then "addressed" else "bare" end' "$GOOGLE_ANSWER" 2>/dev/null || echo bare
}

# create_file NAME: creates a file; the last response then contains its signed URL.
create_file() {
  file="$job/importDataFiles/$(file_id "$1")"
  printf '{ "displayName": "%s", "format": "%s" }\n' "$1" "$format" >"$GOOGLE_WORK/file.json"
  if ! google_begin migrationcenter "$job/importDataFiles" "$GOOGLE_WORK/file.json" \
    "importDataFileId=${file##*/}&requestId=$(google_new_request_id)" ||
    ! google_await migrationcenter "File $1" "$OPERATION_SECONDS"; then
    fail_in_job "Import job $job_id takes no file $1."
  fi
  read_again=no
  file_until=$(($(google_seconds) + OPERATION_SECONDS))
  while :; do
    case $(file_state)/$read_again in
      addressed/* | bare/yes) return 0 ;;
      creating/yes)
        if [ "$(google_seconds)" -ge "$file_until" ]; then
          google_error "File $1 of import job $job_id is still being created after $OPERATION_SECONDS s."
          google_error "  To fix: run the same command again; the half-done job is replaced."
          exit 1
        fi
        google_progress "File $1" "still being created"
        google_sleep "$REST_POLL_SECONDS"
        ;;
    esac
    read_again=yes
    google_get migrationcenter "$file" || fail_in_job "The address to send $1 to cannot be read."
  done
}

delete_file() {
  if google_delete migrationcenter "$file" "requestId=$(google_new_request_id)" &&
    google_await migrationcenter "File ${file##*/}" "$OPERATION_SECONDS"; then
    return 0
  fi
  google_says '^NOT_FOUND' || google_fail "File ${file##*/} of import job $job_id, whose address has expired, cannot be deleted."
}

# Whether Cloud Storage refused a signed URL as expired.
address_expired() {
  google_has_reason ExpiredToken || google_says 'has expired|request signature expired'
}

created_at() {
  jq -r '(.response // .).createTime // ""' "$GOOGLE_ANSWER" 2>/dev/null || :
}

# Whether the file that this run has created is gone, or is another one by that name. Cloud Storage only denies access then.
file_was_replaced() {
  if google_get migrationcenter "$file"; then
    [ "${file_time:-$(created_at)}" != "$(created_at)" ]
  else
    google_says '^NOT_FOUND'
  fi
}

# send_file NAME PATH
send_file() {
  addresses=1
  create_file "$1"
  file_time=$(created_at)
  until google_upload "$2"; do
    if ! address_expired || [ "$addresses" -ge 3 ]; then
      # In a shell of its own, which leaves the refusal as the last response.
      if (file_was_replaced); then
        google_error "$1 cannot be uploaded: another run works on import job $job_id and has replaced or deleted it."
        google_error "  $another_run"
        exit 1
      fi
      google_fail "$1 cannot be uploaded." "To fix: run the same command again; the half-done job is replaced."
    fi
    addresses=$((addresses + 1))
    google_say "The address for $1 has expired; asking for another one."
    delete_file
    create_file "$1"
    file_time=$(created_at)
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
