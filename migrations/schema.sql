-- The schema that all migrations together make, to be read; nothing runs this file.
-- `deno task generate` writes it, and a test says whether it is current.

create table announcement_feeds (
  source text not null,
  address text not null,
  validators jsonb,
  read_at timestamp with time zone not null,
  error text,
  PRIMARY KEY (source)
);

create table announcement_matches (
  release_item_id uuid not null,
  source text not null,
  post_key text not null,
  PRIMARY KEY (release_item_id),
  FOREIGN KEY (release_item_id) REFERENCES item_rows(release_item_id) ON DELETE CASCADE,
  FOREIGN KEY (source, post_key) REFERENCES announcement_posts(source, post_key) ON DELETE CASCADE
);
CREATE INDEX announcement_matches_by_post ON announcement_matches USING btree (source, post_key);

create table announcement_posts (
  source text not null,
  post_key text not null,
  url text not null,
  title text not null,
  published date,
  headings text[] not null default '{}'::text[],
  linked uuid[] not null default '{}'::uuid[],
  rejected boolean not null default false,
  read_at timestamp with time zone not null default now(),
  PRIMARY KEY (source, post_key)
);

create table audit_log (
  entry_id bigint not null generated always as identity,
  at timestamp with time zone not null,
  who text not null,
  action text not null,
  subject text not null default ''::text,
  PRIMARY KEY (entry_id)
);
CREATE INDEX audit_log_by_time ON audit_log USING btree (at);

create table bounce_reports (
  report_key text not null,
  handled_at timestamp with time zone not null,
  PRIMARY KEY (report_key)
);
CREATE INDEX bounce_reports_by_age ON bounce_reports USING btree (handled_at);

create unlogged table cached_responses (
  key_hash bytea not null,
  body bytea not null,
  headers jsonb not null,
  built_at timestamp with time zone not null,
  revalidate_until timestamp with time zone,
  PRIMARY KEY (key_hash)
);
CREATE INDEX cached_responses_by_age ON cached_responses USING btree (built_at);

create table change_entries (
  entry_id bigint not null,
  first_change bigint not null,
  run_id integer not null,
  release_item_id uuid not null,
  day date not null,
  tone_before text not null,
  tone_after text not null,
  kinds_by_quarter text[] not null,
  kinds_by_day text[] not null,
  UNIQUE (run_id, release_item_id),
  PRIMARY KEY (entry_id),
  FOREIGN KEY (release_item_id) REFERENCES item_rows(release_item_id) ON DELETE CASCADE
);
CREATE INDEX change_entries_by_day ON change_entries USING btree (day DESC, entry_id DESC);
CREATE INDEX change_entries_by_item ON change_entries USING btree (release_item_id, entry_id);

create table changes (
  change_id bigint not null generated always as identity,
  release_item_id uuid not null,
  run_id integer not null,
  day date not null,
  kind text not null,
  field text,
  old_value text,
  new_value text,
  fields text[],
  by_source boolean,
  tone_before text,
  tone_after text,
  PRIMARY KEY (change_id),
  FOREIGN KEY (release_item_id) REFERENCES item_rows(release_item_id) ON DELETE CASCADE,
  CHECK (((field IS NOT NULL) = (kind = 'changed'::text))),
  CHECK (((fields IS NOT NULL) = (kind = 'added'::text))),
  CHECK ((kind = ANY (ARRAY['added'::text, 'changed'::text, 'removed'::text, 'restored'::text])))
);
CREATE INDEX changes_by_addition ON changes USING btree (run_id) INCLUDE (release_item_id) WHERE (kind = 'added'::text);
CREATE INDEX changes_by_item ON changes USING btree (release_item_id, day);
CREATE INDEX changes_by_status ON changes USING btree (release_item_id, change_id) WHERE (field = 'release_status'::text);

create table digests (
  digest_id uuid not null default gen_random_uuid(),
  content jsonb not null,
  created_at timestamp with time zone not null,
  PRIMARY KEY (digest_id)
);
CREATE INDEX digests_by_age ON digests USING btree (created_at);

