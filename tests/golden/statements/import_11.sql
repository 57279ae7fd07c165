with
      incoming as materialized (
    select
      item.release_item_id, item.feature_name, item.release_date, item.release_type,
      item.release_status, item.product_id,
      case when keeps then items.product_name else item.product_name end as product_name,
      case
        when keeps then array[items.product_name] || array(
          select name from unnest(item.product_names) as name
          where name <> items.product_name
          order by name collate "C"
        )
        else item.product_names
      end as product_names,
      item.feature_description,
      case when is_announced then post.blog_title else item.blog_title end as blog_title,
      case when is_announced then post.blog_url else item.blog_url end as blog_url,
      item.last_modified, item.tone, item.tone_by, item.search_text, item.created, item.tags
    from jsonb_to_recordset($1::text::jsonb) as item (
      release_item_id uuid, feature_name text, release_date date, release_type text,
      release_status text, product_id uuid, product_name text, feature_description text,
      blog_title text, blog_url text, last_modified date, tone text, tone_by text, search_text text,
      created date, product_names text[], tags jsonb
    )
    left join (select * from items where false) as items on items.release_item_id = item.release_item_id
    left join jsonb_to_recordset($2::text::jsonb) as post (
      release_item_id uuid, blog_title text, blog_url text
    ) on post.release_item_id = item.release_item_id
    cross join lateral (
      select
        coalesce(
          items.product_name <> item.product_name and items.product_name = any(item.product_names),
          false
        ) as keeps,
        post.blog_url is not null and item.blog_url is null and item.blog_title is null
          as is_announced
    ) as rules
  ),
      differing as materialized (
    select
      incoming.release_item_id, incoming.feature_name,
      case
        when items.release_item_id is null then 'added'
        when (
    items.release_item_id is null
    or not items.active
    or (not $3 and incoming.last_modified > items.last_modified)
    or (
      incoming.feature_name, incoming.release_date, incoming.release_type,
      incoming.release_status, incoming.product_id, incoming.product_name,
      incoming.blog_title, incoming.blog_url, incoming.product_names, incoming.tags
    ) is distinct from (
      items.feature_name, items.release_date, items.release_type,
      items.release_status, items.product_id, items.product_name,
      items.blog_title, items.blog_url, items.product_names, items.tags
    )
    or (
      incoming.feature_description is distinct from items.feature_description
      and unmarked(incoming.feature_description) is distinct from
        unmarked(items.feature_description)
    )
  ) is not true then null
        when items.active then 'changed'
        else 'restored'
      end as outcome,
    case
      when items.release_item_id is null then coalesce(incoming.last_modified, $4::date)
      when incoming.last_modified > items.last_modified then incoming.last_modified
      else greatest(items.last_modified, $5::date)
    end
   as last_modified,
      case
        when items.release_item_id is null then coalesce(incoming.created, $6::date)
        else
    case
      when items.release_item_id is null then coalesce(incoming.last_modified, $7::date)
      when incoming.last_modified > items.last_modified then incoming.last_modified
      else greatest(items.last_modified, $8::date)
    end
      end as day,
      incoming.created is not null as is_dated,
      (
  items.release_item_id is not null
  and (incoming.tone, incoming.tone_by, incoming.feature_description) is distinct from
    (items.tone, items.tone_by, items.feature_description)
) as is_reread, (
  items.release_item_id is not null and items.created is null and incoming.created is not null
) as gets_created,
      items.tone as tone_before, incoming.tone as tone_after,
    jsonb_build_object(
      'feature_name', items.feature_name, 'release_date', items.release_date,
      'release_type', items.release_type, 'release_status', items.release_status,
      'product_id', items.product_id, 'product_name', items.product_name,
      'product_names', items.product_names, 'tags', items.tags,
      'feature_description', items.feature_description,
      'blog_title', items.blog_title, 'blog_url', items.blog_url
    )
   as stored,
    jsonb_build_object(
      'feature_name', incoming.feature_name, 'release_date', incoming.release_date,
      'release_type', incoming.release_type, 'release_status', incoming.release_status,
      'product_id', incoming.product_id, 'product_name', incoming.product_name,
      'product_names', incoming.product_names, 'tags', incoming.tags,
      'feature_description', incoming.feature_description,
      'blog_title', incoming.blog_title, 'blog_url', incoming.blog_url
    )
   as given
    from incoming
    left join (select * from items where false) as items on items.release_item_id = incoming.release_item_id
    where (
    items.release_item_id is null
    or not items.active
    or (not $9 and incoming.last_modified > items.last_modified)
    or (
      incoming.feature_name, incoming.release_date, incoming.release_type,
      incoming.release_status, incoming.product_id, incoming.product_name,
      incoming.blog_title, incoming.blog_url, incoming.product_names, incoming.tags
    ) is distinct from (
      items.feature_name, items.release_date, items.release_type,
      items.release_status, items.product_id, items.product_name,
      items.blog_title, items.blog_url, items.product_names, items.tags
    )
    or (
      incoming.feature_description is distinct from items.feature_description
      and unmarked(incoming.feature_description) is distinct from
        unmarked(items.feature_description)
    )
  ) or (
  items.release_item_id is not null
  and (incoming.tone, incoming.tone_by, incoming.feature_description) is distinct from
    (items.tone, items.tone_by, items.feature_description)
) or (
  items.release_item_id is not null and items.created is null and incoming.created is not null
)
    order by incoming.release_item_id
  ),
      texts_to_write as materialized (
        select incoming.*, nextval('item_texts_text_id_seq') as text_id
        from differing
        join incoming using (release_item_id)
        left join (select * from items where false) as items using (release_item_id)
        where (incoming.search_text, incoming.tags) is distinct from (items.search_text, items.tags)
      ),
      texts as (
        insert into item_texts (text_id, search_text, tags) overriding system value
        select text_id, search_text, tags from texts_to_write order by text_id
        returning words
      ),
      words as (
        insert into prepared_words (run_id, word)
        select $10::int, word from (
    select word
    from (select distinct unnest(tsvector_to_array(words)) as word from texts) as found
    where word !~ '[0-9]' and not exists (select from known_words where known_words.word = found.word)
  ) as new_words
      )
    ,
      prepared as (
        insert into prepared_items (release_item_id, feature_name, release_date, release_type, release_status, product_id, product_name, product_names, tags, feature_description, blog_title, blog_url, tone, tone_by, last_modified, active, source, created, text_id, run_id)
        select prepared.*, $11::int from (
      select release_item_id, incoming.feature_name, incoming.release_date, incoming.release_type,
        incoming.release_status, incoming.product_id, incoming.product_name, incoming.product_names,
        incoming.tags, incoming.feature_description, incoming.blog_title, incoming.blog_url,
        incoming.tone, incoming.tone_by,
        case when outcome is null then items.last_modified else differing.last_modified end,
        true,
        case when outcome is null then items.source else $12 end,
        coalesce(items.created, incoming.created), coalesce(texts_to_write.text_id, items.text_id)
      from differing
      join incoming using (release_item_id)
      left join (select * from items where false) as items using (release_item_id)
      left join texts_to_write using (release_item_id)
    ) as prepared
        returning release_item_id, tone
      ),
      noted as (
        insert into prepared_changes (release_item_id, run_id, day, kind, field, old_value, new_value, fields, by_source, tone_before, tone_after)
      select release_item_id, $13::int, day, kind, field, old_value, new_value, fields,
        case when kind = 'added' then is_dated end,
        case when field = 'release_status' then tone_before end,
        case when field = 'release_status' then tone_after end
      from differing
      cross join lateral (
  select
    0 as place, outcome as kind, null as field, null as old_value, null as new_value,
    case when outcome = 'added' then array(
      select field
      from unnest($14::text[]) with ordinality as listed (field, place)
      where given ->> field is not null
        and case field
          when 'product_names' then jsonb_array_length(given -> field) > 1
          when 'tags' then given -> field <> '{}'
          else true
        end
      order by place
    ) end as fields
  where outcome in ('added', 'restored')
  union all
  select place, 'changed', field, stored ->> field, given ->> field, null
  from unnest($15::text[]) with ordinality as listed (field, place)
  where outcome <> 'added' and stored ->> field is distinct from given ->> field
    -- One product that becomes another is a change of the first, as ever.
    and case field
      when 'product_name' then not (
  jsonb_array_length(stored -> 'product_names') > 1
  or jsonb_array_length(given -> 'product_names') > 1
)
      when 'product_names' then (
  jsonb_array_length(stored -> 'product_names') > 1
  or jsonb_array_length(given -> 'product_names') > 1
)
      when 'feature_description' then
        unmarked(stored ->> field) is distinct from unmarked(given ->> field)
      else true
    end
) as change
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
