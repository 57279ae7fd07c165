-- Searches narrow a subscription: releases that a search by words finds, of several any.

alter table subscriptions add column searches text[] not null default '{}';

alter table subscriptions drop constraint subscriptions_chosen_check;
alter table subscriptions
  add constraint subscriptions_chosen_check
    check (scope <> 'chosen' or products || types || statuses || tags || searches || kinds <> '{}');

update subscriptions
set asked = asked || '{"searches": []}'
where jsonb_typeof(asked) = 'object';

alter table subscriptions drop column filter_key;
drop function filter_key(text, text, text[], text[], text[], text[], uuid[], text[]);

create function filter_key(
  variant text, scope text, products text[], types text[], statuses text[], tags text[],
  searches text[], releases uuid[], kinds text[]
) returns text
  language sql immutable parallel safe
  return md5(
    row(variant, scope, products, types, statuses, tags, searches, releases, kinds)::text
  );

alter table subscriptions
  add column filter_key text not null generated always as (
    filter_key(variant, scope, products, types, statuses, tags, searches, releases, kinds)
  ) stored;

create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';
