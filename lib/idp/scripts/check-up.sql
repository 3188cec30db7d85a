-- What psql asks the application's database: a row for each signal, of its name, count, greatest age in seconds, limit, whether
-- something is wrong, and names of tasks. Each statement stands alone, so that a table or column that another release names
-- otherwise costs one signal; its first comment names it. A row without a count says that this release does not know. `state`
-- is asked, not the aggregated status, whose meaning releases change. Nothing here is of a user.
--
-- A synchronization of a directory is a task that runs for hours, and its pages, which may wait as long: other tasks of the
-- same object. A page may run for half an hour. They are judged by whether a page of theirs has ended, as nothing else tells a
-- long one from one that stands still.

-- tasks_late: no thread takes tasks: one waits and none has ended meanwhile, or it waits five times as long; behind a
-- synchronization whose pages end, only mail counts; a retry has an eta in the future, which older releases do not write down
WITH going_on AS (
  SELECT parent.rel_obj_content_type_id AS kind, parent.rel_obj_id AS object FROM authentik_tasks_task parent
  WHERE parent.state IN ('consumed', 'preprocess', 'running', 'postprocess') AND EXISTS (
    SELECT FROM authentik_tasks_task page
    WHERE page.rel_obj_content_type_id = parent.rel_obj_content_type_id AND page.rel_obj_id = parent.rel_obj_id
      AND page.actor_name <> parent.actor_name AND page.state = 'done'
      AND page.mtime > now() - interval '2 s' * :task_hanging_seconds)
), waiting AS (
  SELECT actor_name, rel_obj_content_type_id AS kind, rel_obj_id AS object,
    extract(epoch FROM now() - coalesce((to_jsonb(task) ->> 'eta')::timestamptz, mtime)) AS age
  FROM authentik_tasks_task task WHERE state = 'queued'
)
SELECT 'tasks_late', count(*), max(age)::bigint, :task_late_seconds, count(*) > 0, string_agg(DISTINCT actor_name, ',')
FROM waiting
WHERE age > :task_late_seconds
  AND (age > 5 * :task_late_seconds OR NOT EXISTS (
    SELECT FROM authentik_tasks_task WHERE state = 'done' AND mtime > now() - interval '1 s' * :task_late_seconds))
  AND NOT EXISTS (
    SELECT FROM going_on
    WHERE waiting.actor_name <> 'authentik.stages.email.tasks.send_mail'
      OR going_on.kind = waiting.kind AND going_on.object = waiting.object);

-- tasks_hanging: begun, and not ended long after their own time limit; of a synchronization, nor has any page meanwhile
WITH begun AS (
  SELECT message_id, actor_name, mtime, rel_obj_content_type_id AS kind, rel_obj_id AS object,
    extract(epoch FROM now() - mtime) AS age
  FROM authentik_tasks_task WHERE state IN ('consumed', 'preprocess', 'running', 'postprocess')
), judged AS (
  SELECT actor_name, age, EXISTS (
      SELECT FROM authentik_tasks_task other
      WHERE other.rel_obj_content_type_id = kind AND other.rel_obj_id = object AND other.actor_name <> begun.actor_name
        AND (other.state NOT IN ('done', 'rejected') OR other.mtime > begun.mtime)) AS is_part,
    EXISTS (
      SELECT FROM authentik_tasks_task page
      WHERE page.rel_obj_content_type_id = kind AND page.rel_obj_id = object AND page.state = 'done'
        AND page.mtime > now() - interval '2 s' * :task_hanging_seconds) AS goes_on
  FROM begun
)
SELECT 'tasks_hanging', count(*), max(age)::bigint, :task_hanging_seconds, count(*) > 0, string_agg(DISTINCT actor_name, ',')
FROM judged
WHERE age > :task_hanging_seconds AND NOT (is_part AND (goes_on OR age < 2 * :task_hanging_seconds));

-- schedules_overdue: no worker enqueues what is due, also while nobody works; a task that has not ended is not enqueued again
SELECT 'schedules_overdue', count(*), max(age)::bigint, :schedule_overdue_seconds, count(*) > 0, string_agg(DISTINCT actor_name, ',')
FROM (
  SELECT actor_name, extract(epoch FROM now() - next_run) AS age FROM authentik_tasks_schedules_schedule schedule
  WHERE NOT paused AND NOT EXISTS (
    SELECT FROM authentik_tasks_task task WHERE task.rel_obj_id = schedule.id::text AND task.state NOT IN ('done', 'rejected'))
  ) planned
WHERE age > :schedule_overdue_seconds;

-- tasks_failed: given up after all attempts
SELECT 'tasks_failed', count(*), max(extract(epoch FROM now() - mtime))::bigint, :tasks_failed, count(*) > :tasks_failed,
  string_agg(DISTINCT actor_name, ',')
FROM authentik_tasks_task
WHERE state = 'rejected' AND mtime > now() - interval '1 s' * :window_seconds AND actor_name <> 'authentik.stages.email.tasks.send_mail';

