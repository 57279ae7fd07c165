-- The vectors of all sets lie in one table. It needs pgvector, which not every PostgreSQL carries, so
-- it is made as soon as there are vectors: here, or by the first run that embeds.
create function make_embeddings() returns void language plpgsql as $$
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
$$;

do $$
declare
  old record;
begin
  for old in
    select set_id, format('embeddings_%s', set_id)::regclass as place,
      exists (
        select from pg_attribute
        where attrelid = to_regclass(format('embeddings_%s', set_id))
          and attname = 'embedding' and not attisdropped
      ) as is_whole
    from embedding_sets
    where to_regclass(format('embeddings_%s', set_id)) is not null
  loop
    if old.is_whole then
      perform make_embeddings();
      execute format(
        'insert into embeddings select %s, text_hash, embedding, created_at from %s',
        old.set_id, old.place
      );
    end if;
    execute format('drop table %s', old.place);
  end loop;
end
$$;
