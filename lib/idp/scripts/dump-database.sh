#!/bin/sh
# Dumps a database into a folder, usually a mounted bucket, from which restore.sh restores it. Runs as a job.
#
# A dump is the file dumps/<database>-<time>.dump. Its checksum is written last, into a second file of that name with
# .sha256 added: a dump without a checksum is incomplete. Only the copy of the newest dump, latest/<database>.dump, is
# ever replaced, in one step, and never by a dump without tables. A failed run can be repeated: it leaves at most a dump
# without a checksum.
#
# If DUMP_COPIES names other buckets, the finished dump and then its checksum are copied to <other bucket>/<bucket of
# the dumps>/<database>-<time>.dump. The service account of the job may only create objects there. Cloud Storage makes
# the copy; the data do not pass through this job.
#
#   DB_HOST             socket directory or address of the database
#   DB_PORT             default 5432
#   DB_NAME             database
#   DB_USER             login that acts as the owner of its tables
#   DB_PASSWORD         its password
#   DB_WAIT_SECONDS     how long to wait for the database, default 300
#   DB_PROXY_QUIT_URL   receives a POST when this script ends, whatever the outcome; empty: no proxy to stop
#   DUMP_FOLDER         folder of the dumps
#   DUMP_SECONDS        time limit of reading the database, default 1500
#   STORE_SECONDS       time limit of writing or reading a file in the folder, default 1500
#   DUMP_COPIES         buckets to copy a finished dump to, separated by spaces; default none
#   DUMP_BUCKET         bucket that is mounted in DUMP_FOLDER, for copies
#   COPY_SECONDS        time limit of the copies into one bucket, default 300
#   STORAGE_URL         Cloud Storage; otherwise only a loopback address, for tests
#   METADATA_URL        metadata server; otherwise only a loopback address, for tests
#   PGSSLMODE           default disable for a socket directory or loopback, else require
#
# Exit codes: 0 done · 1 the database could not be dumped · 2 settings are wrong · 3 database not reachable in time
#   4 the dump could not be stored · 5 the dump is stored, but at least one copy is missing
#   129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi
umask 077
export LC_ALL=C

: "${DB_HOST:=}" "${DB_NAME:=}" "${DB_USER:=}" "${DB_PASSWORD:=}" "${DUMP_FOLDER:=}" "${DB_PROXY_QUIT_URL:=}"
: "${DB_PORT:=5432}" "${DB_WAIT_SECONDS:=300}" "${DUMP_SECONDS:=1500}" "${STORE_SECONDS:=1500}"
: "${DUMP_COPIES:=}" "${DUMP_BUCKET:=}" "${COPY_SECONDS:=300}"
: "${STORAGE_URL:=https://storage.googleapis.com}" "${METADATA_URL:=http://metadata.google.internal}"
work=

finish() {
  code=$?
  trap - EXIT
  # Without settings, there is no temporary folder yet.
  if [ -n "$work" ]; then
    [ ! -s "$work/programs" ] || xargs kill <"$work/programs" 2>/dev/null || :
    rm -rf "$work"
  fi
  # The database proxy listens on loopback, which an HTTP proxy from the environment cannot reach.
  if [ -n "$DB_PROXY_QUIT_URL" ] && ! (
    unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
    timeout -s KILL 4 wget -q -O /dev/null --post-data "" "$DB_PROXY_QUIT_URL"
  ); then
    echo "the proxy does not take the signal at $DB_PROXY_QUIT_URL; this job runs until its time limit" >&2
  fi
  exit "$code"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
  code=$1
  shift
  printf 'failed: %s\n' "$*" >&2
  exit "$code"
}

for setting in "DB_HOST $DB_HOST" "DB_NAME $DB_NAME" "DB_USER $DB_USER" "DB_PASSWORD $DB_PASSWORD" \
  "DUMP_FOLDER $DUMP_FOLDER"; do
  [ -n "${setting#* }" ] || fail 2 "${setting% } is missing"
done
[ -z "$DUMP_COPIES" ] || [ -n "$DUMP_BUCKET" ] || fail 2 "DUMP_BUCKET is missing, which DUMP_COPIES needs"
for url in "$STORAGE_URL" "$METADATA_URL"; do
  case $url in
    https://storage.googleapis.com | http://metadata.google.internal | http://127.0.0.1:*) ;;
    *) fail 2 "\"$url\" is neither Google's nor a loopback address, so it must not get a token" ;;
  esac
done
[ -d "$DUMP_FOLDER" ] || fail 2 "DUMP_FOLDER is \"$DUMP_FOLDER\", no folder"

