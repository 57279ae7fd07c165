-- Tags narrow a subscription as products do: `Group:Value`, any of one group, of every group named.

alter table subscriptions add column tags text[] not null default '{}';

alter table subscriptions drop constraint subscriptions_check2;
alter table subscriptions
  add constraint subscriptions_chosen_check
    check (scope <> 'chosen' or products || types || statuses || tags || kinds <> '{}');

update subscriptions
set asked = asked || '{"tags": []}'
where jsonb_typeof(asked) = 'object';

alter table subscriptions drop column filter_key;
drop function filter_key(text, text, text[], text[], text[], uuid[], text[]);

create function filter_key(
  variant text, scope text, products text[], types text[], statuses text[], tags text[],
  releases uuid[], kinds text[]
) returns text
  language sql immutable parallel safe
  return md5(row(variant, scope, products, types, statuses, tags, releases, kinds)::text);

alter table subscriptions
  add column filter_key text not null generated always as (
    filter_key(variant, scope, products, types, statuses, tags, releases, kinds)
  ) stored;

create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';
