-- What a subscription gets before something happens: releases that are due narrow it as products do
-- (of several periods any), its digests can list what comes up, and watched releases remind.

alter table subscriptions
  add column due text[] not null default '{}'
    check (due <@ '{overdue,next7,next30,next90}'),
  -- Digests also list what is planned for the next 30 days and what is overdue.
  add column upcoming boolean not null default true,
  add column reminders boolean not null default true;

update subscriptions set upcoming = cadence = 'weekly';

alter table subscriptions drop constraint subscriptions_chosen_check;
alter table subscriptions
  add constraint subscriptions_chosen_check check (
    scope <> 'chosen' or products || types || statuses || tags || searches || due || kinds <> '{}'
  );

update subscriptions
set asked = asked || '{"due": [], "upcoming": null, "reminders": null}'
where jsonb_typeof(asked) = 'object';

alter table subscriptions drop column filter_key;
drop function filter_key(text, text, text[], text[], text[], text[], text[], uuid[], text[]);

create function filter_key(
  variant text, scope text, products text[], types text[], statuses text[], tags text[],
  searches text[], due text[], releases uuid[], kinds text[], upcoming boolean
) returns text
  language sql immutable parallel safe
  return md5(
    row(
      variant, scope, products, types, statuses, tags, searches, due, releases, kinds, upcoming
    )::text
  );

alter table subscriptions
  add column filter_key text not null generated always as (
    filter_key(
      variant, scope, products, types, statuses, tags, searches, due, releases, kinds, upcoming
    )
  ) stored;

create index subscriptions_by_filter on subscriptions (filter_key, subscription_id)
  where state = 'verified';
