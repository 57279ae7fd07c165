-- Read twice, it is computed twice, but of each item only what is read: its words take long.
        with items as not materialized (
    with later_runs as materialized (
      select run_id from import_runs where as_of > $1::date
    ),
    later as (
      select release_item_id, coalesce(field, 'active') as field, kind = 'added' as is_added,
        case kind when 'removed' then 'true' when 'restored' then 'false' else old_value end
          as old_value,
        change_id
      from changes
      where run_id in (select run_id from later_runs) and true
      union all
  select release_item_id,
    case field when 'product_name' then 'product_names' else 'product_name' end, false,
    case field
      when 'product_name' then jsonb_build_array(old_value)::text
      else old_value::jsonb->>0
    end,
    change_id
  from changes
  where run_id in (select run_id from later_runs)
    and field in ('product_name', 'product_names')
 and true
      union all
      select release_item_id, 'tone', false, tone_before, entry_id
      from change_entries
      where run_id in (select run_id from later_runs) and true
    ),
    undone as (
      select release_item_id, bool_or(is_added) as is_added,
        -- Of several values of a field, the last one stays: that of the earliest change.
        jsonb_object_agg(field, old_value order by change_id desc) as fields
      from later
      group by release_item_id
    )
    select items.release_item_id, source, created,
    case when fields ? $2 then (fields ->> $3)::text else items.feature_name end as feature_name
  ,
    case when fields ? $4 then (fields ->> $5)::date else items.release_date end as release_date
  ,
    case when fields ? $6 then (fields ->> $7)::text else items.release_type end as release_type
  ,
    case when fields ? $8 then (fields ->> $9)::text else items.release_status end as release_status
  ,
    case when fields ? $10 then (fields ->> $11)::uuid else items.product_id end as product_id
  ,
    case when fields ? $12 then (fields ->> $13)::text else items.product_name end as product_name
  ,
      case when fields ? 'product_names' then array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)) else items.product_names end
        as product_names,
    case when fields ? $14 then (fields ->> $15)::jsonb else items.tags end as tags
  ,
    case when fields ? $16 then (fields ->> $17)::text else items.feature_description end as feature_description
  ,
    case when fields ? $18 then (fields ->> $19)::text else items.blog_title end as blog_title
  ,
    case when fields ? $20 then (fields ->> $21)::text else items.blog_url end as blog_url
  ,
    case when fields ? $22 then (fields ->> $23)::boolean else items.active end as active
  ,
    case when fields ? $24 then (fields ->> $25)::text else items.tone end as tone
  ,
      -- An earlier status had its tone by words.
      case when fields ? 'release_status' then 'word' else items.tone_by end as tone_by,
      case
        when fields is null and items.last_modified <= $26::date then items.last_modified
        else coalesce(last_before.day, items.last_modified)
      end as last_modified,
      case when fields is null then items.search_text else concat_ws(
  $27,
    case when fields ? $28
      then lower(normalize(coalesce(fields ->> $29, '')))
      else split_part(items.search_text, $30, $31::int)
    end
  ,
    case when fields ? $32
      then lower(normalize(coalesce(fields ->> $33, '')))
      else split_part(items.search_text, $34, $35::int)
    end
  ,
    case when fields ? $36
      then lower(normalize(coalesce(array_to_string(array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'
'), '')))
      else split_part(items.search_text, $37, $38::int)
    end
) end as search_text,
      case when
  fields ?| array['feature_name', 'feature_description', 'product_names', 'tags']
 then words_of(concat_ws(
  $39,
    case when fields ? $40
      then lower(normalize(coalesce(fields ->> $41, '')))
      else split_part(items.search_text, $42, $43::int)
    end
  ,
    case when fields ? $44
      then lower(normalize(coalesce(fields ->> $45, '')))
      else split_part(items.search_text, $46, $47::int)
    end
  ,
    case when fields ? $48
      then lower(normalize(coalesce(array_to_string(array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'
'), '')))
      else split_part(items.search_text, $49, $50::int)
    end
), case when fields ? 'tags' then (fields ->> 'tags')::jsonb else items.tags end) else items.words end
        as words,
      case when
  fields ?| array['feature_name', 'feature_description', 'product_names', 'tags']
 then title_words_of(concat_ws(
  $51,
    case when fields ? $52
      then lower(normalize(coalesce(fields ->> $53, '')))
      else split_part(items.search_text, $54, $55::int)
    end
  ,
    case when fields ? $56
      then lower(normalize(coalesce(fields ->> $57, '')))
      else split_part(items.search_text, $58, $59::int)
    end
  ,
    case when fields ? $60
      then lower(normalize(coalesce(array_to_string(array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'
'), '')))
      else split_part(items.search_text, $61, $62::int)
    end
)) else items.title_words end
        as title_words
    from items
    left join undone using (release_item_id)
    left join (
      select release_item_id, max(day) as day
      from changes
      where run_id not in (select run_id from later_runs) and true
      group by release_item_id
    ) as last_before using (release_item_id)
    where is_added is not true
  )
        select * from (
    with found as (
      select product_names, tags, release_type, release_status, items.source, tone,
        tone_by <> 'unknown' as is_known,
        coalesce(true and true and true and true, false) as is_dated,
        case
          when release_date between $63::date - make_interval(years => $64)
            and $65::date + make_interval(years => $66)
          then to_char(release_date, '"Q"Q YYYY')
        end as quarter,
        count(*) as uses
      from items
      where true and active and words @@ $67::tsquery and true
        and true
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9
    ),
    in_quarters as (
      select * from found where quarter is not null
    )
    select $68 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
    from found as items, lateral unnest(product_names) as value
    where is_dated and true and true and true and true and true
      and value = any($69::text[])
    group by value
   union all
    select $70 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
    from found as items, lateral (select release_type as value) as one
    where is_dated and true and true and true and true and true
      and value = any($71::text[])
    group by value
   union all
    select $72 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
    from found as items, lateral (select release_status as value) as one
    where is_dated and true and true and true and true and true
      and value = any($73::text[])
    group by value
   union all
    select $74 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
    from found as items, lateral
      jsonb_each(tags) as grouped (group_name, members),
      lateral (
        select group_name || ':' || member as value
        from jsonb_array_elements_text(members) as member
      ) as one
    where is_dated and true and true and true and true and true
      and value = any($75::text[])
    group by value
   union all
    select $76 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
    from found as items, lateral (select items.source as value) as one
    where is_dated and true and true and true and true and true
      and value = any($77::text[])
    group by value
    union all
    select 'quarter', quarter, sum(uses)::int,
      coalesce(sum(uses) filter (where tone = 'shipped'), 0)::int,
      coalesce(sum(uses) filter (where not is_known), 0)::int
    from in_quarters as items
    where tone <> 'stopped' and true and true and true and true and true
    group by quarter
    order by 1, 2
  ) as answer