-- mail_not_sent: the same of mail
SELECT 'mail_not_sent', count(*), max(extract(epoch FROM now() - mtime))::bigint, :mails_not_sent, count(*) > :mails_not_sent, ''
FROM authentik_tasks_task
WHERE state = 'rejected' AND mtime > now() - interval '1 s' * :window_seconds AND actor_name = 'authentik.stages.email.tasks.send_mail';

-- sign_ins_failed: many, from wherever
SELECT 'sign_ins_failed', count(*), max(extract(epoch FROM now() - created))::bigint, :sign_ins_failed, count(*) > :sign_ins_failed, ''
FROM authentik_events_event WHERE action = 'login_failed' AND created > now() - interval '1 s' * :window_seconds;

-- sign_ins_failed_from_one_address: the most from one address
SELECT 'sign_ins_failed_from_one_address', coalesce(max(count), 0), max(age)::bigint, :sign_ins_failed_from_one_address,
  coalesce(max(count), 0) > :sign_ins_failed_from_one_address, ''
FROM (SELECT count(*), max(extract(epoch FROM now() - created)) AS age FROM authentik_events_event
  WHERE action = 'login_failed' AND created > now() - interval '1 s' * :window_seconds GROUP BY client_ip) addresses;

-- application_certificate: one that something refers to ends soon, or has ended within the last month. Which tables
-- refer to certificates is read from their foreign keys, so the statement is built first. The certificate of internal
-- tokens is left out, because it is never renewed and never checked. Releases without cert_expiry report nothing.
WITH known AS (
  SELECT EXISTS (
    SELECT FROM pg_attribute
    WHERE attrelid = 'authentik_crypto_certificatekeypair'::regclass AND attname = 'cert_expiry') AS has_column
), uses AS (
  SELECT string_agg(format('SELECT %I FROM %s', attname, conrelid::regclass), ' UNION ALL ') AS statements
  FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
  WHERE contype = 'f' AND confrelid = 'authentik_crypto_certificatekeypair'::regclass
)
SELECT CASE WHEN NOT has_column
  THEN format('SELECT %L, NULL, 0, %s, false, NULL', 'application_certificate', :certificate_days)
  ELSE format(
    'SELECT %L, count(*), greatest(max(extract(epoch FROM now() - cert_expiry)), 0)::bigint, %s, count(*) > 0, NULL
     FROM authentik_crypto_certificatekeypair
     WHERE cert_expiry BETWEEN now() - interval %L AND now() + interval %L AND managed IS DISTINCT FROM %L AND kp_uuid IN (%s)',
    'application_certificate', :certificate_days, '30 days', :certificate_days || ' days',
    'goauthentik.io/crypto/jwt-managed', coalesce(statements, 'NULL')) END
FROM known, uses
WHERE has_column OR NOT EXISTS (
  SELECT FROM django_migrations
  WHERE app = 'authentik_crypto' AND name = '0006_certificatekeypair_cert_expiry_and_more')
\gexec

-- outposts_disconnected: have said nothing for 15 seconds; the embedded one is part of the server
SELECT 'outposts_disconnected', count(*), NULL, 0, count(*) > 0, ''
FROM authentik_outposts_outpost outpost
WHERE managed IS DISTINCT FROM 'goauthentik.io/outposts/embedded' AND NOT EXISTS (
  SELECT FROM django_postgres_cache_cacheentry
  WHERE expires > now() AND cache_key LIKE '%goauthentik.io/outposts/state/' || replace(outpost.uuid::text, '-', '') || '/%');

-- blueprints_failed: could not be applied, nor when it was tried again. The application tries a file again within the hour until
-- its content was applied once. Of two attempts at the same time, one may fail after the other, which leaves a failed state
-- although the content is applied; one that ends by an exception leaves the state that there was.
SELECT 'blueprints_failed', count(*), NULL, 0, count(*) > 0, ''
FROM authentik_blueprints_blueprintinstance blueprint WHERE enabled AND EXISTS (
  SELECT FROM authentik_tasks_task attempt
  WHERE actor_name = 'authentik.blueprints.v1.tasks.apply_blueprint' AND rel_obj_id = instance_uuid::text
    AND state IN ('done', 'rejected') AND mtime > now() - interval '3 h'
  HAVING max(mtime) - min(mtime) > interval '30 min'
    AND (blueprint.status IN ('error', 'unknown') OR (array_agg(state ORDER BY mtime DESC))[1] = 'rejected'));

-- restore_untested: no restore drill has passed for too many days, or none that is recorded; 0 days judge nothing. What
-- record-drill.sh has written is a line of the database's comment.
WITH drill AS (
  SELECT extract(epoch FROM now() - substring(shobj_description(oid, 'pg_database')
    FROM '(?n)^restore-drill: passed (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)')::timestamptz) AS age
  FROM pg_database WHERE datname = current_database()
), judged AS (
  SELECT age, :restore_drill_days > 0 AND coalesce(age > 86400 * :restore_drill_days, true) AS is_late FROM drill
)
SELECT 'restore_untested', count(*) FILTER (WHERE is_late), coalesce(max(age), 0)::bigint, :restore_drill_days,
  bool_or(is_late), ''
FROM judged;
