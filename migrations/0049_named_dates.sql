-- expand: a process of 0.3.0 goes on. It neither reads nor shows named dates, and keeps what is stored of them.

-- Beside its release date a release has named ones, each a day by its name: {"Preview": "2026-09-30"}.
alter table item_rows add column dates jsonb not null default '{}';
alter table item_versions add column dates jsonb not null default '{}';
alter table prepared_items add column dates jsonb not null default '{}';

-- The items as they are read. Without a column of their texts or their language, nothing is joined.
drop view items;
create view items as
select item_rows.*, search_text, words, title_words, language
from item_rows
left join item_texts using (text_id)
left join source_languages using (source);

-- Which names there are is asked with every list of filters: most releases have none.
create index items_with_dates on item_rows (release_item_id) where active and dates <> '{}';

-- What a source said before it was read for named dates is no news: the first such import notes none.
alter table import_runs add column reads_dates boolean not null default false;

-- What became of the named dates of a release: slipped, earlier, dated or edited.
create function named_date_kinds(
  dates_before jsonb, dates_after jsonb,
  -- A variant shows quarters, not days.
  by_quarter boolean,
  -- What lies before this day is no promise any more.
  imported_on date
) returns text[] language sql stable parallel safe
return (
  select array_agg(distinct case
    when greatest(day_before, day_after) < imported_on then 'edited'
    when day_before is null then 'dated'
    when day_after is null then 'edited'
    when shown_after > shown_before then 'slipped'
    when shown_after < shown_before then 'earlier'
    else 'edited'
  end)
  from jsonb_object_keys(dates_before || dates_after) as name
  cross join lateral (
    select (dates_before ->> name)::date as day_before, (dates_after ->> name)::date as day_after
  ) as days
  cross join lateral (
    select case when by_quarter then date_trunc('quarter', day_before)::date else day_before end
        as shown_before,
      case when by_quarter then date_trunc('quarter', day_after)::date else day_after end
        as shown_after
  ) as shown
  where day_before is distinct from day_after
);

-- The kinds of what happened to a release, the heaviest first. This is the one place that decides.
drop function change_kinds(text, text, text, boolean, boolean, date, date, boolean);
create function change_kinds(
  -- added, removed or restored; null: only fields changed
  event text,
  tone_before text, tone_after text, status_changed boolean,
  -- In the precision of the variant: days, or the first days of quarters.
  date_changed boolean, date_before date, date_after date,
  -- A field other than status and dates changed.
  others_changed boolean,
  -- What became of its named dates; where the release date moves, it decides.
  named_kinds text[] default '{}'
) returns text[] language sql immutable parallel safe
return case when event = 'added' then array['added'] else array_remove(array[
  case when tone_before <> 'shipped' and tone_after = 'shipped' then 'shipped' end,
  case when tone_before <> 'stopped' and tone_after = 'stopped' then 'cancelled' end,
  case when event = 'removed' then 'removed' end,
  -- What has shipped or stopped is planned for no day any more.
  case when date_changed and date_after > date_before and tone_after in ('planned', 'in_progress')
      or (date_changed and date_before <> date_after) is not true and 'slipped' = any(named_kinds)
    then 'slipped' end,
  case when
      tone_before in ('in_progress', 'shipped', 'stopped') and tone_after = 'planned'
      or tone_before = 'shipped' and tone_after = 'in_progress'
    then 'taken_back' end,
  case when tone_before in ('planned', 'stopped') and tone_after = 'in_progress' then 'started' end,
  case when date_changed and date_after < date_before and tone_after in ('planned', 'in_progress')
      or (date_changed and date_before <> date_after) is not true and 'earlier' = any(named_kinds)
    then 'earlier' end,
  case when event = 'restored' then 'restored' end,
  case when date_changed and date_before is null and date_after is not null
      or (date_changed and date_before <> date_after) is not true and 'dated' = any(named_kinds)
    then 'dated' end,
  case when date_changed and date_before is not null and date_after is null then 'undated' end,
  case when
      others_changed
      or status_changed and tone_before = tone_after
      or date_changed and date_before is not null and date_after is not null and (
        tone_after in ('planned', 'in_progress') and date_before = date_after
        or tone_after in ('shipped', 'stopped') and tone_before = tone_after
      )
      or 'edited' = any(named_kinds)
    then 'edited' end
], null) end;
