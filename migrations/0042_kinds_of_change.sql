-- What happened to a release in one import, by its kinds: shipped, slipped, edited and so on.

-- How far along a release is, by its status: the mapping of its source may say so, else its words.
alter table items
  add column tone text not null default 'planned'
    check (tone in ('planned', 'in_progress', 'shipped', 'stopped'));
alter table incoming_items add column tone text not null default 'planned';

create function pg_temp.tone_of(status text) returns text language sql as $$
  select case
    when status ~* 'cancel|declin|reject|abandon|retired|deprecat' then 'stopped'
    when status ~* 'develop|progress|rolling|preview|beta|started|testing|building|delay|postpon|hold|paused'
      then 'in_progress'
    when status ~* 'ship|launch|releas|available|complete|done|live|deliver' then 'shipped'
    else 'planned'
  end
$$;

update items set tone = pg_temp.tone_of(release_status)
where tone <> pg_temp.tone_of(release_status);

-- The kinds of what happened to a release, the heaviest first. This is the one place that decides.
create function change_kinds(
  -- added, removed or restored; null: only fields changed
  event text,
  tone_before text, tone_after text, status_changed boolean,
  -- In the precision of the variant: days, or the first days of quarters.
  date_changed boolean, date_before date, date_after date,
  -- A field other than status and date changed.
  others_changed boolean
) returns text[] language sql immutable parallel safe
return case when event = 'added' then array['added'] else array_remove(array[
  case when tone_before <> 'shipped' and tone_after = 'shipped' then 'shipped' end,
  case when tone_before <> 'stopped' and tone_after = 'stopped' then 'cancelled' end,
  case when event = 'removed' then 'removed' end,
  -- What has shipped or stopped is planned for no day any more.
  case when date_changed and date_after > date_before and tone_after in ('planned', 'in_progress')
    then 'slipped' end,
  case when
      tone_before in ('in_progress', 'shipped', 'stopped') and tone_after = 'planned'
      or tone_before = 'shipped' and tone_after = 'in_progress'
    then 'taken_back' end,
  case when tone_before in ('planned', 'stopped') and tone_after = 'in_progress' then 'started' end,
  case when date_changed and date_after < date_before and tone_after in ('planned', 'in_progress')
    then 'earlier' end,
  case when event = 'restored' then 'restored' end,
  case when date_changed and date_before is null and date_after is not null then 'dated' end,
  case when date_changed and date_before is not null and date_after is null then 'undated' end,
  case when
      others_changed
      or status_changed and tone_before = tone_after
      or date_changed and date_before is not null and date_after is not null and (
        tone_after in ('planned', 'in_progress') and date_before = date_after
        or tone_after in ('shipped', 'stopped') and tone_before = tone_after
      )
    then 'edited' end
], null) end;

-- One row for what one import changed of one release.
create table change_entries (
  -- The id of its last change, and of its first one.
  entry_id bigint primary key,
  first_change bigint not null,
  run_id integer not null references import_runs,
  release_item_id uuid not null references items on delete cascade,
  day date not null,
  tone_before text not null,
  tone_after text not null,
  -- As variant A tells changes, which shows the quarter of a date, and as variant B does.
  kinds_by_quarter text[] not null,
  kinds_by_day text[] not null,
  unique (run_id, release_item_id)
);

-- The status that a release had at a change: what the next change of it replaced.
create index changes_by_status on changes (release_item_id, change_id)
  where field = 'release_status';

create index change_entries_by_item on change_entries (release_item_id, entry_id);
create index change_entries_by_day on change_entries (day desc, entry_id desc);

insert into change_entries
select last_change, first_change, run_id, release_item_id, day, tone_before, tone_after,
  change_kinds(
    event, tone_before, tone_after, status_changed,
    date_changed, date_trunc('quarter', date_before)::date, date_trunc('quarter', date_after)::date,
    others_changed
  ),
  change_kinds(
    event, tone_before, tone_after, status_changed,
    date_changed, date_before, date_after, shown_by_day_changed
  )
from (
  select max(change_id) as last_change, min(change_id) as first_change,
    run_id, release_item_id, min(day) as day,
    max(kind) filter (where kind <> 'changed') as event,
    coalesce(bool_or(field = 'release_status'), false) as status_changed,
    max(old_value) filter (where field = 'release_status') as old_status,
    max(new_value) filter (where field = 'release_status') as new_status,
    coalesce(bool_or(field = 'release_date'), false) as date_changed,
    (max(old_value) filter (where field = 'release_date'))::date as date_before,
    (max(new_value) filter (where field = 'release_date'))::date as date_after,
    coalesce(bool_or(field not in ('release_status', 'release_date')), false) as others_changed,
    coalesce(
      bool_or(field not in ('release_status', 'release_date', 'blog_title', 'blog_url')), false
    ) as shown_by_day_changed
  from changes
  group by run_id, release_item_id
) as entries
join items using (release_item_id)
cross join lateral (
  select coalesce(
    new_status,
    (
      select old_value from changes
      where changes.release_item_id = entries.release_item_id
        and field = 'release_status' and change_id > last_change
      order by change_id
      limit 1
    ),
    items.release_status
  ) as status
) as afterwards
cross join lateral (
  select pg_temp.tone_of(coalesce(old_status, status)) as tone_before,
    pg_temp.tone_of(status) as tone_after
) as tones;

drop function pg_temp.tone_of;

-- The first import of a source is not news: nobody is told of each release that it brings.
alter table import_runs add column is_news boolean not null default true;

update import_runs set is_news = false
where run_id in (
  select min(run_id) from import_runs
  where finished_at is not null and error is null and not is_preview
  group by source_name
);

create index import_runs_without_news on import_runs (run_id) where not is_news;

-- Digests that are kept tell what they told, under the names that these kinds have now.
update digests
set content = jsonb_set(content, '{groups}', (
  select coalesce(jsonb_agg(
    digest_group || jsonb_build_object('kind', case digest_group ->> 'kind'
      when 'later' then 'slipped'
      when 'date' then 'dated'
      when 'status' then 'edited'
      when 'other' then 'edited'
      else digest_group ->> 'kind'
    end)
    order by place
  ), '[]')
  from jsonb_array_elements(content -> 'groups') with ordinality as groups (digest_group, place)
))
where content ? 'groups';

-- So do webhooks that wait: each change says what its entry means.
update webhook_payloads
set content = jsonb_set(content, '{entries}', (
  select coalesce(jsonb_agg(
    jsonb_set(entry, '{changes}', (
      select coalesce(jsonb_agg(
        change || jsonb_build_object('kinds', (
          select jsonb_build_object(
            'quarter', coalesce(any_value(kinds_by_quarter), '{}'),
            'day', coalesce(any_value(kinds_by_day), '{}')
          )
          from change_entries
          join changes using (run_id, release_item_id)
          where change_id = (change ->> 'change_id')::bigint
        ))
        order by place
      ), '[]')
      from jsonb_array_elements(entry -> 'changes') with ordinality as told (change, place)
    ))
    order by place
  ), '[]')
  from jsonb_array_elements(content -> 'entries') with ordinality as entries (entry, place)
))
where content ? 'entries';
