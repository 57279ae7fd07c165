-- The texts that releases are found by lie beside the releases. They and their indexes are the most of
-- what an import costs: it writes them before the one transaction that changes the roadmap.
create table item_texts (
  text_id bigint generated always as identity primary key,
  search_text text not null,
  tags jsonb not null default '{}',
  words tsvector not null generated always as (words_of(search_text, tags)) stored,
  title_words tsvector not null generated always as (title_words_of(search_text)) stored
);

alter table items rename to item_rows;
alter table item_rows add column text_id bigint generated always as identity;
insert into item_texts (text_id, search_text, tags) overriding system value
select text_id, search_text, tags from item_rows;
select setval('item_texts_text_id_seq', max(text_id)) from item_texts;

alter table item_rows alter column text_id drop identity;
alter table item_rows drop column words, drop column title_words;
alter table item_rows drop column search_text;
alter table item_rows add foreign key (text_id) references item_texts;
create index items_by_search_text on item_rows (text_id);
create index items_by_substring on item_texts using gin (search_text gin_trgm_ops);
create index items_by_words on item_texts using gin (words);

-- The items as they are read. Without a column of their texts, nothing is joined.
create view items as
select item_rows.*, search_text, words, title_words
from item_rows
left join item_texts using (text_id);

-- What an import is going to store: rows of the same columns, prepared in pieces while readers are
-- served. What a killed import leaves here says nothing, and the next import that changes something
-- deletes it. Nothing is lost with it, so it is not logged.
create unlogged table prepared_items (like item_rows);
alter table prepared_items
  drop column text_hash,
  add column run_id integer not null,
  add primary key (run_id, release_item_id);

create unlogged table prepared_changes (like changes);
alter table prepared_changes
  alter column change_id set default nextval('changes_change_id_seq');

create unlogged table prepared_entries (like change_entries);

create unlogged table prepared_words (
  run_id integer not null,
  word text collate "C" not null
);

-- A run is only deleted together with the items of its changes.
alter table changes drop constraint changes_run_id_fkey;
alter table change_entries drop constraint change_entries_run_id_fkey;