# Variables that would override the server or the login.
unset PGHOSTADDR PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS PGREQUIREPEER
# No TLS to a socket, nor to the proxy beside this job: the proxy accepts none, and encrypts its own connection to the
# database.
case $DB_HOST in
  /* | localhost | 127.0.0.1 | ::1) : "${PGSSLMODE:=disable}" ;;
  *) : "${PGSSLMODE:=require}" ;;
esac
export PGHOST="$DB_HOST" PGPORT="$DB_PORT" PGUSER="$DB_USER" PGPASSWORD="$DB_PASSWORD" PGDATABASE="$DB_NAME"
export PGCONNECT_TIMEOUT=10 PGGSSENCMODE=disable PGAPPNAME=dump-database PGSSLMODE

full="the temporary folder ${TMPDIR:-/tmp} is full or cannot be written; make room there, or give the job more memory"
# In a subshell, which a limit on the size of files may kill.
work=$(mktemp -d) || fail 1 "$full"
(printf '%65536s' '' >"$work/room") 2>/dev/null || fail 1 "$full"
rm "$work/room"

# limited SIGNAL SECONDS PROGRAM...: runs a program with a time limit. It runs in the background and is listed in the
# file programs, so that finish can stop it. Descriptor 4 passes standard input on, because a shell gives a program in
# the background /dev/null instead.
limited() {
  { timeout -s "$@" <&4 & } 4<&0
  echo "$!" >>"$work/programs"
  wait "$!"
}

# store FILE: writes standard input to a file of the folder. A mounted bucket uploads a file when it is closed: dd
# reports a failure of that, a redirection does not.
store() {
  limited KILL "$STORE_SECONDS" dd "of=$1" bs=1M conv=fsync 2>"$work/stored" || {
    cat "$work/stored" >&2
    return 1
  }
}

# sum_of FILE: prints the checksum of the file, read back from the folder.
sum_of() {
  sum_line=$(limited KILL "$STORE_SECONDS" sha256sum "$1") || return 1
  printf '%s\n' "${sum_line%% *}"
}

# store_sum FILE SUM...: writes the checksum file of FILE. With two checksums, either content of FILE is accepted.
store_sum() {
  sum_file=$1
  shift
  printf "%s  ${sum_file##*/}\n" "$@" | store "$sum_file.sha256"
}

# Replaces latest/<database>.dump so that it can be restored at any moment: the checksum file first lists the old and
# the new checksum, then a complete copy is renamed. Another run may do the same at the same time, with a temporary file
# of its own, so the checksum file is compared with the dump at the end, and corrected.
replace_newest() {
  newest=$DUMP_FOLDER/latest/$DB_NAME.dump
  new=$newest.${work##*.}.new
  # Temporary files of killed runs.
  find "$DUMP_FOLDER/latest" -name '*.new' -mmin +1440 -exec rm -f {} +
  store "$new" <"$file" && [ "$(sum_of "$new")" = "$sum" ] || return 1
  if [ -e "$newest" ]; then
    former_sum=$(sum_of "$newest") && store_sum "$newest" "$former_sum" "$sum" || return 1
  fi
  mv "$new" "$newest" && store_sum "$newest" "$sum" || return 1
  until now=$(sum_of "$newest") && grep -q "^$now " "$newest.sha256"; do
    [ -n "$now" ] && store_sum "$newest" "$now" || return 1
  done
}

# ask FILE ARGUMENT...: sends a request by wget, and writes the body of the response to FILE. Returns 1 unless the
# status is 200, and then sets `answered` to the status or the error. The arguments contain the token, which is safe
# because no other user is in the container.
ask() {
  answer=$1
  shift
  limited KILL 60 wget -q -S -O "$answer" "$@" 2>"$work/answered" && return
  # The status of the response; without a response, the message of wget.
  answered=$(sed -n 's/.*HTTP\/[0-9.]* \([1-5][0-9][0-9].*\)/\1/p' "$work/answered" | tail -n 1 | tr -d '\r')
  answered=${answered:-$(tail -n 1 "$work/answered")}
  answered=${answered:-no answer}
  return 1
}

# rewrite BUCKET FILE: sends one request to copy the finished FILE of dumps/ into another bucket. A large file needs
# several requests; `rest` continues after the previous one.
rewrite() {
  ask "$work/token" --header "Metadata-Flavor: Google" \
    "$METADATA_URL/computeMetadata/v1/instance/service-accounts/default/token" || return 1
  token=$(sed -n 's/.*"access_token" *: *"\([^"]*\)".*/\1/p' "$work/token")
  # Generation 0 means that nothing is replaced: a copy that exists is complete.
  copy="b/$1/o/$DUMP_BUCKET%2F$2?ifGenerationMatch=0$rest"
  ask "$work/copied" --header "Authorization: Bearer $token" --header "Content-Type: application/json" \
    --post-data "{}" "$STORAGE_URL/storage/v1/b/$DUMP_BUCKET/o/dumps%2F$2/rewriteTo/$copy"
}

# copy_file BUCKET FILE: copies a finished file of dumps/ into another bucket. Retries after any failure until
# copy_until, also after a missing permission, because a grant takes minutes to become effective.
copy_file() {
  rest='' unsure='' pause=1
  while :; do
    if rewrite "$1" "$2"; then
      ! grep -q '"done" *: *true' "$work/copied" || return 0
      rest=$(sed -n 's/.*"rewriteToken" *: *"\([^"]*\)".*/\1/p' "$work/copied" |
        sed 's/%/%25/g; s/+/%2B/g; s/&/%26/g; s/=/%3D/g; s,/,%2F,g')
      rest=${rest:+&rewriteToken=$rest}
      [ -z "$rest" ] || continue
      answered="an answer that is not Cloud Storage's"
    fi
    case $answered in
      # The copy exists. If a response was lost before, its request has made the copy.
      412*) [ -z "$unsure" ] || return 0 ;;
      4*) ;;
      *) unsure=yes ;;
    esac
    [ $(($(date +%s) + pause)) -lt "$copy_until" ] || return 1
    sleep "$pause"
    [ "$pause" -ge 16 ] || pause=$((pause * 2))
  done
}

