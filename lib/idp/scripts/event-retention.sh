# shellcheck shell=sh disable=SC2154 # after database-client.sh, which reads what a job has
# Runs as a job, in which it comes after database-client.sh: sets for how many days the application keeps an event in
# its table, and brings forward the end of events that it has made under a longer setting. It prints one line of JSON.
# Safe to run again, to kill and to run twice at once.
#
# The application reads its setting for each event that it makes, and writes the end into the event. No event ends later
# than before: with more days, events that exist keep their end. Those that end within a day anyway are left alone.
#
# It deletes what has ended by itself: a task that begins every five minutes, has ten, and deletes one event after the
# other, in 1.6 ms if the database is beside it. So ends that would be past are set apart, page by page: in five
# minutes it deletes a page even if an event takes 30 ms. The pages of one run have all ended after four hours.
#
#   DB_NAME, DB_USER, DB_PASSWORD   database, and the application's role
#   EVENT_DAYS                      days
#   EVENT_PAGE                      events that one transaction looks at (10000)
#   EVENT_PAUSE_SECONDS             between the ends of two pages that would be past (300)
#   EVENT_LIMIT                     events after which a run leaves the rest to the next one (500000)
#   EVENT_SECONDS                   time after which it does (1200)
#
# Exit codes: 0 done, or a rest is left · 1 the database refuses it, or another release has other tables · 2 settings
# are wrong
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

: "${EVENT_PAGE:=10000}" "${EVENT_PAUSE_SECONDS:=300}" "${EVENT_LIMIT:=500000}" "${EVENT_SECONDS:=1200}"
for number in "$EVENT_DAYS" "$EVENT_PAGE" "$EVENT_PAUSE_SECONDS" "$EVENT_LIMIT" "$EVENT_SECONDS"; do
  case $number in '' | *[!0-9]*) fail 2 "a setting EVENT_... is \"$number\", no whole number" ;; esac
done
as_application
await "$PGHOST" "$PGPORT"
# Never waits for a migration, nor lets one wait for it.
export PGOPTIONS='-c statement_timeout=120s -c lock_timeout=5s -c timezone=UTC'

# statements OPTION...: runs those on standard input, and prints values alone; kills what hangs longer than they may.
statements() {
  timeout -s KILL 150 psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 \
    --set=days="$EVENT_DAYS days" "$@"
}

# schema_of TABLE: prints where it is, which a variable of the application may have decided.
schema_of() {
  statements --set=table="$1" <<'SQL'
SELECT relnamespace::regnamespace FROM pg_class WHERE relname = :'table' AND relkind IN ('r', 'p')
ORDER BY pg_table_is_visible(oid) DESC, relnamespace::regnamespace::text LIMIT 1;
SQL
}

refuse() {
  fail 1 "$1; the reason is above, and the next run tries again"
}

schema=$(schema_of django_migrations) || refuse "the database cannot be asked"
if [ -z "$schema" ]; then
  echo "There are no tables yet: nothing to set before the first start."
  exit 0
fi
schema=$(schema_of authentik_tenants_tenant) || refuse "the database cannot be asked"
PGOPTIONS="$PGOPTIONS -c search_path=${schema:-public}"

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

changed=$(
  statements --set=retention="days=$EVENT_DAYS" <<'SQL'
WITH updated AS (
  UPDATE authentik_tenants_tenant SET event_retention = :'retention'
  WHERE event_retention IS DISTINCT FROM :'retention' RETURNING 1
)
SELECT count(*) FROM updated;
SQL
) || refuse "the setting could not be changed"

# The newest events under a longer setting end later than this, and their page is the last; once they do not, what is
# left ends soon. An index finds them, so that a night with nothing to do does not read millions of events.
has_later=$(
  statements <<'SQL'
SELECT EXISTS (
  SELECT FROM authentik_events_event WHERE expiring AND expires > now() + :'days'::interval + interval '1 day');
SQL
) || refuse "the events cannot be asked"

# next_page SECONDS: brings forward the end of the next events, the oldest first; to an end in so many seconds if it
# would be past. Prints how many these were, and the last event it has looked at; nothing after the last page. Whoever
# has locked an event deletes it.
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

last='-infinity|00000000-0000-0000-0000-000000000000' total=0 pause=0 left_over=false
deadline=$(($(date +%s) + EVENT_SECONDS))
while [ "$changed$has_later" != 0f ]; do
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
printf '{"message":"event-retention: an event is kept for %s days","days":%s,"changed":%s,"brought_forward":%s,' \
  "$EVENT_DAYS" "$EVENT_DAYS" "$changed" "$total"
printf '"left_over":%s}\n' "$left_over"
