-- What psql asks the application's database: a row for each signal, of its name, count, greatest age in seconds, limit, whether
-- something is wrong, and names of tasks. Each statement stands alone, so that a table or column that another release names
-- otherwise costs one signal; its first comment names it. `state` is asked, not the aggregated status, whose meaning releases
-- change. Nothing here is of a user.

-- tasks_late: no thread takes tasks: one waits and none has ended meanwhile, as many do in a large synchronization, or it waits
-- five times as long; a retry that waits has an eta in the future
SELECT 'tasks_late', count(*), max(age)::bigint, :task_late_seconds, count(*) > 0, string_agg(DISTINCT actor_name, ',')
FROM (SELECT actor_name, extract(epoch FROM now() - coalesce(eta, mtime)) AS age FROM authentik_tasks_task WHERE state = 'queued') queued
WHERE age > :task_late_seconds AND (age > 5 * :task_late_seconds OR NOT EXISTS (
  SELECT FROM authentik_tasks_task WHERE state = 'done' AND mtime > now() - interval '1 s' * :task_late_seconds));

-- tasks_hanging: begun, and not ended long after their own time limit
SELECT 'tasks_hanging', count(*), max(age)::bigint, :task_hanging_seconds, count(*) > 0, string_agg(DISTINCT actor_name, ',')
FROM (SELECT actor_name, extract(epoch FROM now() - mtime) AS age FROM authentik_tasks_task
  WHERE state IN ('consumed', 'preprocess', 'running', 'postprocess')) begun
WHERE age > :task_hanging_seconds;

-- schedules_overdue: no worker enqueues what is due, also while nobody works
SELECT 'schedules_overdue', count(*), max(age)::bigint, :schedule_overdue_seconds, count(*) > 0, string_agg(DISTINCT actor_name, ',')
FROM (SELECT actor_name, extract(epoch FROM now() - next_run) AS age FROM authentik_tasks_schedules_schedule WHERE NOT paused) planned
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

-- application_certificate: ends soon, or has ended, within the last month
SELECT 'application_certificate', count(*), greatest(max(extract(epoch FROM now() - cert_expiry)), 0)::bigint, :certificate_days,
  count(*) > 0, ''
FROM authentik_crypto_certificatekeypair
WHERE cert_expiry BETWEEN now() - interval '30 days' AND now() + interval '1 day' * :certificate_days;

-- outposts_disconnected: have said nothing for 15 seconds; the embedded one is part of the server
SELECT 'outposts_disconnected', count(*), NULL, 0, count(*) > 0, ''
FROM authentik_outposts_outpost outpost
WHERE managed IS DISTINCT FROM 'goauthentik.io/outposts/embedded' AND NOT EXISTS (
  SELECT FROM django_postgres_cache_cacheentry
  WHERE expires > now() AND cache_key LIKE '%goauthentik.io/outposts/state/' || replace(outpost.uuid::text, '-', '') || '/%');

-- blueprints_failed: could not be applied
SELECT 'blueprints_failed', count(*), NULL, 0, count(*) > 0, ''
FROM authentik_blueprints_blueprintinstance WHERE enabled AND status = 'error';
