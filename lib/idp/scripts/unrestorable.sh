# shellcheck shell=sh
# Shell library with a query. A job runs a single text, so the library stands in front of the script in that text.
#
# Sets:
#   UNRESTORABLE   query that prints what would make a restore of a dump fail, or nothing. The application's role
#                  restores in one transaction, so it can neither create objects of other owners nor more relations
#                  than the server has locks.

# shellcheck disable=SC2034 # the script that follows reads it
UNRESTORABLE="WITH objects (class, id, owner) AS (
  SELECT 'pg_event_trigger'::regclass, oid, evtowner FROM pg_event_trigger
  UNION ALL SELECT 'pg_publication'::regclass, oid, pubowner FROM pg_publication
  UNION ALL SELECT 'pg_cast'::regclass, oid, 10 FROM pg_cast
  UNION ALL SELECT 'pg_class'::regclass, oid, relowner FROM pg_class
    WHERE relkind IN ('r', 'p', 'S', 'v', 'm') AND relowner <> 10
  UNION ALL SELECT 'pg_proc'::regclass, oid, proowner FROM pg_proc WHERE proowner <> 10
  UNION ALL SELECT 'pg_namespace'::regclass, oid, nspowner FROM pg_namespace
    WHERE nspname <> 'public' AND nspowner <> 10
), found (what) AS (
  (SELECT pg_describe_object(class, id, 0) || ' of another owner' FROM objects
  WHERE id >= 16384 AND NOT pg_has_role(owner, 'USAGE')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = class AND objid = id AND deptype = 'e') LIMIT 10)
  UNION ALL SELECT format('%s relations, close to the %s locks of the server', count(*), locks)
  FROM pg_class, (SELECT current_setting('max_locks_per_transaction')::int
    * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)) AS limits (locks)
  WHERE oid >= 16384 GROUP BY locks HAVING count(*) > 0.8 * locks
) SELECT string_agg(what, '; ') FROM found"
