-- Search by meaning: the sets of vectors there are, and the vectors of questions that were asked.
-- The vectors of items lie in one table per set, which the service makes itself when an embedding
-- service is configured: their length is a setting, and not every PostgreSQL carries pgvector.

-- The catalogue calls convert_to only stable, because conversions can be replaced; to UTF-8 none is.
create function hash_text(words text) returns bytea
  language sql immutable strict parallel safe
  return sha256(convert_to(words, 'UTF8'));

-- What is embedded of an item, as a hash: an item has a current vector where a set knows this hash.
alter table items add column text_hash bytea not null generated always as (
  hash_text(feature_name || E'\x1f' || product_name || E'\x1f' || coalesce(feature_description, ''))
) stored;
-- A hash is read on the way to every vector: it is never put aside, however long the row is.
alter table items alter column text_hash set storage plain;

-- From a vector that is near to the items it stands for.
create index items_by_text on items (text_hash);

-- All vectors that one model made in one length; those of the set 7 lie in the table embeddings_7.
create table embedding_sets (
  set_id integer generated always as identity primary key,
  model text not null,
  dimensions integer not null,
  -- When all items had a vector. The set that was completed last is searched.
  completed_at timestamptz,
  -- Vectors came to it that the processes have not been told of.
  has_news boolean not null default false,
  -- When another set took its place. Its vectors stay for a while, so that going back costs nothing.
  retired_at timestamptz,
  unique (model, dimensions)
);

create table question_embeddings (
  -- SHA-256 of model, dimensions and the folded question: the words themselves are not kept.
  question_hash bytea primary key,
  -- 32-bit floats, little-endian.
  embedding bytea not null,
  used_at timestamptz not null default now()
);

-- Those that were not asked for the longest time go first.
create index question_embeddings_by_use on question_embeddings (used_at);
