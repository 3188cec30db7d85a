#!/bin/sh
# Prepares a Linux VM of an assessment lab: creates the lab user, who signs in with the lab's key and has full sudo
# rights, because the discovery client collects data as an administrator.
#
# Runs as root at every boot and keeps what is already there. At the same time the guest agent creates the same user
# from the metadata: whichever comes second finds the user, and the keys of both are kept.
#
# The values of the lab come from the metadata server as one JSON object, never as part of this script. Output goes to
# the serial port, with a last line "assessment-lab: ready" or "assessment-lab: incomplete: ...".
#
# Environment, all optional:
#   GCE_METADATA_HOST             host and port of the metadata server (metadata.google.internal)
#   ASSESSMENT_LAB_ROOT           folder to use as the root folder (none)
#   ASSESSMENT_LAB_PAUSE_SECONDS  pause between two attempts (5)
set -eu

# The patterns below are meant for ASCII.
LC_ALL=C
export LC_ALL
umask 077

metadata_key=assessment-lab
metadata_host=${GCE_METADATA_HOST:-metadata.google.internal}
metadata_address=http://$metadata_host/computeMetadata/v1/instance/attributes/$metadata_key
metadata_attempts=24
user_attempts=6
pause_seconds=${ASSESSMENT_LAB_PAUSE_SECONDS:-5}
root=${ASSESSMENT_LAB_ROOT:-}
# Smaller ids belong to the system.
first_user_id=1000
# The line above the lab's key, by which a later run finds and replaces the key.
key_mark='# Added by assessment-lab'
new_keys=
new_sudoers=

say() {
  printf 'assessment-lab: %s\n' "$*"
}

fail() {
  say "incomplete: $*"
  exit 1
}

remove_drafts() {
  for draft in "$new_keys" "$new_sudoers"; do
    [ -z "$draft" ] || rm -f "$draft"
  done
}
trap remove_drafts EXIT
trap 'exit 143' HUP INT TERM

read_values() {
  attempt=1
  until values=$(curl --fail --silent --show-error --stderr - --noproxy '*' --connect-timeout 2 --max-time 5 \
    --header 'Metadata-Flavor: Google' "$metadata_address"); do
    [ "$attempt" -lt "$metadata_attempts" ] || fail "the metadata server does not give $metadata_key: $values"
    say "metadata: attempt $attempt of $metadata_attempts: $values"
    attempt=$((attempt + 1))
    sleep "$pause_seconds"
  done
}

# Prints one string of the object; exits with this code when the object has no such string.
exit_no_text=3
value() {
  printf '%s' "$values" | python3 -c '
import json, sys
try:
    text = json.load(sys.stdin)[sys.argv[1]]
    assert isinstance(text, str)
except Exception:
    sys.exit(int(sys.argv[2]))
sys.stdout.write(text)
' "$1" "$exit_no_text"
}

no_value() {
  [ "$2" -eq "$exit_no_text" ] || fail "python3 is not there or cannot read JSON"
  fail "the metadata key $metadata_key has no text for $1"
}

check_values() {
  case $lab_user in
    '' | [!a-z_]* | *[!a-z0-9_-]*) fail "labUser can be no user: it takes lower-case letters, digits, _ and -" ;;
  esac
  [ "${#lab_user}" -le 32 ] || fail "labUser can be no user: it has more than 32 characters"
  # Anything else could add a second key to authorized_keys, or options that run commands.
  case $ssh_public_key in
    *[![:print:]]*) fail "sshPublicKey is no single line" ;;
  esac
  printf '%s\n' "$ssh_public_key" |
    grep -Eq '^(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+=*( |$)' ||
    fail "sshPublicKey is no public key of SSH"
}

# Sets user_id, group_id and home; returns 1 when there is no such user.
find_user() {
  entry=$(getent passwd "$lab_user") || return 1
  user_id=$(printf '%s\n' "$entry" | cut -d: -f3)
  group_id=$(printf '%s\n' "$entry" | cut -d: -f4)
  home=$root$(printf '%s\n' "$entry" | cut -d: -f6)
}

ensure_user() {
  attempt=1
  until find_user; do
    # A password of "*" matches nothing, but unlike "!" it does not lock the account.
    if message=$(useradd --create-home --shell /bin/bash --password '*' "$lab_user" 2>&1); then
      say "user $lab_user: created"
    elif [ "$attempt" -ge "$user_attempts" ]; then
      fail "user $lab_user cannot be created: $message"
    else
      # The guest agent may be changing the same files.
      say "user $lab_user: attempt $attempt of $user_attempts: $message"
      attempt=$((attempt + 1))
      sleep "$pause_seconds"
    fi
  done
  [ "$user_id" -ge "$first_user_id" ] || fail "user $lab_user belongs to the system"
  attempt=1
  # Creating the folder here would disturb the guest agent if it is creating the user at this moment.
  until [ -d "$home" ]; do
    [ "$attempt" -lt "$user_attempts" ] || fail "user $lab_user has no home folder $home"
    say "user $lab_user: attempt $attempt of $user_attempts: no home folder yet"
    attempt=$((attempt + 1))
    sleep "$pause_seconds"
  done
}

# Keeps the keys of others and replaces an earlier key of the lab. The file is replaced atomically, so that SSH never
# reads half of it.
authorize_key() {
  folder=$home/.ssh
  keys=$folder/authorized_keys
  # Through a link, root would write wherever the user points it.
  for path in "$home" "$folder" "$keys"; do
    [ ! -L "$path" ] || fail "$path is a link"
  done
  mkdir -p "$folder"
  new_keys=$(mktemp "$folder/.authorized_keys.XXXXXX")
  if [ -e "$keys" ]; then
    awk -v mark="$key_mark" '$0 == mark { ours = 1; next } ours { ours = 0; next } { print }' "$keys" >"$new_keys"
  fi
  printf '%s\n%s\n' "$key_mark" "$ssh_public_key" >>"$new_keys"
  chmod 700 "$folder"
  chmod 600 "$new_keys"
  chown "$user_id:$group_id" "$folder" "$new_keys"
  mv -f "$new_keys" "$keys"
  new_keys=
  say "user $lab_user: signs in with the key of the lab"
}

allow_sudo() {
  sudoers=$root/etc/sudoers.d/assessment-lab
  # sudo ignores files with a dot in their name.
  new_sudoers=$(mktemp "$root/etc/sudoers.d/.assessment-lab.XXXXXX")
  printf '%s ALL=(ALL:ALL) NOPASSWD: ALL\n' "$lab_user" >"$new_sudoers"
  # One invalid file in this folder would disable sudo for all users.
  message=$(visudo -c -f "$new_sudoers" 2>&1) || fail "sudo does not accept its new rule: $message"
  chmod 440 "$new_sudoers"
  mv -f "$new_sudoers" "$sudoers"
  new_sudoers=
  say "user $lab_user: may do everything with sudo"
}

read_values
lab_user=$(value labUser) || no_value labUser $?
ssh_public_key=$(value sshPublicKey) || no_value sshPublicKey $?
check_values
ensure_user
authorize_key
allow_sudo
say ready
