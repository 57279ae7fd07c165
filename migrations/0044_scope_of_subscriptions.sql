-- What a subscription covers is said outright: an empty list meant all releases here, none there.

alter table subscriptions
  -- all: every release; chosen: those that match the lists, and watched ones; watched: these alone.
  add column scope text not null default 'all' check (scope in ('all', 'chosen', 'watched')),
  -- Only changes of these kinds; an empty list does not narrow.
  add column kinds text[] not null default '{}';

update subscriptions
set scope = case when products || types || statuses <> '{}' then 'chosen' else 'watched' end
where products || types || statuses <> '{}' or releases <> '{}';

alter table subscriptions
  add check (scope <> 'chosen' or products || types || statuses || kinds <> '{}');

update subscriptions
set asked = asked || jsonb_build_object(
  'scope', case
    when jsonb_array_length((asked->'products') || (asked->'types') || (asked->'statuses')) > 0
      then 'chosen'
    when jsonb_array_length(asked->'releases') > 0 then 'watched'
    else 'all'
  end,
  'kinds', '[]'::jsonb
)
where jsonb_typeof(asked) = 'object';

alter table subscriptions drop column filter_key;
drop function filter_key(text, text[], text[], text[], uuid[]);

create function filter_key(
  variant text, scope text, products text[], types text[], statuses text[], releases uuid[],
  kinds text[]
) returns text
  language sql immutable parallel safe
  return md5(row(variant, scope, products, types, statuses, releases, kinds)::text);

alter table subscriptions
  add column filter_key text not null generated always as (
    filter_key(variant, scope, products, types, statuses, releases, kinds)
  ) stored;

create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';
