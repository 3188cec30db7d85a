# shellcheck shell=sh
# Sets for how many days the application keeps an event in its table, and shortens the expiry of events that were
# recorded under a longer setting. Prints one line of JSON. Runs as a job, after database-client.sh in the same text. It
# can be repeated, killed, and run twice at the same time.
#
# The application reads the setting when it records an event, and stores the expiry in the event. No expiry is extended:
# with more days, existing events keep theirs. Events that expire within a day anyway stay unchanged.
#
# The application deletes expired events itself: every five minutes, for at most ten, one at a time (1.6 ms each). To
# not overrun that task, each page of already expired events gets its own expiry, five minutes after the previous page.
# The task then keeps up even if an event takes 30 ms. All pages of one run have expired after about four hours.
#
#   DB_NAME, DB_USER, DB_PASSWORD   database, and the application's role
#   EVENT_DAYS                      days to keep an event
#   EVENT_PAGE                      events of a page, which is one transaction (10000)
#   EVENT_PAUSE_SECONDS             time between the expiries of two pages of already expired events (300)
#   EVENT_LIMIT                     number of changed events after which the next run continues (500000)
#   EVENT_SECONDS                   time after which the next run continues (1200)
#
# Exit codes: 0 done, or the next run continues · 1 the database refuses, or this release has other tables · 2 settings
# are wrong

# parse_words WORD...: for --help, prints the usage; refuses other words.
parse_words() {
  [ "$#" -gt 0 ] || return 0
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
}

check_settings() {
  : "${EVENT_PAGE:=10000}" "${EVENT_PAUSE_SECONDS:=300}" "${EVENT_LIMIT:=500000}" "${EVENT_SECONDS:=1200}"
  for number in "$EVENT_DAYS" "$EVENT_PAGE" "$EVENT_PAUSE_SECONDS" "$EVENT_LIMIT" "$EVENT_SECONDS"; do
    case $number in '' | *[!0-9]*) fail 2 "a setting EVENT_... is \"$number\", no whole number" ;; esac
  done
}

connect() {
  as_application
  await "$PGHOST" "$PGPORT"
  # With short limits, so that this script neither waits for a migration nor delays one.
  export PGOPTIONS='-c statement_timeout=120s -c lock_timeout=5s -c timezone=UTC'
}

# statements OPTION...: runs the SQL on standard input, and prints bare values. Its time limit is longer than
# statement_timeout, for a connection that hangs.
statements() {
  timeout -s KILL 150 psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 \
    --set=days="$EVENT_DAYS days" "$@"
}

# schema_of TABLE: prints the schema of the table, which a variable of the application can change.
schema_of() {
  statements --set=table="$1" <<'SQL'
SELECT relnamespace::regnamespace FROM pg_class WHERE relname = :'table' AND relkind IN ('r', 'p')
ORDER BY pg_table_is_visible(oid) DESC, relnamespace::regnamespace::text LIMIT 1;
SQL
}

refuse() {
  fail 1 "$1; the reason is above, and the next run tries again"
}

# Ends the script before the first start of the application; otherwise lets statements find its tables by their names.
find_tables() {
  schema=$(schema_of django_migrations) || refuse "the database cannot be asked"
  if [ -z "$schema" ]; then
    echo "There are no tables yet: nothing to set before the first start."
    exit 0
  fi
  schema=$(schema_of authentik_tenants_tenant) || refuse "the database cannot be asked"
  PGOPTIONS="$PGOPTIONS -c search_path=${schema:-public}"
}

# Refuses a release of the application that lacks one of the columns.
check_columns() {
  missing=$(
    statements <<'SQL'
SELECT string_agg(name, ', ')
FROM unnest(ARRAY['authentik_tenants_tenant.event_retention', 'authentik_events_event.event_uuid',
  'authentik_events_event.created', 'authentik_events_event.expires', 'authentik_events_event.expiring']) AS name
WHERE NOT EXISTS (
  SELECT FROM pg_attribute
  WHERE attrelid = to_regclass(split_part(name, '.', 1)) AND attname = split_part(name, '.', 2) AND NOT attisdropped);
SQL
  ) || refuse "the database cannot be asked"
  [ -z "$missing" ] ||
    fail 1 "this release of the application has no $missing, so nothing was changed; apply a newer folder, and until" \
      "then set Event retention under System > Settings"
}

