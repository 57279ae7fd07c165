with
    chosen as materialized (
      select release_item_id, product_names, source, release_date, release_type, release_status, tone,
        active
      from items
      where tone_by <> 'unknown' and true and true and true and true
    ),
  changed as materialized (
    select steps.*, tone_before, tone_after
    from (
      select release_item_id, run_id, max(day) as day,
        max(coalesce(old_value, '')) filter (where field = $1) as old_date,
        max(coalesce(new_value, '')) filter (where field = $2) as new_date,
        max(coalesce(old_value, '')) filter (where field = $3) as old_status,
        max(coalesce(new_value, '')) filter (where field = $4) as new_status,
        max(coalesce(old_value, '')) filter (where field = $5) as old_type,
        max(coalesce(new_value, '')) filter (where field = $6) as new_type
      from changes
      where field in ('release_date', 'release_status', 'release_type')
        and release_item_id in (select release_item_id from chosen)
      group by release_item_id, run_id
    ) as steps
    join change_entries using (release_item_id, run_id)
  ),
  at_first as (
    select release_item_id,
      (array_agg(old_date order by run_id) filter (where old_date is not null))[1] as date,
      (array_agg(old_status order by run_id) filter (where old_status is not null))[1] as status,
      (array_agg(case when old_status is not null then tone_before end order by run_id) filter (where case when old_status is not null then tone_before end is not null))[1] as tone,
      (array_agg(old_type order by run_id) filter (where old_type is not null))[1] as type
    from changed
    group by release_item_id
  ),
  moments as materialized (
    select release_item_id, 0 as run_id, null as day,
      coalesce(at_first.date, release_date::text, '') as date,
      coalesce(at_first.status, release_status) as status,
      coalesce(at_first.tone, chosen.tone) as tone,
      coalesce(at_first.type, release_type) as type
    from chosen
    left join at_first using (release_item_id)
    union all
    select release_item_id, run_id, day, new_date, new_status,
      case when new_status is not null then tone_after end, new_type
    from changed
  )
,
    dated as (
      select release_item_id, run_id, date::date as date,
        lag(date::date) over (partition by release_item_id order by run_id) as date_before
      from moments
      where date <> ''
    ),
    dates as (
      select release_item_id, (array_agg(date order by run_id) filter (where date is not null))[1] as first_date,
        count(*) filter (where (date_part('year', date) * 4 + date_part('quarter', date) - 1)::int <> (date_part('year', date_before) * 4 + date_part('quarter', date_before) - 1)::int)::int as moves
      from dated
      group by release_item_id
    )
  ,
  numbered as (
    select *,
      count(date) over to_here as date_number,
      count(status) over to_here as status_number,
      count(type) over to_here as type_number
    from moments
    window to_here as (partition by release_item_id order by run_id)
  ),
  -- What is unchanged is what it was: each number has one value, that of its first import.
  held as (
    select release_item_id, run_id, day,
      max(date) over (partition by release_item_id, date_number) as date,
      max(status) over same_status as status,
      max(tone) over same_status as tone,
      max(type) over (partition by release_item_id, type_number) as type
    from numbered
    window same_status as (partition by release_item_id, status_number)
  ),
  judged as (
    select release_item_id, run_id, day, nullif(date, '')::date as date,
      tone = 'shipped' as is_shipped,
      date <> '' and tone not in ('shipped', 'stopped') as is_promised,
      status ~* $7 or tone = 'shipped' and type ~* $8 as is_preview,
      tone = 'shipped' and type !~* $9 as is_general
    from held
  ),
  followed as (
    select *,
      lag(is_shipped) over to_here as was_shipped,
      bool_or(is_preview) over to_here as had_preview
    from judged
    window to_here as (partition by release_item_id order by run_id)
  ),
  stages as (
    select release_item_id,
      (array_agg(case when is_promised then date end order by run_id) filter (where case when is_promised then date end is not null))[1] as first_promised,
      min(run_id) filter (where is_promised) as promised_in_run,
      max(day) filter (where is_shipped and not was_shipped) as delivered_on,
      (array_agg(day order by run_id) filter (where is_preview))[1] as preview_from,
      min(day) filter (where is_general and had_preview) as preview_to
    from followed
    group by release_item_id
  )
