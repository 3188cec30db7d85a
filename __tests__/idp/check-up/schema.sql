-- What the check-up reads of the application's tables, as releases from 2026.5 on declare it.
CREATE TABLE django_migrations (id bigserial PRIMARY KEY, app text, name text, applied timestamptz);
CREATE TABLE authentik_tasks_task (
  message_id uuid PRIMARY KEY DEFAULT gen_random_uuid(), queue_name text DEFAULT 'default', actor_name text,
  state text DEFAULT 'queued', mtime timestamptz DEFAULT now(), eta timestamptz, aggregated_status text DEFAULT 'queued',
  rel_obj_content_type_id int, rel_obj_id text);
CREATE TABLE authentik_tasks_schedules_schedule (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), actor_name text, paused bool DEFAULT false, next_run timestamptz);
CREATE TABLE authentik_events_event (
  event_uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), action text, created timestamptz DEFAULT now(), client_ip inet,
  context jsonb DEFAULT '{}');
CREATE TABLE authentik_crypto_certificatekeypair (
  kp_uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, managed text, cert_expiry timestamptz);
CREATE TABLE authentik_providers_saml_samlprovider (
  name text, signing_kp_id uuid REFERENCES authentik_crypto_certificatekeypair,
  verification_kp_id uuid REFERENCES authentik_crypto_certificatekeypair);
CREATE TABLE authentik_outposts_outpost (uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, managed text);
CREATE TABLE django_postgres_cache_cacheentry (cache_key text PRIMARY KEY, value text, expires timestamptz);
CREATE TABLE authentik_blueprints_blueprintinstance (
  instance_uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, status text, enabled bool DEFAULT true);

INSERT INTO django_migrations (app, name) VALUES ('authentik_crypto', '0006_certificatekeypair_cert_expiry_and_more');

-- An installation that nobody uses: two schedules that are on time and one that is paused, tasks that are done, and what waits.
INSERT INTO authentik_tasks_schedules_schedule (actor_name, paused, next_run) VALUES
  ('clean_expired_models', false, now() + interval '3 min'), ('clean_temporary_users', false, now() - interval '2 min'),
  ('paused', true, to_timestamp(0));
INSERT INTO authentik_tasks_task (actor_name, state, mtime) SELECT 'done', 'done', now() - interval '1 h' * n FROM generate_series(1, 50) n;
INSERT INTO authentik_tasks_task (actor_name, state, mtime, eta) VALUES ('retried', 'queued', now() - interval '1 h', now() + interval '9 min');
INSERT INTO authentik_outposts_outpost (name, managed) VALUES ('embedded', 'goauthentik.io/outposts/embedded');
INSERT INTO authentik_crypto_certificatekeypair (name, cert_expiry) VALUES ('self-signed', now() + interval '300 days'), ('unreadable', NULL);
INSERT INTO authentik_blueprints_blueprintinstance (name, status) VALUES ('default', 'successful');
