# shellcheck shell=sh disable=SC2154 # part of db-init.sh, which sets what is read here
# Step 5: the end of the database proxy beside this job.
#
# Reads DB_PROXY_QUIT_URL, proxy_wait_seconds and quit_request_seconds.

# The job only ends when its proxy does, so this runs however the script ends. A proxy that cannot be reached does not
# undo the work on the database: the exit code stays, and the message says what to expect.
tell_proxy_to_quit() {
  deadline=$(($(now_seconds) + proxy_wait_seconds))
  until reason=$(
    # The proxy listens on loopback, which no HTTP proxy reaches.
    unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
    # Children ignore SIGTERM now, as this shell does. The braces capture the message of the shell about a killed child.
    { timeout -s KILL "$quit_request_seconds" wget -q -O /dev/null --post-data "" "$DB_PROXY_QUIT_URL"; } 2>&1
  ); do
    if [ "$(now_seconds)" -ge "$deadline" ]; then
      explain_unheard_signal "$reason" >&2
      return
    fi
    sleep 1
  done
}

explain_unheard_signal() {
  case $1 in
    *"Connection refused"*)
      say "nothing listens at $DB_PROXY_QUIT_URL: either the proxy has ended already," \
        "or the address is wrong and this job runs until its time limit"
      return
      ;;
    "" | *Killed*) unheard_because="no answer within $quit_request_seconds s" ;;
    *) unheard_because=$1 ;;
  esac
  say "the proxy does not take the signal at $DB_PROXY_QUIT_URL ($unheard_because);" \
    "this job runs until the proxy ends or its time limit is over"
}
