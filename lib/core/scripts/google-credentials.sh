# shellcheck shell=sh
# Shell library of google-rest.sh, which sources it: where access tokens come from. Credentials have the forms that the
# google provider takes: the key of a service account, workload identity federation, a user's refresh token, and
# impersonation of a service account with one of these.
#
# Secrets go through pipes and variables, never into files, arguments, or here-documents, which are files to some
# shells.

google_scope=https://www.googleapis.com/auth/cloud-platform

# google_keep_token SOURCE TOKEN [WHY]: keeps the token for google_curl. If TOKEN is not one, records SOURCE and the
# reason.
google_keep_token() {
  case $2 in
    '' | *[!A-Za-z0-9._~+/=-]*)
      google_tried="$google_tried
  - $1: $3"
      return 1
      ;;
  esac
  GOOGLE_TOKEN_SOURCE=$1
  google_token=$2
}

# The Python process behind gcloud may outlive it and keep the pipe open, so the reader waits for a line and not for the
# end of the pipe.
google_gcloud() {
  # shellcheck disable=SC2086 # the sub-command is two words
  CLOUDSDK_CORE_DISABLE_PROMPTS=1 exec gcloud $1 print-access-token >&8 2>"$GOOGLE_WORK/gcloud-error" 8>&- 9<&-
}

google_try_gcloud() {
  google_answered='' google_why="gcloud is not installed"
  if command -v gcloud >/dev/null 2>&1; then
    google_open_pipe
    google_code=0
    google_within "$REST_TOKEN_SECONDS" google_gcloud "$1" || google_code=$?
    # Beside, because the pipe may be full.
    [ "$google_code" -ne 0 ] || { echo >&8 & read -r google_answered <&9; }
    [ "$google_code" -ne 124 ] || echo "no answer within $REST_TOKEN_SECONDS s" >"$GOOGLE_WORK/gcloud-error"
    exec 8>&- 9<&-
    google_why=$(google_text <"$GOOGLE_WORK/gcloud-error")
  fi
  google_keep_token "gcloud $1 print-access-token" "$google_answered" "$google_why"
}

google_try_metadata() {
  google_host=${GCE_METADATA_HOST:-169.254.169.254}
  # A proxy cannot reach the metadata server; outside Google Cloud nothing answers, so the limits are short.
  google_answered=$(curl -q --silent --noproxy '*' --connect-timeout 1 --max-time 3 --header 'Metadata-Flavor: Google' \
    "http://$google_host/computeMetadata/v1/instance/service-accounts/default/token" |
    jq -r '.access_token? // empty' 2>/dev/null) || google_answered=
  google_keep_token "metadata server at $google_host" "$google_answered" \
    "no token (it exists on Google Cloud machines only)"
}

# The provider impersonates GOOGLE_IMPERSONATE_SERVICE_ACCOUNT with any kind of credentials, and so do scripts.
google_authorize() {
  google_sign_in
  [ -z "${GOOGLE_IMPERSONATE_SERVICE_ACCOUNT:-}" ] || google_act_as "$GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"
}

# google_act_as ACCOUNT: replaces the token by one of a service account, or ends the script.
google_act_as() {
  google_signed_in_by=$GOOGLE_TOKEN_SOURCE
  google_answered=$google_token google_why=''
  case $1 in
    *[!A-Za-z0-9@._-]*) google_answered='' google_why="it is no mail address of a service account" ;;
    *)
      google_iam=${GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT:-https://iamcredentials.googleapis.com/v1/}
      google_impersonate "${google_iam}projects/-/serviceAccounts/$1:generateAccessToken" || google_answered=
      ;;
  esac
  if ! google_keep_token GOOGLE_IMPERSONATE_SERVICE_ACCOUNT "$google_answered" "$google_why"; then
    google_error "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT is \"$1\", and \"$google_signed_in_by\" gets no token for it:" \
      "$google_why."
    google_error "  To fix: grant roles/iam.serviceAccountTokenCreator on it to your account, or unset the variable."
    exit 1
  fi
}