create table embedding_sets (
  set_id integer not null generated always as identity,
  model text not null,
  dimensions integer not null,
  completed_at timestamp with time zone,
  has_news boolean not null default false,
  retired_at timestamp with time zone,
  min_similarity double precision,
  UNIQUE (model, dimensions),
  PRIMARY KEY (set_id)
);

create table ended_sessions (
  session_id text not null,
  expires_at timestamp with time zone not null,
  PRIMARY KEY (session_id)
);

create table import_runs (
  run_id integer not null generated always as identity,
  source text not null,
  as_of date not null,
  partial boolean not null,
  started_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  added integer,
  changed integer,
  removed integer,
  restored integer,
  unchanged integer,
  error text,
  source_name text not null default 'default'::text,
  is_news boolean not null default true,
  repaired integer,
  refused jsonb,
  day_order text,
  public_error text,
  left_out jsonb,
  notes jsonb,
  PRIMARY KEY (run_id),
  CHECK ((day_order = ANY (ARRAY['DMY'::text, 'MDY'::text])))
);
CREATE INDEX import_runs_by_source ON import_runs USING btree (source_name, run_id DESC);
CREATE INDEX import_runs_without_news ON import_runs USING btree (run_id) WHERE (NOT is_news);

create table import_tokens (
  name text not null,
  hash text not null,
  sources jsonb not null,
  created_at timestamp with time zone not null,
  last_used_on date,
  UNIQUE (hash),
  PRIMARY KEY (name)
);

create table item_rows (
  release_item_id uuid not null,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null default true,
  text_hash bytea not null generated always as (hash_text(((((feature_name || ''::text) || product_name) || ''::text) || COALESCE(feature_description, ''::text)))) stored,
  source text not null default 'default'::text,
  tone text not null default 'planned'::text,
  tone_by text not null default 'word'::text,
  created date,
  product_names text[] not null,
  tags jsonb not null default '{}'::jsonb,
  text_id bigint not null,
  PRIMARY KEY (release_item_id),
  FOREIGN KEY (text_id) REFERENCES item_texts(text_id),
  CHECK ((product_names[1] = product_name)),
  CHECK ((tone_by = ANY (ARRAY['mapping'::text, 'category'::text, 'word'::text, 'unknown'::text]))),
  CHECK ((tone = ANY (ARRAY['planned'::text, 'in_progress'::text, 'shipped'::text, 'stopped'::text])))
);
CREATE INDEX items_by_day ON item_rows USING btree (last_modified);
CREATE INDEX items_by_modification ON item_rows USING btree (last_modified DESC, release_date DESC NULLS LAST, release_item_id DESC) WHERE active;
CREATE INDEX items_by_product ON item_rows USING btree (product_name);
CREATE INDEX items_by_products ON item_rows USING gin (product_names);
CREATE INDEX items_by_release_date ON item_rows USING btree (release_date DESC NULLS LAST, last_modified DESC, release_item_id DESC) WHERE active;
CREATE INDEX items_by_search_text ON item_rows USING btree (text_id) INCLUDE (release_item_id, active, last_modified, release_date);
CREATE INDEX items_by_source ON item_rows USING btree (source) WHERE active;
CREATE INDEX items_by_tags ON item_rows USING gin (tags jsonb_path_ops);
CREATE INDEX items_by_text ON item_rows USING btree (text_hash);

create table item_texts (
  text_id bigint not null generated always as identity,
  search_text text not null,
  tags jsonb not null default '{}'::jsonb,
  words tsvector not null generated always as (words_of(search_text, tags)) stored,
  title_words tsvector not null generated always as (title_words_of(search_text)) stored,
  PRIMARY KEY (text_id)
);
CREATE INDEX items_by_substring ON item_texts USING gin (search_text gin_trgm_ops);
CREATE INDEX items_by_words ON item_texts USING gin (words);

