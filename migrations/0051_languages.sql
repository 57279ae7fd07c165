-- The languages of sources whose texts are in another language than the pages.
create table source_languages (
  source text primary key,
  -- BCP 47
  language text not null
);

create or replace view items as
select item_rows.*, search_text, words, title_words, language
from item_rows
left join item_texts using (text_id)
left join source_languages using (source);

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
