-- What an import replaces stays: the roadmap of a past day is rows, not changes that are undone anew for
-- each statement, and the days of the sources are those of then.
create table item_versions (like item_rows);
alter table item_versions
  drop column text_hash,
  add column version_id bigint generated always as identity primary key,
  add column run_id integer not null,
  add foreign key (release_item_id) references item_rows on delete cascade,
  add foreign key (text_id) references item_texts;

-- What the imports until now replaced, by their changes: of several values of a field, the oldest since
-- then stays. Days that a source moved without a change were not kept; the last of each release is.
create temporary table undone on commit drop as
with steps as (
  select release_item_id, run_id, min(change_id) as first_change
  from changes
  where kind <> 'added'
  group by release_item_id, run_id
  union all
  select release_item_id, run_id, null
  from (
    select release_item_id, max(day) as day, max(run_id) as last_run from changes group by 1
  ) as known
  join item_rows using (release_item_id)
  cross join lateral (
    select run_id
    from import_runs
    where source_name = item_rows.source and run_id > last_run and as_of >= item_rows.last_modified
      and finished_at is not null and error is null
    order by run_id
    limit 1
  ) as touching
  where item_rows.last_modified > known.day
),
old_values as (
  select release_item_id, change_id, coalesce(field, 'active') as field,
    case kind when 'removed' then 'true' when 'restored' then 'false' else old_value end as old_value
  from changes
  where kind <> 'added'
  union all
  select release_item_id, change_id,
    case field when 'product_name' then 'product_names' else 'product_name' end,
    case field
      when 'product_name' then jsonb_build_array(old_value)::text
      else old_value::jsonb->>0
    end
  from changes
  where field in ('product_name', 'product_names')
  union all
  select release_item_id, entry_id, 'tone', tone_before
  from change_entries
)
select release_item_id, run_id, coalesce(fields, '{}') as fields,
  (
    select max(day)
    from changes
    where changes.release_item_id = steps.release_item_id
      and (first_change is null or change_id < first_change)
  ) as last_modified,
  null::text as search_text, null::bigint as text_id
from steps
cross join lateral (
  select jsonb_object_agg(field, old_value order by change_id desc) as fields
  from old_values
  where old_values.release_item_id = steps.release_item_id and change_id >= first_change
) as undoing;

update undone set search_text = concat_ws(
  chr(31),
  case when fields ? 'feature_name'
    then lower(normalize(coalesce(fields ->> 'feature_name', '')))
    else split_part(items.search_text, chr(31), 1)
  end,
  case when fields ? 'feature_description'
    then lower(normalize(coalesce(fields ->> 'feature_description', '')))
    else split_part(items.search_text, chr(31), 2)
  end,
  case when fields ? 'product_names'
    then lower(normalize(array_to_string(
      array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb)), E'\n'
    )))
    else split_part(items.search_text, chr(31), 3)
  end
)
from items
where items.release_item_id = undone.release_item_id
  and fields ?| array['feature_name', 'feature_description', 'product_names', 'tags'];

with texts as (
  select nextval('item_texts_text_id_seq') as text_id, search_text, tags
  from (
    select distinct undone.search_text, coalesce((fields ->> 'tags')::jsonb, items.tags) as tags
    from undone
    join items using (release_item_id)
    where undone.search_text is not null
  ) as different
),
written as (
  insert into item_texts (text_id, search_text, tags) overriding system value
  select text_id, search_text, tags from texts
)
update undone set text_id = texts.text_id
from item_rows, texts
where item_rows.release_item_id = undone.release_item_id
  and texts.search_text = undone.search_text
  and texts.tags = coalesce((fields ->> 'tags')::jsonb, item_rows.tags);

insert into item_versions (
  release_item_id, run_id, feature_name, release_date, release_type, release_status, product_id,
  product_name, product_names, tags, feature_description, blog_title, blog_url, active, tone, tone_by,
  last_modified, source, created, text_id
)
select release_item_id, run_id,
  case when fields ? 'feature_name' then fields ->> 'feature_name' else feature_name end,
  case when fields ? 'release_date' then (fields ->> 'release_date')::date else release_date end,
  case when fields ? 'release_type' then fields ->> 'release_type' else release_type end,
  case when fields ? 'release_status' then fields ->> 'release_status' else release_status end,
  case when fields ? 'product_id' then (fields ->> 'product_id')::uuid else product_id end,
  case when fields ? 'product_name' then fields ->> 'product_name' else product_name end,
  case when fields ? 'product_names'
    then array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb))
    else product_names
  end,
  case when fields ? 'tags' then (fields ->> 'tags')::jsonb else tags end,
  case when fields ? 'feature_description'
    then fields ->> 'feature_description'
    else feature_description
  end,
  case when fields ? 'blog_title' then fields ->> 'blog_title' else blog_title end,
  case when fields ? 'blog_url' then fields ->> 'blog_url' else blog_url end,
  case when fields ? 'active' then (fields ->> 'active')::boolean else active end,
  case when fields ? 'tone' then fields ->> 'tone' else tone end,
  -- An earlier status had its tone by words.
  case when fields ? 'release_status' then 'word' else tone_by end,
  coalesce(undone.last_modified, item_rows.last_modified), source, created,
  coalesce(undone.text_id, item_rows.text_id)
from undone
join item_rows using (release_item_id)
order by run_id, release_item_id;

-- What a day asks of both tables is in these two indexes.
create index item_versions_by_item on item_versions (release_item_id, version_id) include (run_id);
create index changes_by_addition on changes (run_id) include (release_item_id) where kind = 'added';
create index item_versions_by_text on item_versions (text_id);