create table item_versions (
  release_item_id uuid not null,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null,
  source text not null,
  tone text not null,
  tone_by text not null,
  created date,
  product_names text[] not null,
  tags jsonb not null,
  text_id bigint not null,
  version_id bigint not null generated always as identity,
  run_id integer not null,
  PRIMARY KEY (version_id),
  FOREIGN KEY (release_item_id) REFERENCES item_rows(release_item_id) ON DELETE CASCADE,
  FOREIGN KEY (text_id) REFERENCES item_texts(text_id)
);
CREATE INDEX item_versions_by_item ON item_versions USING btree (release_item_id, version_id) INCLUDE (run_id);
CREATE INDEX item_versions_by_text ON item_versions USING btree (text_id);

create table known_words (
  word text collate "C" not null,
  stem text collate "C" generated always as ((ts_lexize('english_stem'::regdictionary, word))[1]) stored,
  PRIMARY KEY (word)
);
CREATE INDEX known_words_by_stem ON known_words USING btree (stem);

create table mail_state (
  only_row boolean not null default true,
  paused_until timestamp with time zone,
  pause_kind text,
  pause_reason text,
  pauses integer not null default 0,
  next_turn_at timestamp with time zone,
  notified_up_to bigint not null default 0,
  PRIMARY KEY (only_row),
  CHECK (only_row),
  CHECK ((pause_kind = ANY (ARRAY['away'::text, 'refused'::text, 'busy'::text])))
);

create table migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  PRIMARY KEY (name)
);

create table notified_services (
  service text not null,
  change_id bigint not null,
  PRIMARY KEY (service)
);

create table outbox (
  mail_id uuid not null default gen_random_uuid(),
  subscription_id uuid,
  status text not null default 'waiting'::text,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  give_up_at timestamp with time zone not null,
  attempts integer not null default 0,
  leased_until timestamp with time zone,
  finished_at timestamp with time zone,
  last_error text,
  kind text not null default 'verification'::text,
  changes_after bigint,
  changes_up_to bigint,
  webhook_id uuid,
  payload_id uuid,
  priority smallint not null generated always as (
CASE kind
    WHEN 'verification'::text THEN 1
    WHEN 'preferences'::text THEN 2
    WHEN 'reminder'::text THEN 3
    ELSE 4
END) stored,
  came_back boolean not null default false,
  is_refused boolean not null default false,
  PRIMARY KEY (mail_id),
  FOREIGN KEY (payload_id) REFERENCES webhook_payloads(payload_id),
  FOREIGN KEY (subscription_id) REFERENCES subscriptions(subscription_id) ON DELETE CASCADE,
  FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id) ON DELETE CASCADE,
  CHECK (((payload_id IS NULL) OR ((kind = 'webhook'::text) AND (status = 'waiting'::text)))),
  CHECK ((kind = ANY (ARRAY['verification'::text, 'preferences'::text, 'reminder'::text, 'digest'::text, 'webhook'::text]))),
  CHECK (
CASE kind
    WHEN 'webhook'::text THEN ((webhook_id IS NOT NULL) AND (subscription_id IS NULL))
    ELSE ((webhook_id IS NULL) AND (subscription_id IS NOT NULL))
END),
  CHECK ((status = ANY (ARRAY['waiting'::text, 'sent'::text, 'logged'::text, 'failed'::text, 'superseded'::text])))
);
CREATE INDEX outbox_by_age ON outbox USING btree (created_at);
CREATE INDEX outbox_by_due ON outbox USING btree (priority, due_at) WHERE ((status = 'waiting'::text) AND (webhook_id IS NULL));
CREATE INDEX outbox_by_payload ON outbox USING btree (payload_id) WHERE (payload_id IS NOT NULL);
CREATE INDEX outbox_by_request ON outbox USING btree (created_at) WHERE (kind = ANY (ARRAY['verification'::text, 'preferences'::text]));
CREATE INDEX outbox_by_subscription ON outbox USING btree (subscription_id, created_at);
CREATE INDEX outbox_by_webhook ON outbox USING btree (webhook_id, created_at) WHERE (webhook_id IS NOT NULL);
CREATE UNIQUE INDEX outbox_one_waiting_digest ON outbox USING btree (subscription_id) WHERE ((kind = 'digest'::text) AND (status = 'waiting'::text));
CREATE INDEX outbox_refused ON outbox USING btree (subscription_id) WHERE is_refused;
CREATE INDEX outbox_unsent ON outbox USING btree (status, created_at) WHERE (status = ANY (ARRAY['waiting'::text, 'failed'::text]));
CREATE INDEX outbox_webhooks_by_due ON outbox USING btree (attempts, due_at) WHERE ((status = 'waiting'::text) AND (webhook_id IS NOT NULL));
CREATE INDEX outbox_webhooks_in_turn ON outbox USING btree (webhook_id, changes_up_to) WHERE ((status = 'waiting'::text) AND (webhook_id IS NOT NULL));

