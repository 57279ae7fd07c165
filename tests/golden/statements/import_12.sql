with incoming as materialized (
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
    left join items on items.release_item_id = item.release_item_id
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
        when items.active then 'changed'
        else 'restored'
      end as outcome,
    case
      when items.release_item_id is null then coalesce(incoming.last_modified, $3::date)
      when incoming.last_modified > items.last_modified then incoming.last_modified
      else greatest(items.last_modified, $4::date)
    end
   as last_modified,
      case
        when items.release_item_id is null then coalesce(incoming.created, $5::date)
        else
    case
      when items.release_item_id is null then coalesce(incoming.last_modified, $6::date)
      when incoming.last_modified > items.last_modified then incoming.last_modified
      else greatest(items.last_modified, $7::date)
    end
      end as day,
      incoming.created is not null as is_dated,
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
    left join items on items.release_item_id = incoming.release_item_id
    where (
    items.release_item_id is null
    or not items.active
    or (not $8 and incoming.last_modified > items.last_modified)
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
  )
    order by incoming.release_item_id
  ),
      noted as (
        insert into changes (
          release_item_id, run_id, day, kind, field, old_value, new_value, fields, by_source,
          tone_before, tone_after
        )
        select release_item_id, $9, day, kind, field, old_value, new_value, fields,
          case when kind = 'added' then is_dated end,
          case when field = 'release_status' then tone_before end,
          case when field = 'release_status' then tone_after end
        from differing
        cross join lateral (
  select
    0 as place, outcome as kind, null as field, null as old_value, null as new_value,
    case when outcome = 'added' then array(
      select field
      from unnest($10::text[]) with ordinality as listed (field, place)
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
  from unnest($11::text[]) with ordinality as listed (field, place)
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
      ),
      stored as (
    insert into items (
      release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, tone, tone_by, search_text,
      last_modified, active, source, created, product_names, tags
    )
    select
      release_item_id, incoming.feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, tone, tone_by, search_text,
      differing.last_modified, true, $12, created, product_names, tags
    from differing
    join incoming using (release_item_id)
    on conflict (release_item_id) do update set
      feature_name = excluded.feature_name,
      release_date = excluded.release_date,
      release_type = excluded.release_type,
      release_status = excluded.release_status,
      product_id = excluded.product_id,
      product_name = excluded.product_name,
      feature_description = excluded.feature_description,
      blog_title = excluded.blog_title,
      blog_url = excluded.blog_url,
      tone = excluded.tone,
      tone_by = excluded.tone_by,
      search_text = excluded.search_text,
      last_modified = excluded.last_modified,
      product_names = excluded.product_names,
      tags = excluded.tags,
      active = true,
      source = excluded.source
        returning words
      ),
      noted_words as (
    insert into known_words (word)
    select word
    from (select distinct unnest(tsvector_to_array(words)) as word from stored) as found
    where word !~ '[0-9]'
    on conflict do nothing
      )
      select count(*)::int as stored from differing
