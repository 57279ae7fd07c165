with
  before as materialized (
    select release_item_id, release_date,
      tone in ('planned', 'in_progress') and tone_by <> 'unknown' and true and active and true and true as is_planned
    from (
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
) as items
  ),
  after as materialized (
    select release_item_id, feature_name, product_name, release_status, tone, active,
      release_date, true and active and true and true as is_wanted
    from (
  with later_runs as materialized (
    select run_id from import_runs where as_of > $2::date
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
          select placed.*, items.active, items.language
          from placed
          join items using (release_item_id)
          where place <= $3::int
        ) as listed
      ) as releases