# copy_dump NAME: copies the dump and then its checksum into every bucket of DUMP_COPIES. Returns 1 if a copy is
# missing, and sets uncopied to the buckets and the reasons.
copy_dump() {
  uncopied=
  for bucket in $DUMP_COPIES; do
    copy_until=$(($(date +%s) + COPY_SECONDS))
    if copy_file "$bucket" "$1" && copy_file "$bucket" "$1.sha256"; then
      echo "copied to gs://$bucket/$DUMP_BUCKET/$1"
    else
      uncopied="${uncopied:+$uncopied; }$bucket: $answered"
    fi
  done
  [ -z "$uncopied" ]
}

dump() {
  started_at=$(date +%s)
  until limited KILL 15 pg_isready --quiet; do
    [ $? -ne 3 ] ||
      fail 2 "no connection can be tried with DB_HOST=$DB_HOST, DB_PORT=$DB_PORT and PGSSLMODE=$PGSSLMODE;" \
        "correct these"
    [ $(($(date +%s) - started_at)) -lt "$DB_WAIT_SECONDS" ] ||
      fail 3 "PostgreSQL at $DB_HOST port $DB_PORT did not answer within $DB_WAIT_SECONDS s"
    sleep 1
  done

  for folder in dumps latest; do
    mkdir -p "$DUMP_FOLDER/$folder" || fail 4 "$DUMP_FOLDER/$folder cannot be created"
  done
  while
    file=$DUMP_FOLDER/dumps/$DB_NAME-$(date -u +%Y%m%dT%H%M%SZ).dump
    [ -e "$file" ]
  do sleep 1; done

  echo "dumping $DB_NAME to ${file#"$DUMP_FOLDER/"}"
  mkfifo "$work/copy"
  sha256sum <"$work/copy" >"$work/sum" &
  summing=$!
  # A pipeline returns the exit code of its last program only, and a failed pg_dump leaves a file that looks like a
  # dump. So each end of the pipeline reports its success on descriptor 3.
  codes=$({
    { limited TERM "$DUMP_SECONDS" pg_dump --format=custom --compress=6 --no-privileges --no-password \
      --lock-wait-timeout=60000 && echo dumped >&3; } | tee "$work/copy" | { store "$file" && echo stored >&3; }
  } 3>&1) || :
  wait "$summing" || :
  case $codes in
    *dumped*) ;;
    *stored*) fail 1 "$DB_NAME could not be dumped; what is stored has no checksum and will not be restored" ;;
  esac
  case $codes in
    *dumped*stored* | *stored*dumped*) ;;
    *) fail 4 "the dump could not be stored" ;;
  esac
  read -r sum _ <"$work/sum" || fail 1 "$full"
  stored_sum=$(sum_of "$file") || fail 4 "the stored dump cannot be read"
  [ "$stored_sum" = "$sum" ] || fail 4 "the stored dump is not what was read from the database"
  store_sum "$file" "$sum" || fail 4 "the checksum could not be stored"

  # The word at the end shows that the list is complete.
  list=$({ limited KILL "$STORE_SECONDS" pg_restore --list "$file" && echo listed; } |
    grep -E ' TABLE DATA |^listed$') || :
  case $list in
    *' TABLE DATA '*listed) replace_newest || fail 4 "the dump is stored, but not its copy $newest" ;;
    listed) echo "$DB_NAME has no tables, so latest/$DB_NAME.dump stays as it is" >&2 ;;
    *) fail 4 "the stored dump cannot be read" ;;
  esac
  # shellcheck disable=SC2154 # unrestorable.sh sets it, in front of this script in the same text
  found=$(limited KILL 60 psql --no-psqlrc --no-password --quiet --no-align --tuples-only \
    --command="$UNRESTORABLE") || :
  if [ -n "$found" ]; then
    echo "a restore of this dump may fail: $found; remove what is of another owner," \
      "or raise max_locks_per_transaction in database_flags" >&2
  fi
  [ -z "$DUMP_COPIES" ] || copy_dump "${file##*/}" ||
    fail 5 "the dump is stored, but not its copy in $uncopied; the bucket must exist, and the service account of" \
      "this job needs roles/storage.objectCreator on it"
  echo "done: $(wc -c <"$file") bytes after $(($(date +%s) - started_at)) s"
}

# In the background, because a shell handles a signal only after the program in the foreground has ended.
dump &
dumping=$!
echo "$dumping" >>"$work/programs"
wait "$dumping"
