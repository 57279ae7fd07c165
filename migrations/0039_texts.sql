-- What a page shows as text is text for searches, too: words between angle brackets that are no element
-- of HTML, and code.

-- Plain letters without elements of HTML, but with the text of an image, and without addresses of links.
-- The elements are those of lib/text/markup.ts.
create or replace function without_tags(plain text) returns text
  language sql immutable strict parallel safe
  return case when plain ~ '[<(]' then regexp_replace(
    plain,
    '(`[^`]*`)'
      || '|(?<!\\)</?(?:a|b|blockquote|br|code|del|div|em|h[1-6]|hr|i|li|ol|p|pre|s|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul'
      || '|abbr|caption|center|dd|details|dl|dt|figcaption|figure|font|ins|kbd|mark|picture|q|samp|small|strike|summary|tfoot|tt|var)'
      || '(?:\s*/?|\s+open\s*|\s[^<>]*=[^<>]*)>'
      || '|<(?:img|source)(?:\s[^<>]*)?\salt="([^"<>]*)"[^<>]*>|<(?:img|source)\s[^<>]*>'
      || '|\]\([^()\s]*\)',
    '\1 \2', 'g'
  ) else plain end;

-- A description without what only says how Markdown reads it: backslashes before signs, raised and lowered
-- text, and the comments of templates.
create function unmarked(description text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(
    regexp_replace(description, '<!--.*?-->', '', 'g'),
    '\\(?=[!-/:-@[-`{-~])|</?su[bp]>', '', 'g'
  );

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
create index items_by_substring on item_texts using gin (search_text gin_trgm_ops);
create index items_by_words on item_texts using gin (words);
-- What is found by a text is put into order and counted without a look at its row: most of a row is not
-- needed for that, and a search that finds much would read all rows of the roadmap.
create index items_by_search_text on item_rows (text_id)
  include (release_item_id, active, last_modified, release_date);

-- Words that texts have only now.
insert into known_words (word)
select distinct word
from item_texts cross join unnest(tsvector_to_array(words)) as word
where search_text ~ '[<`]' and word !~ '[0-9]'
on conflict do nothing;

-- The items as they are read. Without a column of their texts or their language, nothing is joined.
create view items as
select item_rows.*, search_text, words, title_words, language
from item_rows
left join item_texts using (text_id)
left join source_languages using (source);

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

-- The stem of a word in another language than English; null: a stop word. Words are known without
-- accents: endings that decide on the stem get theirs back.
create function language_stem(dictionary regdictionary, word text) returns text
  language sql immutable strict parallel safe
  return (ts_lexize(dictionary, case dictionary
    when 'french_stem'::regdictionary then regexp_replace(word, 'ee(s?)$', 'ée\1')
    when 'portuguese_stem'::regdictionary
      then regexp_replace(regexp_replace(word, 'oes$', 'ao'), 'cao$', 'ção')
    when 'spanish_stem'::regdictionary then regexp_replace(word, 'ion$', 'ión')
    else normalize(word, nfc)
  end))[1];
