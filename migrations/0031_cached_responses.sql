-- Variant B's server-side cache under the name that its code has. `copies` stays for a while: a
-- process of the earlier version may still be running, and nothing in it is worth moving.
create table cached_responses (
  -- SHA-256 of the normalised request, because a request may be longer than an index row.
  key_hash bytea primary key,
  body bytea not null,
  headers jsonb not null,
  built_at timestamptz not null,
  -- The process that revalidates a stale response has it to itself until then.
  revalidate_until timestamptz
);

-- The oldest responses go first.
create index cached_responses_by_age on cached_responses (built_at);
