with
    given as materialized (
      select * from jsonb_to_recordset($1::text::jsonb) as given (
        release_item_id uuid, feature_name text, release_date date, release_type text, release_status text, product_id uuid, product_name text, product_names text[], tags jsonb, feature_description text, blog_title text, blog_url text, tone text, tone_by text, last_modified date, active boolean, source text, created date, search_text text
      )
    ),
    stored as not materialized (select * from items where not $2),
    texts_to_write as materialized (
      select given.*, nextval('item_texts_text_id_seq') as text_id
      from given
      left join stored using (release_item_id)
      where given.search_text is not null
        and (given.search_text, given.tags) is distinct from (stored.search_text, stored.tags)
    ),
    texts as (
      insert into item_texts (text_id, search_text, tags) overriding system value
      select text_id, search_text, tags from texts_to_write order by text_id
      returning words
    ),
    words as (
      insert into prepared_words (run_id, word)
      select $3::int, word from (
  select word
  from (select distinct unnest(tsvector_to_array(words)) as word from texts) as found
  where word !~ '[0-9]' and not exists (select from known_words where known_words.word = found.word)
) as new_words
    )
  ,
    prepared as (
      insert into prepared_items (release_item_id, feature_name, release_date, release_type, release_status, product_id, product_name, product_names, tags, feature_description, blog_title, blog_url, tone, tone_by, last_modified, active, source, created, text_id, run_id)
      select prepared.*, $4::int from (
    select given.release_item_id, given.feature_name, given.release_date, given.release_type, given.release_status, given.product_id, given.product_name, given.product_names, given.tags, given.feature_description, given.blog_title, given.blog_url, given.tone, given.tone_by, given.last_modified, given.active, given.source, given.created,
      coalesce(texts_to_write.text_id, stored.text_id)
    from given
    left join stored using (release_item_id)
    left join texts_to_write using (release_item_id)
  ) as prepared
      returning release_item_id, tone
    ),
    noted as (
      insert into prepared_changes (release_item_id, run_id, day, kind, field, old_value, new_value, fields, by_source, tone_before, tone_after)
    select release_item_id, $5::int, day, kind, field, old_value, new_value, fields,
      by_source, tone_before, tone_after
    from jsonb_to_recordset($6::text::jsonb) as note (
      release_item_id uuid, place int, day date, kind text, field text, old_value text, new_value text, fields text[], by_source boolean, tone_before text, tone_after text
    )
    order by release_item_id, place
      returning change_id, release_item_id, run_id, day, kind, field, old_value, new_value, fields, by_source, tone_before, tone_after
    ),
    entries as (
      insert into prepared_entries (entry_id, first_change, run_id, release_item_id, day, tone_before, tone_after, kinds_by_quarter, kinds_by_day)
  select last_change, first_change, run_id, release_item_id, day, tone_before, tone_after,
  change_kinds(
    event, tone_before, tone_after, status_changed,
    date_changed, date_trunc('quarter', date_before)::date, date_trunc('quarter', date_after)::date,
    others_changed
  )
,
  change_kinds(
    event, tone_before, tone_after, status_changed,
    date_changed, date_before, date_after,
    shown_by_day_changed
  )
  from (
    select max(change_id) as last_change, min(change_id) as first_change,
      run_id, release_item_id, min(day) as day,
      max(kind) filter (where kind <> 'changed') as event,
      max(changes.tone_before) as old_tone, max(changes.tone_after) as new_tone,
coalesce(bool_or(field = 'release_status'), false) as status_changed,
coalesce(bool_or(field = 'release_date'), false) as date_changed,
(max(old_value) filter (where field = 'release_date'))::date as date_before,
(max(new_value) filter (where field = 'release_date'))::date as date_after,
coalesce(bool_or(field not in ('release_status', 'release_date')), false) as others_changed,
coalesce(
  bool_or(field not in ('release_status', 'release_date', 'blog_title', 'blog_url')), false
) as shown_by_day_changed
    from noted as changes
    group by run_id, release_item_id
  ) as entries
  join prepared as items using (release_item_id)
  cross join lateral (
    select coalesce(new_tone, null, items.tone) as tone_after
    offset 0
  ) as afterwards
  cross join lateral (select coalesce(old_tone, tone_after) as tone_before offset 0) as earlier
    )
    select count(*)::int as prepared from prepared
