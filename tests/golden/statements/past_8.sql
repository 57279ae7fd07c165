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
  with found as (
    select product_names, tags, release_type, release_status, items.source, tone,
      tone_by <> 'unknown' as is_known,
      coalesce(true and true and true and true, false) as is_dated,
      case
        when release_date between $2::date - make_interval(years => $3)
          and $4::date + make_interval(years => $5)
        then to_char(release_date, '"Q"Q YYYY')
      end as quarter,
      count(*) as uses
    from items
    where true and active and words @@ $6::tsquery and true
      and true
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  ),
  in_quarters as (
    select * from found where quarter is not null
  )
  select $7 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
  from found as items, lateral unnest(product_names) as value
  where is_dated and true and true and true and true and true
    and value = any($8::text[])
  group by value
 union all
  select $9 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
  from found as items, lateral (select release_type as value) as one
  where is_dated and true and true and true and true and true
    and value = any($10::text[])
  group by value
 union all
  select $11 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
  from found as items, lateral (select release_status as value) as one
  where is_dated and true and true and true and true and true
    and value = any($12::text[])
  group by value
 union all
  select $13 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
  from found as items, lateral
    jsonb_each(tags) as grouped (group_name, members),
    lateral (
      select group_name || ':' || member as value
      from jsonb_array_elements_text(members) as member
    ) as one
  where is_dated and true and true and true and true and true
    and value = any($14::text[])
  group by value
 union all
  select $15 as facet, value, sum(uses)::int as count, 0 as shipped, 0 as unknown
  from found as items, lateral (select items.source as value) as one
  where is_dated and true and true and true and true and true
    and value = any($16::text[])
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
