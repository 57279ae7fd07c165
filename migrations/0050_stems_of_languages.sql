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
