with
    before as materialized (
      select release_item_id, release_date,
        tone in ('planned', 'in_progress') and tone_by <> 'unknown' and true and active and true and true as is_planned
      from (
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
  ) as items
    ),
    after as materialized (
      select release_item_id, feature_name, product_name, release_status, tone, active,
        release_date, true and active and true and true as is_wanted
      from (
    with later_runs as materialized (
      select run_id from import_runs where as_of > $63::date
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
    case when fields ? $64 then (fields ->> $65)::text else items.feature_name end as feature_name
  ,
    case when fields ? $66 then (fields ->> $67)::date else items.release_date end as release_date
  ,
    case when fields ? $68 then (fields ->> $69)::text else items.release_type end as release_type
  ,
    case when fields ? $70 then (fields ->> $71)::text else items.release_status end as release_status
  ,
    case when fields ? $72 then (fields ->> $73)::uuid else items.product_id end as product_id
  ,
    case when fields ? $74 then (fields ->> $75)::text else items.product_name end as product_name
  ,
      case when fields ? 'product_names' then array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)) else items.product_names end
        as product_names,
    case when fields ? $76 then (fields ->> $77)::jsonb else items.tags end as tags
  ,
    case when fields ? $78 then (fields ->> $79)::text else items.feature_description end as feature_description
  ,
    case when fields ? $80 then (fields ->> $81)::text else items.blog_title end as blog_title
  ,
    case when fields ? $82 then (fields ->> $83)::text else items.blog_url end as blog_url
  ,
    case when fields ? $84 then (fields ->> $85)::boolean else items.active end as active
  ,
    case when fields ? $86 then (fields ->> $87)::text else items.tone end as tone
  ,
      -- An earlier status had its tone by words.
      case when fields ? 'release_status' then 'word' else items.tone_by end as tone_by,
      case
        when fields is null and items.last_modified <= $88::date then items.last_modified
        else coalesce(last_before.day, items.last_modified)
      end as last_modified,
      case when fields is null then items.search_text else concat_ws(
  $89,
    case when fields ? $90
      then lower(normalize(coalesce(fields ->> $91, '')))
      else split_part(items.search_text, $92, $93::int)
    end
  ,
    case when fields ? $94
      then lower(normalize(coalesce(fields ->> $95, '')))
      else split_part(items.search_text, $96, $97::int)
    end
  ,
    case when fields ? $98
      then lower(normalize(coalesce(array_to_string(array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'
'), '')))
      else split_part(items.search_text, $99, $100::int)
    end
) end as search_text,
      case when
  fields ?| array['feature_name', 'feature_description', 'product_names', 'tags']
 then words_of(concat_ws(
  $101,
    case when fields ? $102
      then lower(normalize(coalesce(fields ->> $103, '')))
      else split_part(items.search_text, $104, $105::int)
    end
  ,
    case when fields ? $106
      then lower(normalize(coalesce(fields ->> $107, '')))
      else split_part(items.search_text, $108, $109::int)
    end
  ,
    case when fields ? $110
      then lower(normalize(coalesce(array_to_string(array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'
'), '')))
      else split_part(items.search_text, $111, $112::int)
    end
), case when fields ? 'tags' then (fields ->> 'tags')::jsonb else items.tags end) else items.words end
        as words,
      case when
  fields ?| array['feature_name', 'feature_description', 'product_names', 'tags']
 then title_words_of(concat_ws(
  $113,
    case when fields ? $114
      then lower(normalize(coalesce(fields ->> $115, '')))
      else split_part(items.search_text, $116, $117::int)
    end
  ,
    case when fields ? $118
      then lower(normalize(coalesce(fields ->> $119, '')))
      else split_part(items.search_text, $120, $121::int)
    end
  ,
    case when fields ? $122
      then lower(normalize(coalesce(array_to_string(array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'
'), '')))
      else split_part(items.search_text, $123, $124::int)
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
  ) as items
    ),
    compared as (
      select release_item_id, feature_name, product_name, release_status, tone,
        before.release_date as date_before, after.release_date as date_after,
    case
      when after.tone = 'shipped' then 'shipped'
      when after.tone = 'stopped' then 'cancelled'
      when not after.active then 'removed'
      when date_trunc('quarter', after.release_date) > date_trunc('quarter', before.release_date) then 'slipped'
      when date_trunc('quarter', after.release_date) < date_trunc('quarter', before.release_date) then 'earlier'
      when after.release_date is null and before.release_date is not null then 'undated'
      when before.release_date is null and after.release_date is not null then 'dated'
      else 'unchanged'
    end
   as outcome
      from before
      join after using (release_item_id)
      where is_planned
    ),
    placed as (
      select *,
        row_number() over (
          partition by outcome
          order by
            case when outcome in ('slipped', 'earlier') then abs(date_after - date_before) end
              desc nulls last,
            lower(product_name) collate "C", lower(feature_name) collate "C", release_item_id
        ) as place
      from compared
    )
      select
        (
          select coalesce(jsonb_object_agg(outcome, count), '{}')
          from (select outcome, count(*)::int as count from compared group by outcome) as counted
        ) as counts,
        (
          select count(*)::int from after
          where is_wanted
            and not exists (select from before where before.release_item_id = after.release_item_id)
        ) as added,
        (
          select coalesce(jsonb_agg(to_jsonb(listed) - 'place' order by place), '[]')
          from (
            select placed.*, items.active
            from placed
            join items using (release_item_id)
            where place <= $125::int
          ) as listed
        ) as releases