google_sign_in() {
  google_tried=
  google_why="not set"
  [ -z "${GOOGLE_OAUTH_ACCESS_TOKEN:-}" ] || google_why="its value has characters that no access token has"
  if google_keep_token GOOGLE_OAUTH_ACCESS_TOKEN "${GOOGLE_OAUTH_ACCESS_TOKEN:-}" "$google_why"; then return 0; fi
  for google_name in GOOGLE_CREDENTIALS GOOGLE_CLOUD_KEYFILE_JSON GCLOUD_KEYFILE_JSON GOOGLE_APPLICATION_CREDENTIALS; do
    eval "google_value=\${$google_name:-}"
    if [ -n "$google_value" ]; then
      google_try_credentials "$google_name" "$google_value"
      return
    fi
    google_tried="$google_tried
  - $google_name: not set"
  done
  if google_try_gcloud "auth application-default" || google_try_gcloud auth || google_try_metadata; then return 0; fi
  google_error "No access token for Google's APIs. Tried in this order:$google_tried"
  google_error "  To fix: gcloud auth application-default login, or set GOOGLE_CREDENTIALS," \
    "or GOOGLE_OAUTH_ACCESS_TOKEN to a fresh token."
  exit 1
}

# After a 401: gets a new token, once per call, or ends the script.
google_renew() {
  if [ "$GOOGLE_TOKEN_SOURCE" = GOOGLE_OAUTH_ACCESS_TOKEN ]; then
    google_why="has expired or is not valid; it lives about an hour and a script cannot renew it"
    google_fail "The access token in GOOGLE_OAUTH_ACCESS_TOKEN $google_why." \
      "To fix: export GOOGLE_OAUTH_ACCESS_TOKEN=\"\$(gcloud auth print-access-token)\"," \
      "or unset it to have tokens fetched and renewed through gcloud."
  fi
  [ "$google_renewed" = no ] || google_fail "A new access token from \"$GOOGLE_TOKEN_SOURCE\" was refused as well." \
    "To fix: sign in again with gcloud auth application-default login."
  google_renewed=yes
  google_say "The access token has expired; getting a new one from \"$GOOGLE_TOKEN_SOURCE\"."
  google_authorize
}

# google_try_credentials NAME FILE_OR_TEXT: keeps an access token for the credentials in the variable NAME, or ends the
# script: with any other credentials, it would act as another account than Terraform.
google_try_credentials() {
  google_credentials=$2
  [ ! -f "$2" ] || google_credentials=$(cat "$2")
  google_answered='' google_why=''
  google_by_type "$(google_credential .type)" || google_answered=
  if ! google_keep_token "$1" "$google_answered" "$google_why"; then
    google_problem=$google_why
    # The same file serves gcloud, which knows more kinds of credentials.
    if [ "$1" = GOOGLE_APPLICATION_CREDENTIALS ] && google_try_gcloud "auth application-default"; then return; fi
    google_error "The credentials in $1 give no access token: $google_problem."
    google_error "  To fix: correct or unset $1; it holds JSON, or the path of a file with it."
    exit 1
  fi
}

google_by_type() {
  case $1 in
    service_account) google_ask_as_account ;;
    authorized_user) google_ask_as_user ;;
    external_account) google_ask_as_workload ;;
    impersonated_service_account)
      google_as=$(google_credential .service_account_impersonation_url)
      google_credentials=$(google_credential .source_credentials)
      google_by_type "$(google_credential .type)" && google_impersonate "$google_as"
      ;;
    *)
      google_kinds="service_account, external_account, authorized_user or impersonated_service_account"
      google_why="its type is \"$1\", not $google_kinds"
      return 1
      ;;
  esac
}

# google_credential FILTER: prints what jq finds in the credentials.
google_credential() {
  printf '%s\n' "$google_credentials" | jq -r "$1 // empty" 2>/dev/null || :
}

# google_fetch URL CONFIGURATION [OPTION]: prints what a token service answers.
google_fetch() {
  printf '%s\n' "$2" | curl -q --silent --show-error ${3:+"$3"} --globoff --proto '=http,https' \
    --connect-timeout "$REST_CONNECT_SECONDS" --max-time "$REST_CALL_SECONDS" --retry 3 --config - --url "$1" \
    2>"$GOOGLE_WORK/token-error"
}

# google_exchange URL FILTER CONFIGURATION: calls a token service, and sets google_answered to what jq finds in its
# answer.
google_exchange() {
  case $1 in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *)
      google_why="the address \"$1\" does not begin with https://"
      return 1
      ;;
  esac
  google_page=$(google_fetch "$1" "$3") || :
  google_answered=$(printf '%s\n' "$google_page" | jq -r "$2 // empty" 2>/dev/null) || google_answered=
  [ -z "$google_answered" ] || return 0
  google_why=$(printf '%s\n' "$google_page" |
    jq -r '.error_description // .error.message? // .error // empty' 2>/dev/null) || google_why=
  [ -n "$google_why" ] || google_why=$(google_text <"$GOOGLE_WORK/token-error")
  google_why=${google_why:-its answer has no token; a proxy or portal may have answered}
  google_why="$1 gave none: $(printf '%s\n' "$google_why" | google_text)"
  return 1
}