create unlogged table prepared_changes (
  change_id bigint not null default nextval('changes_change_id_seq'::regclass),
  release_item_id uuid not null,
  run_id integer not null,
  day date not null,
  kind text not null,
  field text,
  old_value text,
  new_value text,
  fields text[],
  by_source boolean,
  tone_before text,
  tone_after text
);

create unlogged table prepared_entries (
  entry_id bigint not null,
  first_change bigint not null,
  run_id integer not null,
  release_item_id uuid not null,
  day date not null,
  tone_before text not null,
  tone_after text not null,
  kinds_by_quarter text[] not null,
  kinds_by_day text[] not null
);

create unlogged table prepared_items (
  release_item_id uuid not null,
  feature_name text not null,
  release_date date,
  release_type text not null,
  release_status text not null,
  product_id uuid,
  product_name text not null,
  feature_description text,
  blog_title text,
  blog_url text,
  last_modified date not null,
  active boolean not null,
  source text not null,
  tone text not null,
  tone_by text not null,
  created date,
  product_names text[] not null,
  tags jsonb not null,
  text_id bigint not null,
  run_id integer not null,
  PRIMARY KEY (run_id, release_item_id)
);

create unlogged table prepared_words (
  run_id integer not null,
  word text collate "C" not null
);

create table question_embeddings (
  question_hash bytea not null,
  embedding bytea not null,
  used_at timestamp with time zone not null default now(),
  PRIMARY KEY (question_hash)
);
CREATE INDEX question_embeddings_by_use ON question_embeddings USING btree (used_at);

create table reminders (
  subscription_id uuid not null,
  release_item_id uuid not null,
  planned_on date not null,
  days_before smallint not null,
  mail_id uuid,
  PRIMARY KEY (subscription_id, release_item_id, planned_on),
  FOREIGN KEY (mail_id) REFERENCES outbox(mail_id) ON DELETE SET NULL,
  FOREIGN KEY (subscription_id) REFERENCES subscriptions(subscription_id) ON DELETE CASCADE
);
CREATE INDEX reminders_by_day ON reminders USING btree (planned_on);
CREATE INDEX reminders_by_mail ON reminders USING btree (mail_id) WHERE (mail_id IS NOT NULL);

create unlogged table request_counts (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint,
  PRIMARY KEY (key)
);

create table schedules (
  name text not null,
  due_at timestamp with time zone not null default now(),
  holder text,
  held_until timestamp with time zone,
  failures integer not null default 0,
  accepted_removals integer,
  PRIMARY KEY (name)
);

