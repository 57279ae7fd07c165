-- The first import replaced the releases of the sample, but left its imports: two years of days on
-- which nobody had looked at the roadmap that came after it.
delete from import_runs
where source = 'the sample roadmap'
  and not (select holds_sample from service_state)
  and not exists (select from changes where changes.run_id = import_runs.run_id)
  and not exists (select from change_entries where change_entries.run_id = import_runs.run_id);

-- The post of a release is found at each import; what the operator set is all that is kept.
delete from announcement_matches where reason <> 'set';
alter table announcement_matches drop column reason;

-- What everybody may know of an import that failed: no word of its source. What an import said besides
-- its counts: rows that were left out, by the reason, and notes.
alter table import_runs
  add column public_error text,
  add column left_out jsonb,
  add column notes jsonb;

-- Tokens that may import some sources and nothing else. Of their text only a hash is stored.
create table import_tokens (
  name text primary key,
  -- SHA-256, in hexadecimal digits.
  hash text not null unique,
  -- A list of names.
  sources jsonb not null,
  created_at timestamptz not null,
  last_used_on date
);

-- Sources that operators add at /admin/sources.
create table stored_sources (
  name text primary key,
  -- An entry of a file of ROADMAP_CONFIG without its name, where each secret is env:NAME.
  entry jsonb not null,
  is_paused boolean not null,
  -- Of its secrets, which a backup as SQL leaves out; null: it has none.
  secrets_id uuid
);

-- What operators typed as secrets of a source.
create table source_secrets (
  secrets_id uuid primary key,
  -- Each value by the NAME of env:NAME.
  secrets jsonb not null,
  created_at timestamptz not null
);

-- The languages of sources whose texts are in another language than the pages.
create table source_languages (
  source text primary key,
  -- BCP 47
  language text not null
);
