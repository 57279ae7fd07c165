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
    left join items on items.release_item_id = incoming.release_item_id
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
      shown as (
        select kind, release_item_id, feature_name, field, old_value, new_value
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
        where outcome <> 'added'
        order by release_item_id, place
        limit $12
      )
      select
        (count(*) filter (where outcome = 'added'))::int as added,
        (count(*) filter (where outcome = 'changed'))::int as changed,
        (count(*) filter (where outcome = 'restored'))::int as restored,
        (count(*) filter (where outcome is null and is_reread))::int as reread,
        (count(*) filter (where gets_created))::int as dated,
        (
          select jsonb_build_object(
            'release_item_id', items.release_item_id, 'feature_name', items.feature_name,
            'owner', source
          )
          from incoming
          join items on items.release_item_id = incoming.release_item_id
          where active and source <> $13
          order by items.release_item_id
          limit 1
        ) as foreign,
        coalesce((select jsonb_agg(to_jsonb(shown)) from shown), '[]') as changes
      from differing
