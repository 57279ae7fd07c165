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
    with active_items as materialized (
      select product_names, release_type, release_status, source, count(*) as items
      from items
      where active
      group by 1, 2, 3, 4
    )
    select
  (
    with found as (
      select unnest(product_names) collate "C" as value, sum(items) as uses from active_items group by 1
    )
    select jsonb_build_object(
      'values', array(
        select value
        from (select value from found order by uses desc, value limit $2) as most_used
        order by value
      ),
      'total', (select count(*) from found)
    )
  )
 as product_names,
  (
    with found as (
      select release_type collate "C" as value, sum(items) as uses from active_items group by 1
    )
    select jsonb_build_object(
      'values', array(
        select value
        from (select value from found order by uses desc, value limit $3) as most_used
        order by value
      ),
      'total', (select count(*) from found)
    )
  )
 as release_types,
  (
    with found as (
      select release_status collate "C" as value, sum(items) as uses from active_items group by 1
    )
    select jsonb_build_object(
      'values', array(
        select value
        from (select value from found order by uses desc, value limit $4) as most_used
        order by value
      ),
      'total', (select count(*) from found)
    )
  )
 as release_statuses,
      array(select distinct source from active_items order by source) as names
  ) as answer
