-- Search by words: full text in the words as they stand, beside the substrings of search_text.

-- The words of a folded text, between blanks: without tags, addresses of links, entities and accents.
-- Letters are told from signs by their code, so that every locale divides a text alike. Most texts
-- are ASCII, and have no accents to look for.
create function split_words(folded text) returns text
  language sql immutable strict parallel safe
  return regexp_replace(
    regexp_replace(
      case
        when octet_length(folded) = char_length(folded) then left(folded, 200000)
        else regexp_replace(normalize(left(folded, 200000), NFD), '[\u0300-\u036f]+', '', 'g')
      end,
      '</?[a-z][^<>]*>|\]\([^()\s]*\)|(&apos;|&#39;|[''’])s(?![a-z0-9])|&(amp|lt|gt|quot|apos|#39|nbsp);',
      ' ', 'g'
    ),
    '[\u0001-\u0008\u000b\u000c\u000e-\u001f!-/:-@[-`{-©«-±´¶-¸»-¿×÷\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3030\ufe00-\ufe6f\ufffd\U0001f000-\U0001faff]+',
    ' ', 'g'
  );

-- The words of a search text with their places.
create function words_of(search_text text) returns tsvector
  language sql immutable strict parallel safe
  return to_tsvector('simple', split_words(search_text));

-- The words of its name (A) and product (B) alone: few enough to rank thousands of matches by.
create function title_words_of(search_text text) returns tsvector
  language sql immutable strict parallel safe
  return setweight(words_of(split_part(search_text, E'\x1f', 1)), 'A')
    || setweight(words_of(split_part(search_text, E'\x1f', 3)), 'B');

alter table items
  add column words tsvector not null generated always as (words_of(search_text)) stored,
  add column title_words tsvector not null generated always as (title_words_of(search_text)) stored;

create index items_by_words on items using gin (words);

-- Every word without digits that an item has or had, with its stem in English: a word of a question also stands for
-- those of the same stem, and a misspelt one for the nearest.
create table known_words (
  word text collate "C" primary key,
  -- Null: a stop word.
  stem text collate "C" generated always as ((ts_lexize('english_stem', word))[1]) stored
);

create index known_words_by_stem on known_words (stem);

insert into known_words (word)
select distinct word
from items cross join unnest(tsvector_to_array(words)) as word
where word !~ '[0-9]';
