#!/bin/sh
# Says whether a service that runs Terraform has what the scripts of the folders need: programs, and a token of the
# account that it runs as. It changes nothing.
set -eu

programs='
  awk base64 cat chmod cksum cp curl cut date grep jq ln mkdir mkfifo mktemp
  mv od rm sed sh sha256sum sleep sort tail tr wc
'
problems=

for program in $programs; do
  command -v "$program" >/dev/null 2>&1 || problems="$problems $program"
done

# The answer has a secret, so nothing of it is shown.
has_token() {
  curl -q --silent --fail --noproxy '*' --connect-timeout 2 --max-time 5 --header 'Metadata-Flavor: Google' \
    "http://${GCE_METADATA_HOST:-169.254.169.254}/computeMetadata/v1/instance/service-accounts/default/token" \
    >/dev/null 2>&1
}

[ -n "${GOOGLE_OAUTH_ACCESS_TOKEN:-}${GOOGLE_CREDENTIALS:-}${GOOGLE_APPLICATION_CREDENTIALS:-}" ] || has_token ||
  problems="$problems credentials"

[ -z "$problems" ] || {
  echo "This runtime lacks:$problems. Apply the folders somewhere else, or in a runtime that has them." >&2
  exit 1
}
echo 'This runtime has all that the scripts need.'
