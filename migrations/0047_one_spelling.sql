-- expand: 0.3.0 runs on it. What it imports it folds by its own rule until the next import of this
-- version, and it indexes the stems of its language again when it starts.

-- What a letter is beside its spellings: of full, half and common width, ligatures and single letters,
-- and in Arabic and Persian without vowel signs and kashida, with one alef, yeh, kaf and heh (as in
-- Lucene's ArabicNormalizer and PersianNormalizer). As `fold` of lib/text/match_words.ts.
create function one_spelling(given text) returns text
  language sql immutable strict parallel safe
  return case
    when octet_length(given) = char_length(given) then given
    else translate(
      regexp_replace(
        normalize(given, nfkc),
        '[\u0640\u064b-\u065f\u0670\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+', '', 'g'
      ),
      'آأإٱىیےةکہۀ', 'اااايييهكهه'
    )
  end;

-- A folded text, or tags, in one spelling without accents, strokes and ligatures. Most are ASCII, and
-- have none.
create or replace function plain_letters(folded text) returns text
  language sql immutable strict parallel safe
  return case
    when octet_length(folded) = char_length(folded) then left(folded, 200000)
    else replace(replace(replace(
      translate(
        regexp_replace(
          normalize(left(one_spelling(left(folded, 200000)), 200000), nfd), '[\u0300-\u036f]+', '', 'g'
        ),
        'łøđðħŧıŋ', 'loddhtin'
      ), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
  end;

-- The words of what is stored follow, tags included.
update item_texts
set search_text = lower(normalize(one_spelling(search_text), nfc))
where lower(normalize(one_spelling(search_text), nfc)) <> search_text
  or one_spelling(tags::text) <> tags::text;

insert into known_words (word)
select distinct word
from item_texts cross join unnest(tsvector_to_array(words)) as word
where (octet_length(search_text) <> char_length(search_text) or tags <> '{}') and word !~ '[0-9]'
on conflict do nothing;

-- The words are read into memory with their stems: no index finds one by its stem in a language.
do $$
declare
  index_name text;
begin
  for index_name in
    select relname from pg_index
    join pg_class on pg_class.oid = indexrelid
    where indrelid = 'known_words'::regclass and starts_with(relname, 'known_words_by_stem_in_')
  loop
    execute format('drop index %I', index_name);
  end loop;
end $$;
