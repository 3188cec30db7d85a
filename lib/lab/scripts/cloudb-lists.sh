# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # export-inventory.sh reads what is set here, and sets what is read
# Shell library of export-inventory.sh: listings of AWS, page by page through the AWS CLI.
#
# To be sourced after google-rest.sh. Reads the settings of export-inventory.sh.
#
# Works page by page, so memory does not grow with the number of machines. With JSON output the AWS CLI collects all pages
# in memory; with text output, releases 1 and 2 print page by page and apply the query to each page. A row that contains
# JSON (`to_string`) has neither tabs nor line breaks, so nothing can be mistaken for a separator.

# The caller's own configuration (profiles, sessions, the machine's role) must not replace the key. Its file may also
# set another endpoint or a pager.
keep_own_set_up_out() {
  unset AWS_PROFILE AWS_DEFAULT_PROFILE AWS_SESSION_TOKEN AWS_SECURITY_TOKEN AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE
  unset AWS_DATA_PATH
  export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true
  # Release 2 could wait in a pager or prompt for arguments.
  export AWS_PAGER='' AWS_CLI_AUTO_PROMPT=off
  # Retries each page after throttling, server errors and broken connections.
  export AWS_RETRY_MODE=standard AWS_MAX_ATTEMPTS="${AWS_MAX_ATTEMPTS:-8}"
  export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
  # Aliases, which may replace `ec2`, are in a file below the home folder whose path cannot be set. The AWS CLI gets a
  # home folder with everything but .aws, because Python and version managers look for the program itself there.
  mkdir "$GOOGLE_WORK/home"
  [ -z "${HOME:-}" ] || ln -s "$HOME"/* "$HOME"/.[!.]* "$GOOGLE_WORK/home/" 2>/dev/null || :
  rm -f "$GOOGLE_WORK/home/.aws"
}

# in_background OUTPUT ERRORS COMMAND...: waits for it, and handles a signal at once.
in_background() {
  google_beside become "$@"
}

# The process becomes the program, so that ending it leaves nothing behind.
become() {
  output_file=$1 error_file=$2
  shift 2
  exec "$@" >"$output_file" 2>"$error_file"
}

# list WHAT QUERY FILTER OUTPUT ARGUMENT...: writes all rows of one call, formatted by the jq filter in the file FILTER.
# The AWS CLI takes any XML for an answer, such as a portal's page. Where the list is missing, the query gives an empty
# object, which FILTER refuses.
list() {
  what=$1
  query="not_null($2[].[to_string(@)], \`[[\"{}\"]]\`)"
  filter=$3
  output=$4
  shift 4
  endpoint=${AWS_ENDPOINT_URL_EC2:-${AWS_ENDPOINT_URL:-}}
  [ -z "$endpoint" ] || set -- "$@" --endpoint-url "$endpoint"
  key_deadline=$(($(google_seconds) + KEY_WAIT_SECONDS))
  attempt=1
  while ! list_once "$@"; do
    case $error_code in
      AuthFailure | InvalidAccessKeyId | InvalidClientTokenId | UnauthorizedOperation) ;;
      *) list_failed ;;
    esac
    [ "$(google_seconds)" -lt "$key_deadline" ] || list_failed
    pause=$(google_doubled "$REST_RETRY_BASE_SECONDS" "$attempt")
    google_say "$what: $error_code. A new key or policy takes up to a minute to work; trying again in $pause s."
    google_sleep "$pause"
    attempt=$((attempt + 1))
  done
}

# For the background.
ask_aws() {
  export HOME="$GOOGLE_WORK/home"
  become "$GOOGLE_WORK/pages" "$GOOGLE_WORK/aws-error" aws --output text --query "$query" --region "$CLOUDB_REGION" \
    --color off --cli-connect-timeout 10 --cli-read-timeout 60 ec2 "$@"
}

# One run of the AWS CLI.
list_once() {
  error_code=
  if ! google_beside ask_aws "$@"; then
    error_code=$(sed -n 's/.*An error occurred (\([A-Za-z.]*\)) when calling.*/\1/p' "$GOOGLE_WORK/aws-error" | sed 1q)
    return 1
  fi
  if ! in_background "$output" "$GOOGLE_WORK/jq-error" jq -r --from-file "$filter" "$GOOGLE_WORK/pages"; then
    google_error "$what: the answer is not one of AWS: $(google_text <"$GOOGLE_WORK/jq-error")"
    google_error "  To fix: see that no proxy or portal answers in the place of AWS, or update the aws program and jq;" \
      "then apply again."
    exit 1
  fi
}

list_failed() {
  google_error "$what failed: $(google_text <"$GOOGLE_WORK/aws-error")"
  case $error_code in
    AuthFailure | InvalidAccessKeyId | InvalidClientTokenId)
      google_error "  The key did not work within $KEY_WAIT_SECONDS s. The same is said of a region that is not enabled for" \
        "the account: enable $CLOUDB_REGION there, or choose the region of the machines."
      ;;
    UnauthorizedOperation)
      google_error "  The policy of the scoped user allows this call, and did not take effect within" \
        "$KEY_WAIT_SECONDS s. Look for a rule of the organization or a permissions boundary that denies it."
      ;;
    InvalidInstanceType)
      google_error "  A machine has a type that the region no longer describes. Change its type, or remove the machine."
      ;;
    '')
      google_error "  To fix: check that this machine reaches the API, and that the region $CLOUDB_REGION is spelled" \
        "as AWS does; then apply again."
      ;;
    *) google_error "  Nothing was imported. Apply again when the cause is gone." ;;
  esac
  exit 1
}
