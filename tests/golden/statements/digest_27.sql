with touched as materialized (
      select distinct release_item_id from changes where true and change_id > $1::bigint and change_id <= $2::bigint and run_id not in (select run_id from import_runs where not is_news)
    ),
    covered as materialized (
      select release_item_id from items
      where release_item_id in (select release_item_id from touched)
        and true and true
    ),
    included as materialized (
        select change_id, release_item_id, run_id, day, kind, field
        from changes join covered using (release_item_id)
        where true and change_id > $3::bigint and change_id <= $4::bigint and run_id not in (select run_id from import_runs where not is_news)
      ),
    joined as (
      select release_item_id, min(day) as first_day, max(day) as newest_day,
        (array_agg(run_id order by change_id))[1] as first_run,
        (array_agg(run_id order by change_id desc))[1] as last_run,
        (array_agg(kind order by change_id) filter (where kind <> 'changed'))[1] as first_event,
        (array_agg(kind order by change_id desc) filter (where kind <> 'changed'))[1] as last_event,
        min(change_id) filter (where kind = 'added') as addition,
        max(change_id) filter (where kind <> 'changed') as last_event_change
      from included
      group by release_item_id
    ),
    outcomes as (
      select *,
        case
          when last_event = 'removed' or first_event = 'restored' then
            last_event
          -- Else it was removed and restored, or nothing of this happened to it.
          when first_event = 'added' then 'added'
        end as event,
        coalesce(addition, last_event_change) as event_change
      from joined
      -- It came and went, or came back and went again.
      where (first_event <> 'removed' and last_event = 'removed') is not true
    ),
    differing as materialized (
      select spans.*, oldest.old_value, newest.new_value
      from (
        select release_item_id, field, min(change_id) as oldest_id, max(change_id) as newest_id
        from included
        where kind = 'changed' and field <> all($5::text[])
        group by release_item_id, field
      ) as spans
      join changes as oldest on oldest.change_id = oldest_id
      join changes as newest on newest.change_id = newest_id
      where oldest_id = newest_id or oldest.old_value is distinct from newest.new_value
    ),
    net as (
      select release_item_id, first_day, newest_day, event, event_change, kinds
      from (
        select outcomes.release_item_id, first_run, last_run, first_day, newest_day, event,
          event_change,
  coalesce(bool_or(field = 'release_status'), false) as status_changed,
  coalesce(bool_or(field = 'release_date'), false) as date_changed,
  (max(old_value) filter (where field = 'release_date'))::date as date_before,
  (max(new_value) filter (where field = 'release_date'))::date as date_after,
  coalesce(bool_or(field not in ('release_status', 'release_date')), false) as others_changed,
  coalesce(
    bool_or(field not in ('release_status', 'release_date', 'blog_title', 'blog_url')), false
  ) as shown_by_day_changed
        from outcomes
        left join differing on differing.release_item_id = outcomes.release_item_id
        group by outcomes.release_item_id, first_run, last_run, first_day, newest_day, event,
          event_change
      ) as outcome
      cross join lateral (
        select
          -- Without another status nothing was shipped: its words count as something else now.
          case when status_changed then first_entry.tone_before else last_entry.tone_after end as tone_before,
          last_entry.tone_after
        from change_entries as first_entry, change_entries as last_entry
        where first_entry.run_id = first_run and first_entry.release_item_id = outcome.release_item_id
          and last_entry.run_id = last_run and last_entry.release_item_id = outcome.release_item_id
        offset 0
      ) as tones
      cross join lateral (select
    change_kinds(
      event, tone_before, tone_after, status_changed,
      date_changed, date_trunc('quarter', date_before)::date, date_trunc('quarter', date_after)::date,
      others_changed
    )
   as kinds offset 0) as meaning
      where cardinality(kinds) > 0
    )
  ,
    wanted as materialized (
      select * from net where true
    ),
    listed as (
      select wanted.*, row_number() over (
        order by array_position($6::text[], kinds[1]), newest_day desc,
          lower(product_name) collate "C", lower(feature_name) collate "C", release_item_id
      ) as place
      from wanted join items using (release_item_id)
      order by place
      limit $7
    )
    select
  release_item_id, feature_name, release_date::text as release_date, release_type, release_status,
  product_name, product_names, tags, last_modified::text as last_modified, active, tone, language
, newest_day::text as day,
      left(feature_description, $8) as description,
      (
    select coalesce(
      jsonb_agg(
    jsonb_build_object(
      'kind', kind, 'field', field, 'old_value',
    left(old_value, 20000) || case when octet_length(old_value) > octet_length(left(old_value, 20000)) then chr(8230) else '' end
  , 'new_value',
    left(new_value, 20000) || case when octet_length(new_value) > octet_length(left(new_value, 20000)) then chr(8230) else '' end
  ,
      'fields', fields, 'day', day, 'run_id', run_id, 'kinds', kinds,
      'by_source', by_source
    )
   order by field is not null, change_id), '[]'
    )
    from (
      select newest.change_id, newest.kind, newest.field, oldest.old_value, newest.new_value,
        newest.fields, newest.day, newest.run_id, null as kinds, newest.by_source
      from (
        select listed.event_change as oldest_id, listed.event_change as newest_id
        where listed.event is not null
        union all
        -- What became of a new release meanwhile is what it is now.
        select oldest_id, newest_id from differing
        where differing.release_item_id = listed.release_item_id
          and listed.event is distinct from 'added'
      ) as spans
      join changes as oldest on oldest.change_id = oldest_id
      join changes as newest on newest.change_id = newest_id
    ) as net_changes
  ) as changes, kinds,
      (select count(*)::int from wanted) as total,
      (
        select jsonb_object_agg(kind, count)
        from (select kinds[1] as kind, count(*)::int as count from wanted group by 1) as counted
      ) as counts,
      (
        select jsonb_build_object('first', min(first_day), 'last', max(newest_day)) from wanted
      ) as days
    from listed join items using (release_item_id)
    order by place
