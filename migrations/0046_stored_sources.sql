-- Sources that operators add at /admin/sources.
create table stored_sources (
  name text primary key,
  -- An entry of a file of ROADMAP_CONFIG without its name, where each secret is env:NAME.
  entry jsonb not null,
  is_paused boolean not null,
  -- Of its secrets, which a backup as SQL leaves out; null: it has none.
  secrets_id uuid,
  changed_at timestamptz not null
);

-- What operators typed as secrets of a source.
create table source_secrets (
  secrets_id uuid primary key,
  -- Each value by the NAME of env:NAME.
  secrets jsonb not null,
  created_at timestamptz not null
);