,
    facts as materialized (
      select release_item_id, product_names, source, release_date, active,
        tone = 'shipped' as is_shipped, tone = 'stopped' as is_stopped,
        -- the first date that it ever had, and how often that has moved
        first_date, coalesce(moves, 0) as moves,
        -- the first date that it had while it was still to come, and the import that showed it;
        -- 0: its first one
        first_promised, promised_in_run,
        -- the day on which it shipped, if it was seen to, and has not been taken back
        case when tone = 'shipped' then delivered_on end as delivered_on,
        -- the days on which it came to preview, if it was seen to, and left it
        preview_from, case when preview_from is not null then preview_to end as preview_to
      from chosen
      join stages using (release_item_id)
      left join dates using (release_item_id)
    )
  ,
    -- From when to when each source was read.
    watched as (
      select source_name as source, min(as_of) as from_day, max(as_of) as to_day
      from import_runs
      where is_good
        -- The removal of a source is noted as an import, but nothing was read.
        and run_kind <> 'removal'
        and source_name in (select source from chosen)
      group by source_name
    ),
    first_runs as (
      select release_item_id, min(run_id) as first_run
      from change_entries
      where release_item_id in (select release_item_id from chosen)
      group by release_item_id
    ),
    promised as (
      select product_names, source, is_shipped, active and not is_stopped as is_open,
        release_item_id, promised_in_run,
        (date_part('year', first_promised) * 4 + date_part('quarter', first_promised) - 1)::int as promised,
        (date_part('year', delivered_on) * 4 + date_part('quarter', delivered_on) - 1)::int as delivered,
        (date_part('year', release_date) * 4 + date_part('quarter', release_date) - 1)::int as planned
      from facts
      where first_promised is not null
    ),
    observed as (
      select product_names, is_shipped, is_open, promised, delivered, planned,
        (date_part('year', to_day) * 4 + date_part('quarter', to_day) - 1)::int as read,
        coalesce((date_part('year', as_of) * 4 + date_part('quarter', as_of) - 1)::int <= promised, false) as was_watched
      from promised
      left join watched using (source)
      left join first_runs using (release_item_id)
      left join import_runs
        on import_runs.run_id = coalesce(nullif(promised_in_run, 0), first_run)
      where promised between (date_part('year', $10::date) * 4 + date_part('quarter', $11::date) - 1)::int - $12::int and (date_part('year', $13::date) * 4 + date_part('quarter', $14::date) - 1)::int - 1
    ),
    due as (
      select product_names, is_open, promised, delivered, planned, was_watched,
        was_watched and coalesce(read > promised, false) as is_due,
        case
          when not was_watched or read <= promised then null
          when delivered is not null then delivered - promised
          when is_open then greatest(planned, read) - promised
        end as slip
      from observed
      -- Of what is called shipped by a changed mapping alone nobody saw the day.
      where delivered is not null or not is_shipped
    )
  ,
      promise_counts as (
        select quarter,
  (count(*) filter (where is_due and (true)))::int as due,
  (count(*) filter (where is_due and (delivered <= promised)))::int as in_time,
  (count(*) filter (where is_due and (delivered < promised)))::int as earlier,
  (count(*) filter (where is_due and (delivered = promised)))::int as in_quarter,
  (count(*) filter (where is_due and (delivered > promised)))::int as late,
  (count(*) filter (where is_due and (delivered is null and is_open and planned <> promised)))::int as moved,
  (count(*) filter (where is_due and (delivered is null and is_open and coalesce(planned = promised, true))))::int as open,
  (count(*) filter (where is_due and (delivered is null and not is_open)))::int as dropped,
  (count(*) filter (where was_watched and not is_due))::int as too_early,
  (count(*) filter (where not was_watched))::int as not_watched,
  round(
    (count(*) filter (where is_due and (delivered <= promised)))::int::numeric / nullif((count(*) filter (where is_due and (true)))::int, 0), 4
  ) as share_in_time,
  percentile_cont(0.5) within group (order by slip) as median_slip_quarters
        from generate_series((date_part('year', $15::date) * 4 + date_part('quarter', $16::date) - 1)::int - $17::int, (date_part('year', $18::date) * 4 + date_part('quarter', $19::date) - 1)::int - 1) as quarter
        left join due on promised = quarter
        group by grouping sets ((), (quarter))
      ),
      product_promises as (
        select product_name,
  (count(*) filter (where is_due and (true)))::int as due,
  (count(*) filter (where is_due and (delivered <= promised)))::int as in_time,
  (count(*) filter (where is_due and (delivered < promised)))::int as earlier,
  (count(*) filter (where is_due and (delivered = promised)))::int as in_quarter,
  (count(*) filter (where is_due and (delivered > promised)))::int as late,
  (count(*) filter (where is_due and (delivered is null and is_open and planned <> promised)))::int as moved,
  (count(*) filter (where is_due and (delivered is null and is_open and coalesce(planned = promised, true))))::int as open,
  (count(*) filter (where is_due and (delivered is null and not is_open)))::int as dropped,
  (count(*) filter (where was_watched and not is_due))::int as too_early,
  (count(*) filter (where not was_watched))::int as not_watched,
  round(
    (count(*) filter (where is_due and (delivered <= promised)))::int::numeric / nullif((count(*) filter (where is_due and (true)))::int, 0), 4
  ) as share_in_time,
  percentile_cont(0.5) within group (order by slip) as median_slip_quarters
        from due cross join unnest(product_names) as product (product_name)
        group by product_name
      )
    ,
      moved as (
        select release_item_id, moves, first_date,
          (date_part('year', release_date) * 4 + date_part('quarter', release_date) - 1)::int - (date_part('year', first_date) * 4 + date_part('quarter', first_date) - 1)::int as slip
        from facts
        where moves > 0
      ),
      most_moved as (
        select * from moved
        order by abs(slip) desc nulls last, moves desc, release_item_id
        limit $20
      )
    ,
      shipped as (
        select release_item_id, delivered_on, first_promised
        from facts
        where (date_part('year', delivered_on) * 4 + date_part('quarter', delivered_on) - 1)::int = (date_part('year', $21::date) * 4 + date_part('quarter', $22::date) - 1)::int
      ),
      current_counts as (
        select product_name,
          (count(*) filter (where (date_part('year', delivered_on) * 4 + date_part('quarter', delivered_on) - 1)::int = (date_part('year', $23::date) * 4 + date_part('quarter', $24::date) - 1)::int))::int as shipped,
          (count(*) filter (where (active and not is_shipped and not is_stopped and (date_part('year', release_date) * 4 + date_part('quarter', release_date) - 1)::int = (date_part('year', $25::date) * 4 + date_part('quarter', $26::date) - 1)::int)))::int as planned
        from facts cross join unnest(product_names) as product (product_name)
        where (date_part('year', delivered_on) * 4 + date_part('quarter', delivered_on) - 1)::int = (date_part('year', $27::date) * 4 + date_part('quarter', $28::date) - 1)::int or (active and not is_shipped and not is_stopped and (date_part('year', release_date) * 4 + date_part('quarter', release_date) - 1)::int = (date_part('year', $29::date) * 4 + date_part('quarter', $30::date) - 1)::int)
        group by product_name
      ),
      last_shipped as (
        select * from shipped
        order by delivered_on desc, release_item_id
        limit $31
      )
    ,
      previews as (
        select product_names, preview_to - preview_from as days,
          case
            when preview_to is null and active and not is_stopped
            then $32::date - preview_from
          end as days_so_far
        from facts
        where preview_from is not null
      ),
      preview_counts as (select
  count(days)::int as finished,
  percentile_cont(0.5) within group (order by days) as median_days,
  count(days_so_far)::int as current,
  percentile_cont(0.5) within group (order by days_so_far) as median_days_so_far
 from previews),
      product_previews as (
        select product_name,
  count(days)::int as finished,
  percentile_cont(0.5) within group (order by days) as median_days,
  count(days_so_far)::int as current,
  percentile_cont(0.5) within group (order by days_so_far) as median_days_so_far
        from previews cross join unnest(product_names) as product (product_name)
        group by product_name
      )
      select
      (
        select to_json(counted)
        from (select
  due, in_time, earlier, in_quarter, late, moved, open, dropped, too_early, not_watched, share_in_time,
  median_slip_quarters
 from promise_counts where quarter is null) as counted
      ) as promises,
      (select coalesce(json_agg(listed), '[]') from (
        select 'Q' || number % 4 + 1 || ' ' || number / 4 as quarter,
  due, in_time, earlier, in_quarter, late, moved, open, dropped, too_early, not_watched, share_in_time,
  median_slip_quarters
        from (select quarter as number, * from promise_counts) as numbered
        where number is not null
        order by number
      ) as listed) as promises_by_quarter,
      (select coalesce(json_agg(listed), '[]') from (
        select * from product_promises
        where due > 0
        order by due desc, product_name collate "C"
        limit $33
      ) as listed) as promises_by_product,
      (select coalesce(json_agg(listed), '[]') from (
        select source, from_day as from, to_day as to
        from watched
        order by source collate "C"
      ) as listed) as watched
    ,
      (select count(*)::int from moved) as moved_total,
      (select coalesce(json_agg(listed), '[]') from (
        select
    release_item_id, items.feature_name, items.product_name, items.release_status,
    to_char(items.release_date, '"Q"Q YYYY') as release_date, items.active
  , moves,
          to_char(first_date, '"Q"Q YYYY') as first_release_date, slip as slip_quarters
        from most_moved
        join items using (release_item_id)
        order by abs(slip) desc nulls last, moves desc, release_item_id
      ) as listed) as moved
    ,
      (select count(*)::int from shipped) as shipped_total,
      (select count(*)::int from facts where (active and not is_shipped and not is_stopped and (date_part('year', release_date) * 4 + date_part('quarter', release_date) - 1)::int = (date_part('year', $34::date) * 4 + date_part('quarter', $35::date) - 1)::int)) as planned_total,
      (select coalesce(json_agg(listed), '[]') from (
        select
    release_item_id, items.feature_name, items.product_name, items.release_status,
    to_char(items.release_date, '"Q"Q YYYY') as release_date, items.active
  , delivered_on,
          to_char(first_promised, '"Q"Q YYYY') as first_promised
        from last_shipped
        join items using (release_item_id)
        order by delivered_on desc, release_item_id
      ) as listed) as shipped,
      (select coalesce(json_agg(listed), '[]') from (
        select * from current_counts
        order by shipped desc, planned desc, product_name collate "C"
        limit $36
      ) as listed) as current_by_product
    ,
      (select to_json(preview_counts) from preview_counts) as preview,
      (select coalesce(json_agg(listed), '[]') from (
        select * from product_previews
        order by finished + current desc, product_name collate "C"
        limit $37
      ) as listed) as preview_by_product
