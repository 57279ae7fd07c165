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
