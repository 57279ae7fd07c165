-- Variant B's server-side cache: built answers that all processes of this database share.
create table copies (
  -- SHA-256 of the normalised request, because a request may be longer than an index row.
  key_hash bytea primary key,
  body bytea not null,
  headers jsonb not null,
  built_at timestamptz not null,
  -- The process that refreshes a stale copy has it to itself until then.
  refresh_until timestamptz
);

-- The oldest copies go first.
create index copies_by_age on copies (built_at);
