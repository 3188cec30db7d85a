#!/bin/sh
# Prepares a Linux VM of an assessment lab: creates the lab user, who signs in with the lab's key and has full sudo
# rights, because the discovery client collects data as an administrator. Runs as root at every boot and keeps what is
# already there. At the same time the guest agent creates the same user from the metadata; the keys of both are kept.
#
# The metadata keys lab-user and lab-ssh-key have the values, never this script. Output goes to the serial port, with a
# last line "assessment-lab: ready" or "assessment-lab: incomplete: ...".
#
# Environment, all optional:
#   GCE_METADATA_HOST             host and port of the metadata server (metadata.google.internal)
#   ASSESSMENT_LAB_ROOT           folder to use as the root folder (none)
#   ASSESSMENT_LAB_PAUSE_SECONDS  pause between two attempts (5)
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi
umask 077

attributes=http://${GCE_METADATA_HOST:-metadata.google.internal}/computeMetadata/v1/instance/attributes
root=${ASSESSMENT_LAB_ROOT:-}
attempts=24
# The line above the lab's key, by which a later run finds and replaces the key.
key_mark='# Added by assessment-lab'

say() { printf 'assessment-lab: %s\n' "$*"; }

fail() {
  say "incomplete: $*"
  exit 1
}

# retry WHAT COMMAND...: leaves the command's output in result.
retry() {
  what=$1
  shift
  attempt=1
  until result=$("$@" 2>&1); do
    [ "$attempt" -lt "$attempts" ] || fail "$what: $result"
    say "$what: attempt $attempt of $attempts: $result"
    attempt=$((attempt + 1))
    sleep "${ASSESSMENT_LAB_PAUSE_SECONDS:-5}"
  done
}

# A password of "*" matches nothing, but unlike "!" it does not lock the account. The guest agent may be changing the
# same files, and creates the home folder last.
ensure_user() {
  getent passwd "$lab_user" >/dev/null || useradd --create-home --shell /bin/bash --password '*' "$lab_user" || return 1
  [ -d "$root$(getent passwd "$lab_user" | cut -d: -f6)" ] || { echo "no home folder yet" && return 1; }
}

# read_value KEY FORM: leaves the value in result.
read_value() {
  retry metadata curl --fail --silent --show-error --noproxy '*' --connect-timeout 2 --max-time 5 \
    --header 'Metadata-Flavor: Google' "$attributes/$1"
  [ "$(printf '%s\n' "$result" | head -n 1 | grep -Ex "$2")" = "${result:-none}" ] ||
    fail "the metadata key $1 has another form"
}

read_value lab-user '[a-z_][a-z0-9_-]{0,31}'
lab_user=$result
# Any other key could add a second one to authorized_keys, or options that run commands.
read_value lab-ssh-key '(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+=*( [ -~]*)?'
public_key=$result

retry "user $lab_user" ensure_user
folder=$root$(getent passwd "$lab_user" | cut -d: -f6)/.ssh
mkdir -p "$folder"
{
  [ ! -e "$folder/authorized_keys" ] ||
    awk -v mark="$key_mark" '$0 == mark { ours = 1; next } ours { ours = 0; next } { print }' "$folder/authorized_keys"
  printf '%s\n%s\n' "$key_mark" "$public_key"
} >"$folder/.authorized_keys"
chmod 700 "$folder"
chown "$(getent passwd "$lab_user" | cut -d: -f3,4)" "$folder" "$folder/.authorized_keys"
mv -f "$folder/.authorized_keys" "$folder/authorized_keys"

# sudo ignores files with a dot in their name; one invalid file in this folder would disable it for all users.
draft=$root/etc/sudoers.d/.assessment-lab
printf '%s ALL=(ALL:ALL) NOPASSWD: ALL\n' "$lab_user" >"$draft"
message=$(visudo -c -f "$draft" 2>&1) || { rm -f "$draft" && fail "sudo does not accept its new rule: $message"; }
chmod 440 "$draft"
mv -f "$draft" "$root/etc/sudoers.d/assessment-lab"
say ready