create table service_state (
  only_row boolean not null default true,
  data_version bigint not null default 1,
  holds_sample boolean not null default false,
  database_id uuid not null default gen_random_uuid(),
  admin_generation integer not null default 0,
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

create table slots (
  name text not null,
  slot timestamp with time zone not null,
  PRIMARY KEY (name)
);

create table source_languages (
  source text not null,
  language text not null,
  PRIMARY KEY (source)
);

create table source_pages (
  source text not null,
  read_as jsonb not null,
  pages jsonb not null,
  PRIMARY KEY (source)
);

create table source_secrets (
  secrets_id uuid not null,
  secrets jsonb not null,
  created_at timestamp with time zone not null,
  PRIMARY KEY (secrets_id)
);

create table stored_sources (
  name text not null,
  entry jsonb not null,
  is_paused boolean not null,
  secrets_id uuid,
  PRIMARY KEY (name)
);

create table subscriptions (
  subscription_id uuid not null default gen_random_uuid(),
  email text not null,
  state text not null default 'unverified'::text,
  variant text not null,
  requested_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  unsubscribed_at timestamp with time zone,
  last_notified_change bigint not null default 0,
  mailbox text not null generated always as (mailbox_of(email)) stored,
  mailed_since_unsubscribing_at timestamp with time zone,
  cadence text not null default 'weekly'::text,
  paused_until date,
  asked jsonb,
  refusals integer not null default 0,
  refused_at timestamp with time zone,
  refusal_reason text,
  scope text not null default 'all'::text,
  filter jsonb not null default '{}'::jsonb,
  releases uuid[] not null default '{}'::uuid[],
  upcoming boolean not null default true,
  reminders boolean not null default true,
  filter_key text not null generated always as (filter_key(variant, scope, filter, releases, upcoming)) stored,
  UNIQUE (email),
  PRIMARY KEY (subscription_id),
  CHECK ((cadence = ANY (ARRAY['immediate'::text, 'daily'::text, 'weekly'::text]))),
  CHECK (((state <> 'verified'::text) OR (verified_at IS NOT NULL))),
  CHECK (((state <> 'unsubscribed'::text) OR (unsubscribed_at IS NOT NULL))),
  CHECK (((scope <> 'chosen'::text) OR (filter <> '{}'::jsonb))),
  CHECK (((state <> 'bounced'::text) OR (refused_at IS NOT NULL))),
  CHECK ((scope = ANY (ARRAY['all'::text, 'chosen'::text, 'watched'::text]))),
  CHECK ((state = ANY (ARRAY['unverified'::text, 'verified'::text, 'unsubscribed'::text, 'bounced'::text]))),
  CHECK ((variant = ANY (ARRAY['A'::text, 'B'::text])))
);
CREATE INDEX subscriptions_by_filter ON subscriptions USING btree (filter_key, subscription_id) WHERE (state = 'verified'::text);
CREATE INDEX subscriptions_by_host ON subscriptions USING btree (split_part(email, '@'::text, 2)) WHERE (state = 'verified'::text);
CREATE INDEX subscriptions_by_mailbox ON subscriptions USING btree (mailbox);
CREATE INDEX subscriptions_by_state ON subscriptions USING btree (state, requested_at);
CREATE TRIGGER subscriptions_go_by_the_rules BEFORE INSERT OR UPDATE OF state ON subscriptions FOR EACH ROW EXECUTE FUNCTION refuse_wrong_transition();

create table token_secret (
  only_row boolean not null default true,
  secret text not null,
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

create table upload_mappings (
  source_name text not null,
  options jsonb not null,
  PRIMARY KEY (source_name)
);

create table upload_parts (
  upload_id uuid not null,
  part integer not null,
  body bytea not null,
  PRIMARY KEY (upload_id, part),
  FOREIGN KEY (upload_id) REFERENCES uploads(upload_id) ON DELETE CASCADE
);

create table uploads (
  upload_id uuid not null,
  created_at timestamp with time zone not null,
  file_name text not null,
  bytes bigint not null default 0,
  is_complete boolean not null default false,
  options jsonb not null,
  PRIMARY KEY (upload_id)
);

create table verification_tokens (
  token_hash bytea not null,
  subscription_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  voided_at timestamp with time zone,
  PRIMARY KEY (token_hash),
  FOREIGN KEY (subscription_id) REFERENCES subscriptions(subscription_id) ON DELETE CASCADE
);
CREATE INDEX verification_tokens_by_age ON verification_tokens USING btree (created_at);
CREATE INDEX verification_tokens_by_subscription ON verification_tokens USING btree (subscription_id);

create table webhook_payloads (
  payload_id uuid not null default gen_random_uuid(),
  content jsonb not null,
  PRIMARY KEY (payload_id)
);

create table webhooks (
  webhook_id uuid not null default gen_random_uuid(),
  name text not null,
  kind text not null,
  shown_url text not null,
  target bytea not null,
  filter jsonb not null default '{}'::jsonb,
  cadence text not null default 'immediate'::text,
  last_notified_change bigint not null,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  disabled_reason text,
  UNIQUE (name),
  PRIMARY KEY (webhook_id),
  CHECK ((cadence = ANY (ARRAY['immediate'::text, 'daily'::text, 'weekly'::text]))),
  CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  CHECK ((kind = ANY (ARRAY['standard'::text, 'slack'::text, 'teams'::text, 'discord'::text, 'mattermost'::text, 'googlechat'::text, 'telegram'::text, 'ntfy'::text, 'apprise'::text])))
);

create view items as
 SELECT item_rows.release_item_id,
    item_rows.feature_name,
    item_rows.release_date,
    item_rows.release_type,
    item_rows.release_status,
    item_rows.product_id,
    item_rows.product_name,
    item_rows.feature_description,
    item_rows.blog_title,
    item_rows.blog_url,
    item_rows.last_modified,
    item_rows.active,
    item_rows.text_hash,
    item_rows.source,
    item_rows.tone,
    item_rows.tone_by,
    item_rows.created,
    item_rows.product_names,
    item_rows.tags,
    item_rows.text_id,
    item_texts.search_text,
    item_texts.words,
    item_texts.title_words,
    source_languages.language
   FROM ((item_rows
     LEFT JOIN item_texts USING (text_id))
     LEFT JOIN source_languages USING (source));

CREATE OR REPLACE FUNCTION change_kinds(event text, tone_before text, tone_after text, status_changed boolean, date_changed boolean, date_before date, date_after date, others_changed boolean)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (event = 'added'::text) THEN ARRAY['added'::text] ELSE array_remove(ARRAY[CASE WHEN ((tone_before <> 'shipped'::text) AND (tone_after = 'shipped'::text)) THEN 'shipped'::text ELSE NULL::text END, CASE WHEN ((tone_before <> 'stopped'::text) AND (tone_after = 'stopped'::text)) THEN 'cancelled'::text ELSE NULL::text END, CASE WHEN (event = 'removed'::text) THEN 'removed'::text ELSE NULL::text END, CASE WHEN (date_changed AND (date_after > date_before) AND (tone_after = ANY (ARRAY['planned'::text, 'in_progress'::text]))) THEN 'slipped'::text ELSE NULL::text END, CASE WHEN (((tone_before = ANY (ARRAY['in_progress'::text, 'shipped'::text, 'stopped'::text])) AND (tone_after = 'planned'::text)) OR ((tone_before = 'shipped'::text) AND (tone_after = 'in_progress'::text))) THEN 'taken_back'::text ELSE NULL::text END, CASE WHEN ((tone_before = ANY (ARRAY['planned'::text, 'stopped'::text])) AND (tone_after = 'in_progress'::text)) THEN 'started'::text ELSE NULL::text END, CASE WHEN (date_changed AND (date_after < date_before) AND (tone_after = ANY (ARRAY['planned'::text, 'in_progress'::text]))) THEN 'earlier'::text ELSE NULL::text END, CASE WHEN (event = 'restored'::text) THEN 'restored'::text ELSE NULL::text END, CASE WHEN (date_changed AND (date_before IS NULL) AND (date_after IS NOT NULL)) THEN 'dated'::text ELSE NULL::text END, CASE WHEN (date_changed AND (date_before IS NOT NULL) AND (date_after IS NULL)) THEN 'undated'::text ELSE NULL::text END, CASE WHEN (others_changed OR (status_changed AND (tone_before = tone_after)) OR (date_changed AND (date_before IS NOT NULL) AND (date_after IS NOT NULL) AND (((tone_after = ANY (ARRAY['planned'::text, 'in_progress'::text])) AND (date_before = date_after)) OR ((tone_after = ANY (ARRAY['shipped'::text, 'stopped'::text])) AND (tone_before = tone_after))))) THEN 'edited'::text ELSE NULL::text END], NULL::text) END
;

CREATE OR REPLACE FUNCTION divide_words(plain text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(plain, '(&apos;|&#39;|'')s(?![a-z0-9])|&([a-z][a-z0-9]{1,30}|#[0-9]{2,7}|#x[0-9a-f]{2,6});'::text, ' '::text, 'g'::text), '[\u0001-\u0008\u000b\u000c\u000e-\u001f!-/:-@[-`{-©«-±´¶-¸»-¿×÷\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3030\ufe00-\ufe6f\ufffd\U0001f000-\U0001faff]+'::text, ' '::text, 'g'::text)
;

CREATE OR REPLACE FUNCTION filter_key(variant text, scope text, filter jsonb, releases uuid[], upcoming boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN md5((ROW(variant, scope, filter, releases, upcoming))::text)
;

CREATE OR REPLACE FUNCTION hash_text(words text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN sha256(convert_to(words, 'UTF8'::name))
;

CREATE OR REPLACE FUNCTION indexed_words(plain text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (divide_words(plain) || CASE WHEN (plain ~~ '%-%'::text) THEN (' '::text || joined_words(plain)) ELSE ''::text END)
;

CREATE OR REPLACE FUNCTION joined_words(plain text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT COALESCE(string_agg(replace(found.found[1], '-'::text, ''::text), ' '::text), ''::text) AS "coalesce" FROM regexp_matches(joined_words.plain, '([a-z0-9\u00df-\u1fff]+(?:-[a-z0-9\u00df-\u1fff]+)+)'::text, 'g'::text) found(found))
;

CREATE OR REPLACE FUNCTION language_stem(dictionary regdictionary, word text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (ts_lexize(dictionary, CASE dictionary WHEN 'french_stem'::regdictionary THEN regexp_replace(word, 'ee(s?)$'::text, 'ée\1'::text) WHEN 'portuguese_stem'::regdictionary THEN regexp_replace(regexp_replace(word, 'oes$'::text, 'ao'::text), 'cao$'::text, 'ção'::text) WHEN 'spanish_stem'::regdictionary THEN regexp_replace(word, 'ion$'::text, 'ión'::text) ELSE NORMALIZE(word, NFC) END))[1]
;

CREATE OR REPLACE FUNCTION mailbox_of(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (email ~ '@(gmail|googlemail)\.com$'::text) THEN (replace(split_part(split_part(email, '@'::text, 1), '+'::text, 1), '.'::text, ''::text) || '@gmail.com'::text) ELSE regexp_replace(email, '^([^@+]+)\+[^@]*@'::text, '\1@'::text) END
;

CREATE OR REPLACE FUNCTION make_embeddings()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- Dropping the extension takes the column with it.
  if exists (
    select from pg_attribute
    where attrelid = to_regclass('embeddings') and attname = 'embedding' and not attisdropped
  ) then
    return;
  end if;
  drop table if exists embeddings;
  create table embeddings (
    set_id integer not null references embedding_sets on delete cascade,
    text_hash bytea not null,
    embedding halfvec not null,
    created_at timestamptz not null default now(),
    primary key (set_id, text_hash)
  );
  -- Vectors stored in the row are compared three times as fast as those stored out of line (TOAST).
  -- PostgreSQL would then move the hash of such a long row out of line, which every join reads.
  alter table embeddings
    alter column embedding set storage plain,
    alter column text_hash set storage plain;
end
$function$
;

CREATE OR REPLACE FUNCTION name_words(folded text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN to_tsvector('simple'::regconfig, indexed_words(plain_letters(folded)))
;

CREATE OR REPLACE FUNCTION plain_letters(folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (octet_length(folded) = char_length(folded)) THEN "left"(folded, 200000) ELSE replace(replace(replace(translate(regexp_replace(NORMALIZE("left"(folded, 200000), NFD), '[\u0300-\u036f]+'::text, ''::text, 'g'::text), 'łøđðħŧıŋ'::text, 'loddhtin'::text), 'æ'::text, 'ae'::text), 'œ'::text, 'oe'::text), 'þ'::text, 'th'::text) END
;

CREATE OR REPLACE FUNCTION refuse_wrong_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' and new.state <> 'unverified' then
    raise exception 'A new subscription is unverified, not %', new.state
      using errcode = 'check_violation';
  end if;
  if tg_op = 'UPDATE' and old.state <> new.state and (old.state, new.state) not in (
    ('unverified', 'verified'), ('unverified', 'unsubscribed'),
    ('verified', 'unsubscribed'), ('unsubscribed', 'unverified'),
    ('verified', 'bounced'), ('bounced', 'unverified'), ('bounced', 'unsubscribed'),
    ('bounced', 'verified')
  ) then
    raise exception 'A subscription does not go from % to %', old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION split_words(folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN divide_words(plain_letters(folded))
;

CREATE OR REPLACE FUNCTION tag_words(tags jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT COALESCE(string_agg(lower(member.value), ' '::text), ''::text) AS "coalesce" FROM (jsonb_each(tag_words.tags) grouped(group_name, members) CROSS JOIN LATERAL jsonb_array_elements_text(grouped.members) member(value)))
;

CREATE OR REPLACE FUNCTION title_words_of(search_text text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (setweight(name_words(COALESCE(NULLIF(split_part(search_text, ''::text, 4), ''::text), split_part(search_text, ''::text, 1))), 'A'::"char") || setweight(name_words(split_part(search_text, ''::text, 3)), 'B'::"char"))
;

CREATE OR REPLACE FUNCTION unmarked(description text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(regexp_replace(description, '<!--.*?-->'::text, ''::text, 'g'::text), '\\(?=[!-/:-@[-`{-~])|</?su[bp]>'::text, ''::text, 'g'::text)
;

CREATE OR REPLACE FUNCTION without_tags(plain text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (plain ~ '[<(]'::text) THEN regexp_replace(plain, ((((('(`[^`]*`)'::text || '|(?<!\\)</?(?:a|b|blockquote|br|code|del|div|em|h[1-6]|hr|i|li|ol|p|pre|s|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul'::text) || '|abbr|caption|center|dd|details|dl|dt|figcaption|figure|font|ins|kbd|mark|picture|q|samp|small|strike|summary|tfoot|tt|var)'::text) || '(?:\s*/?|\s+open\s*|\s[^<>]*=[^<>]*)>'::text) || '|<(?:img|source)(?:\s[^<>]*)?\salt="([^"<>]*)"[^<>]*>|<(?:img|source)\s[^<>]*>'::text) || '|\]\([^()\s]*\)'::text), '\1 \2'::text, 'g'::text) ELSE plain END
;

CREATE OR REPLACE FUNCTION words_of(search_text text, tags jsonb)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN to_tsvector('simple'::regconfig, indexed_words(concat_ws(' '::text, plain_letters(COALESCE(NULLIF(split_part(search_text, ''::text, 4), ''::text), split_part(search_text, ''::text, 1))), without_tags(plain_letters(COALESCE(NULLIF(split_part(search_text, ''::text, 5), ''::text), split_part(search_text, ''::text, 2)))), plain_letters(split_part(search_text, ''::text, 3)), plain_letters(tag_words(tags)))))
;