google_base64url() {
  base64 | tr -d '\n=' | tr '/+' '_-'
}

# Gets a token with the key of a service account, by a signed claim.
google_ask_as_account() {
  command -v openssl >/dev/null 2>&1 || {
    google_why="openssl is not installed, which signs for a service account"
    return 1
  }
  google_uri=$(google_credential .token_uri)
  google_claim=$(google_credential '{ alg: "RS256", typ: "JWT", kid: .private_key_id } | tojson' |
    tr -d '\n' | google_base64url)
  google_claim=$google_claim.$(google_credential "{ iss: .client_email, scope: \"$google_scope\", aud: .token_uri,
    iat: (now | floor), exp: (now | floor + 3600) } | tojson" | tr -d '\n' | google_base64url)
  # The claim may be in a file: it is worthless without its signature.
  printf '%s' "$google_claim" >"$GOOGLE_WORK/claim"
  google_signature=$(google_credential .private_key |
    openssl dgst -sha256 -binary -sign /dev/stdin "$GOOGLE_WORK/claim" 2>"$GOOGLE_WORK/token-error" | google_base64url)
  if [ -z "$google_signature" ]; then
    google_why="its private_key cannot be used"
    return 1
  fi
  google_grant=urn:ietf:params:oauth:grant-type:jwt-bearer
  google_exchange "$google_uri" .access_token "data-urlencode = \"grant_type=$google_grant\"
data-urlencode = \"assertion=$google_claim.$google_signature\""
}

# google_form FIELDS: prints a configuration of curl that sends a form, whose fields jq makes of the credentials.
google_form() {
  google_credential "[$1 | to_entries[] | \"data-urlencode = \\(\"\\(.key)=\\(.value)\" | tojson)\"] | join(\"\\n\")"
}

google_ask_as_user() {
  google_exchange "$(google_credential '.token_uri // "https://oauth2.googleapis.com/token"')" .access_token \
    "$(google_form '{ grant_type: "refresh_token", client_id, client_secret, refresh_token }')"
}

# Gets a token with one of another identity provider, such as that of a pipeline.
google_ask_as_workload() {
  google_from=$(google_credential .credential_source.url)
  google_path=$(google_credential .credential_source.file)
  if [ -n "$google_from" ]; then
    google_headers=$(google_credential '[.credential_source.headers // {} | to_entries[]
      | "header = \("\(.key): \(.value)" | tojson)"] | join("\n")')
    google_subject=$(google_fetch "$google_from" "$google_headers" --fail) || {
      google_why="$google_from gives no token: $(google_text <"$GOOGLE_WORK/token-error")"
      return 1
    }
  elif [ -n "$google_path" ]; then
    google_subject=$(cat "$google_path" 2>/dev/null) || {
      google_why="there is no $google_path with a token"
      return 1
    }
  else
    google_why="its credential_source is neither a file nor a url; others, such as AWS and programs,"
    google_why="$google_why need gcloud and GOOGLE_OAUTH_ACCESS_TOKEN"
    return 1
  fi
  if [ "$(google_credential .credential_source.format.type)" = json ]; then
    google_field=$(google_credential .credential_source.format.subject_token_field_name)
    google_subject=$(printf '%s\n' "$google_subject" |
      jq -r --arg field "$google_field" '.[$field] // empty' 2>/dev/null) || google_subject=
  fi
  if [ -z "$google_subject" ]; then
    google_why="its credential_source has no token"
    return 1
  fi
  google_subject=$(printf '%s' "$google_subject" | jq -Rsr '"data-urlencode = \("subject_token=" + . | tojson)"')
  google_exchange "$(google_credential .token_url)" .access_token "$(google_form "{
    grant_type: \"urn:ietf:params:oauth:grant-type:token-exchange\", scope: \"$google_scope\", audience,
    subject_token_type, requested_token_type: \"urn:ietf:params:oauth:token-type:access_token\" }")
$google_subject" || return 1
  google_as=$(google_credential .service_account_impersonation_url)
  [ -z "$google_as" ] || google_impersonate "$google_as"
}

# google_impersonate URL: replaces the token by one of a service account.
google_impersonate() {
  google_exchange "$1" .accessToken "header = \"Authorization: Bearer $google_answered\"
header = \"Content-Type: application/json\"
data = \"{\\\"scope\\\":[\\\"$google_scope\\\"]}\""
}
