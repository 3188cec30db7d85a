# shellcheck shell=sh disable=SC2154 # part of db-init.sh, which sets what is read here
# Whether all settings can be right, and all programs are there; the script ends with every problem at once otherwise.
#
# Reads all variables of the script, and newline, carriage_return and longest_name_bytes.

check_settings() {
  problems=
  for name in DB_HOST DB_NAME DB_USER DB_PASSWORD DB_ADMIN_USER DB_ADMIN_PASSWORD DB_ADMIN_DATABASE \
    DB_MANAGED_SUPERUSER_ROLE; do
    value=
    eval "value=\$$name"
    if [ -z "$value" ]; then
      [ "$name" = DB_MANAGED_SUPERUSER_ROLE ] || add_problem "$name is missing or empty"
      continue
    fi
    case $value in
      # psql reads one line per answer.
      *"$newline"* | *"$carriage_return"*) add_problem "$name contains a line break" ;;
    esac
    case $name in
      DB_HOST | *_PASSWORD) ;;
      *)
        length_bytes=$(($(printf '%s' "$value" | wc -c)))
        [ "$length_bytes" -le "$longest_name_bytes" ] ||
          add_problem "$name is $length_bytes bytes long, a PostgreSQL name has at most $longest_name_bytes"
        ;;
    esac
  done
  is_number_between 1 65535 "$DB_PORT" || add_problem "DB_PORT is $DB_PORT, a port is a number from 1 to 65535"
  is_number_between 0 86400 "$DB_WAIT_SECONDS" ||
    add_problem "DB_WAIT_SECONDS is $DB_WAIT_SECONDS, the wait is a whole number from 0 to 86400"
  case $DB_USER in
    "") ;;
    "$DB_ADMIN_USER")
      add_problem "DB_USER is the administrator's own login, whose password and rights must stay as they are"
      ;;
    "$DB_MANAGED_SUPERUSER_ROLE") add_problem "DB_USER is the managed-superuser role, which other roles belong to" ;;
    pg_* | cloudsql*)
      add_problem "DB_USER is $DB_USER, names that start with pg_ or cloudsql belong to the server; choose another one"
      ;;
  esac
  case $DB_NAME in
    postgres | template0 | template1)
      add_problem "DB_NAME is $DB_NAME, which every login and every new database depends on;" \
        "the application needs one of its own"
      ;;
  esac
  needed_programs="psql setsid"
  [ -z "$DB_PROXY_QUIT_URL" ] || needed_programs="$needed_programs timeout wget"
  for program in $needed_programs; do
    command -v "$program" >/dev/null || add_problem "the program $program is not in this image"
  done
  if [ -n "$problems" ]; then
    printf 'cannot start: %s\n' "$problems" >&2
    exit 2
  fi
}

add_problem() {
  problems=${problems:+$problems; }$*
}

is_number_between() {
  case $3 in
    # In shell arithmetic a leading zero means octal, and a very long number overflows.
    *[!0-9]* | 0?* | ??????*) return 1 ;;
  esac
  [ "$3" -ge "$1" ] && [ "$3" -le "$2" ]
}
