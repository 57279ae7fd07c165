-- Read twice, it is computed twice, but only what is read of it, by way of the indexes.
      with items as not materialized (
  with later_runs as materialized (
    select run_id from import_runs where as_of > $1::date
  ),
  added_later as materialized (
    select release_item_id from changes
    where kind = 'added' and run_id in (select run_id from later_runs) and true
  ),
  replaced as materialized (
    select release_item_id, min(version_id) as version_id
    from item_versions
    where run_id in (select run_id from later_runs) and true
    group by release_item_id
  )
  select known.*, search_text, words, title_words, language
  from (
    select
release_item_id, source, created, feature_name, release_date, release_type, release_status,
product_id, product_name, product_names, tags, feature_description, blog_title, blog_url, active,
tone, tone_by, last_modified, text_id
    from item_rows
    where true and release_item_id not in (select release_item_id from replaced)
    union all
    select
release_item_id, source, created, feature_name, release_date, release_type, release_status,
product_id, product_name, product_names, tags, feature_description, blog_title, blog_url, active,
tone, tone_by, last_modified, text_id
    from item_versions
    where version_id in (select version_id from replaced)
  ) as known
  left join item_texts using (text_id)
  left join source_languages using (source)
  where release_item_id not in (select release_item_id from added_later)
)
      select * from (
  with tokens as (
    select piece::int - 1 as piece, lexeme as word, place,
      (ts_lexize('english_stem', lexeme))[1] as stem
    from unnest($2::text[]) with ordinality as given (text, piece)
    cross join unnest(to_tsvector('simple', split_words(text))) as found (lexeme, places, weights)
    cross join unnest(places) as place
  )
  select piece, word, stem is null as is_stop_word,
    word ~ '[0-9]' or word in (select word from known_words) as is_known,
    array(
      select word
      union
      select known_words.word from known_words where known_words.stem = tokens.stem
    ) as forms,
    (
      select known_words.word from known_words where known_words.word = tokens.word || next_word
    ) as with_next,
    array(
      select left(word, at) || ' ' || substr(word, at + 1)
      from generate_series($3::int, char_length(word) - $4::int) as at
      where word !~ '[0-9]'
        and exists (select from known_words as half where half.word = left(tokens.word, at))
        and exists (select from known_words as half where half.word = substr(tokens.word, at + 1))
    ) as halves
  from (
    select *, lead(word) over (order by piece, place) as next_word from tokens
  ) as tokens
  order by piece, place
) as answer