# Sets changed to the number of tenants whose setting was another one.
set_retention() {
  changed=$(
    statements --set=retention="days=$EVENT_DAYS" <<'SQL'
WITH updated AS (
  UPDATE authentik_tenants_tenant SET event_retention = :'retention'
  WHERE event_retention IS DISTINCT FROM :'retention' RETURNING 1
)
SELECT count(*) FROM updated;
SQL
  ) || refuse "the setting could not be changed"
}

# Sets has_later, t or f, to whether an event still has an expiry of a longer setting. The newest of these events are on
# the last page, so the answer is yes until all pages are done. The query uses an index: a night without work does not
# read millions of events.
find_later_events() {
  has_later=$(
    statements <<'SQL'
SELECT EXISTS (
  SELECT FROM authentik_events_event WHERE expiring AND expires > now() + :'days'::interval + interval '1 day');
SQL
  ) || refuse "the events cannot be asked"
}

# Whether there are pages to do: the setting has just been changed, or the pages of an earlier change are not all done.
has_work() {
  [ "$changed" != 0 ] || [ "$has_later" = t ]
}

# next_page SECONDS: shortens the expiry of the next page of events, the oldest first. An expiry that would be in the
# past becomes that many seconds from now. Prints the number of changed events and the last event of the page; prints
# nothing after the last page. Locked events are skipped, because their lock shows that they are being deleted.
next_page() {
  statements --set=last="${last%|*}" --set=last_id="${last#*|}" --set=page="$EVENT_PAGE" --set=pause="$1 s" <<'SQL'
WITH page AS (
  SELECT event_uuid, created,
    expiring AND expires > greatest(created + :'days'::interval, now()) + interval '1 day' AS is_late
  FROM authentik_events_event WHERE (created, event_uuid) > (:'last', :'last_id')
  ORDER BY created, event_uuid LIMIT :page
), late AS (
  SELECT event_uuid FROM authentik_events_event
  WHERE event_uuid IN (SELECT event_uuid FROM page WHERE is_late) FOR UPDATE SKIP LOCKED
), updated AS (
  UPDATE authentik_events_event event
  SET expires = least(expires, greatest(created + :'days'::interval, now() + :'pause'::interval))
  FROM late WHERE event.event_uuid = late.event_uuid RETURNING 1
)
SELECT (SELECT count(*) FROM updated), created, event_uuid FROM page ORDER BY created DESC, event_uuid DESC LIMIT 1;
SQL
}

# Shortens expiries page by page. Sets total to the number of changed events, and left_over to whether the next run has
# to continue: true or false.
shorten_expiries() {
  last='-infinity|00000000-0000-0000-0000-000000000000' total=0 pause=0 left_over=false
  deadline=$(($(date +%s) + EVENT_SECONDS))
  while has_work; do
    if [ "$total" -ge "$EVENT_LIMIT" ] || [ "$(date +%s)" -ge "$deadline" ]; then
      left_over=true
      break
    fi
    page=$(next_page "$pause") || refuse "$total ends were brought forward, and then no more"
    [ -n "$page" ] || break
    count=${page%%|*} last=${page#*|}
    [ "$count" -eq 0 ] || pause=$((pause + EVENT_PAUSE_SECONDS))
    total=$((total + count))
  done
}

report() {
  printf '{"message":"event-retention: an event is kept for %s days","days":%s,"changed":%s,"brought_forward":%s,' \
    "$EVENT_DAYS" "$EVENT_DAYS" "$changed" "$total"
  printf '"left_over":%s}\n' "$left_over"
}

main() {
  parse_words "$@"
  check_settings
  connect
  find_tables
  check_columns
  set_retention
  find_later_events
  shorten_expiries
  report
}

main "$@"
